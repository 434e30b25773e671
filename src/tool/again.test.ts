/**
 * What a crash makes of a tool call: the process dies after the tool did its work and before its result is in the log, so the call is made
 * again with the same key. Whatever it did must be there once, and the result must say so.
 */
import { expect, test } from "vitest";
import { start } from "../runtime/runtime.test-help.ts";
import { call, hour, type Made, node, spawn } from "../toolkit/tool.test-help.ts";
import { tools } from "./index.ts";

interface Case {
  /** What the coordinator did in the turn before. */
  first?: Made[];
  made: Made;
  /** Who makes the call: the coordinator, or ann on her node. */
  by?: "ann";
  /** What must have happened, and how often. */
  happened: Record<string, number>;
  /** Null if it ended what it was called in. */
  said: RegExp | null;
}

const stage = call("reconvene", { assessment: "-", next_stage: { name: "One" } });
const trigger = call("schedule", { type: "on_idle", config: { idle_seconds: 100_000 }, action: "x" });
const long = "word ".repeat(400);

const cases: Record<string, Case> = {
  create_work_node: {
    made: node("work", { stage: "One" }),
    happened: { "node.created": 1, "stage.started": 1 },
    said: /"node_id":"n1-work"/,
  },
  spawn_worker: { made: spawn("Ann"), happened: { "worker.spawned": 1 }, said: /^Ann is here as ann/ },
  assign_worker: {
    first: [node("work"), node("then", { depends_on: ["n1"] }), spawn("Bea")],
    made: call("assign_worker", { node_id: "n2", worker_id: "bea" }),
    happened: { "node.wanted": 1 },
    said: /^n2-then goes to Bea/,
  },
  retire_worker: {
    first: [spawn("Ann")],
    made: call("retire_worker", { worker_id: "ann" }),
    happened: { "worker.retired": 1 },
    said: /^Ann is retired/,
  },
  cancel_node: {
    first: [node("work")],
    made: call("cancel_node", { node_id: "n1", reason: "r" }),
    happened: { "node.cancelled": 1 },
    said: /^n1-work is cancelled/,
  },
  reconvene: {
    first: [stage],
    made: call("reconvene", { assessment: "good", next_stage: { name: "Two" } }),
    happened: { "stage.completed": 1, "stage.started": 2 },
    said: /s2 \(Two\) is open/,
  },
  "reconvene, the first time,": {
    made: stage,
    happened: { "stage.completed": 0, "stage.started": 1 },
    said: /^s1 \(One\) is open/,
  },
  write_plan: { made: call("write_plan", { content: "p" }), happened: { "run.planned": 1 }, said: /_plan.md/ },
  send_message: {
    made: call("send_message", { to: "human", content: long }),
    happened: { "message.posted": 1, "resource.created": 1 },
    said: /^Sent as m1 to Human/,
  },
  suggest_next: {
    by: "ann",
    made: call("suggest_next", { suggestion: "more" }),
    happened: { "suggestion.made": 1 },
    said: /as sg1/,
  },
  ask_human: {
    made: call("ask_human", { question: "well?", default: "yes", deadline_seconds: 60 }),
    happened: { "question.asked": 1, "question.expired": 1 },
    said: /^Asked as q1/,
  },
  schedule: { made: trigger, happened: { "trigger.created": 1 }, said: /^Scheduled as t1/ },
  cancel_trigger: {
    first: [trigger],
    made: call("cancel_trigger", { trigger_id: "t1" }),
    happened: { "trigger.cancelled": 1 },
    said: /^t1 is cancelled/,
  },
  resource_create: {
    made: call("resource_create", { title: "T", content: "c" }),
    happened: { "resource.created": 1 },
    said: /"id":"[0-9a-f]{64}","title":"T"/,
  },
  document_write: {
    first: [spawn("Ann")],
    made: call("document_write", { name: "a.md", content: "one" }),
    happened: { "document.written": 1 },
    said: /^a\.md is at version 1\./,
  },
  document_append: {
    first: [spawn("Ann"), call("document_write", { name: "a.md", content: "one" })],
    made: call("document_append", { name: "a.md", content: "two" }),
    happened: { "document.written": 2 },
    said: /^Added; a\.md is at version 2\./,
  },
  document_own: {
    first: [spawn("Ann"), call("document_write", { name: "a.md", content: "one" })],
    made: call("document_own", { name: "a.md", owner: "Ann" }),
    happened: { "document.owned": 1 },
    said: /^a\.md belongs to Ann now/,
  },
  proposal_create: {
    first: [spawn("Ann")],
    made: call("proposal_create", { question: "Well?" }),
    happened: { "proposal.created": 1 },
    said: /"proposal_id":"p1"/,
  },
  vote: {
    first: [spawn("Ann"), call("proposal_create", { question: "Well?", voters: ["coordinator"] })],
    made: call("vote", { proposal_id: "p1", choice: "yes", reason: "r" }),
    happened: { "proposal.voted": 1, "proposal.settled": 1 },
    said: /counted. p1 is settled: yes/,
  },
  proposal_delegate: {
    first: [spawn("Ann"), call("proposal_create", { question: "Well?", voters: ["coordinator", "Ann"] })],
    made: call("proposal_delegate", { proposal_id: "p1", to: "Ann" }),
    happened: { "proposal.delegated": 1 },
    said: /^On p1 you vote as Ann does/,
  },
  proposal_withdraw: {
    first: [spawn("Ann"), call("proposal_create", { question: "Well?" })],
    made: call("proposal_withdraw", { proposal_id: "p1" }),
    happened: { "proposal.withdrawn": 1 },
    said: /^p1 is withdrawn/,
  },
  checkpoint: {
    by: "ann",
    made: call("checkpoint", { summary: "half" }),
    happened: { "node.checkpointed": 1 },
    said: /^n1-work is at a checkpoint/,
  },
  decline: { by: "ann", made: call("decline", { reason: "r" }), happened: { "node.completed": 1 }, said: /^You rest/ },
  publish: { by: "ann", made: call("publish", { summary: "s" }), happened: { "node.completed": 1 }, said: /Published/ },
  finish: { made: call("finish", { summary: "s" }), happened: { "run.completed": 1 }, said: null },
};

test("every tool that changes something and may be repeated is tried here", () => {
  const elsewhere = new Set(["write_file", "dismiss_suggestion", "merge"]);
  const changing = tools.filter(
    ({ effect, repeatable, name }) => effect !== "reads" && repeatable && !elsewhere.has(name),
  );
  expect(Object.keys(cases)).toEqual(expect.arrayContaining(ours(changing.map(({ name }) => name))));
});

const steps = Object.entries(cases).filter(([, { happened }]) => Object.keys(happened).length > 1);
test.each(steps)(
  "%s, which takes two steps, has happened once wherever the process dies",
  async (_tool, { first = [call("list_triggers")], made, happened }) => {
    for (let nth = 1; nth < 30; nth++) {
      const world = start({ play: { coordinator: [{ calls: first }, { calls: [made] }] } });
      await world.begin();
      await world.create({ start: false });
      world
        .runtime()
        .send("a1", { type: "run.start" })
        .catch(() => undefined);
      const died = await world.dies("log.synced", nth, "kill");
      if (died) await world.restart("kill");
      await world.pass(hour);
      const types = (await world.events()).map((event) => event.type as string);
      for (const [type, times] of Object.entries(happened))
        expect([nth, type, types.filter((one) => one === type).length]).toEqual([nth, type, times]);
      if (!died) return expect(nth).toBeGreaterThan(5);
    }
    throw new Error("it never ran to its end");
  },
);

/** Files, programs, the web and memory are tried beside their own tools. */
const ours = (names: string[]) => names.filter((name) => !/file|bash|web|memory|todo|ref/.test(name));

test.each(Object.entries(cases))(
  "%s that is repeated after a crash has happened once",
  async (_tool, { first = [call("list_triggers")], made, by, happened, said }) => {
    for (const how of ["kill", "power"] as const) {
      const before = by ? [spawn("Ann"), node("work", { worker: "ann" })] : first;
      const world = start({
        play: {
          coordinator: [{ calls: before }, ...(by ? [] : [{ calls: [made] }])],
          ...(by ? { [by]: [{ calls: [made] }] } : {}),
        },
      });
      await world.begin();
      await world.create({ start: false });
      world
        .runtime()
        .send("a1", { type: "run.start" })
        .catch(() => undefined);
      expect(await world.dies("tool.ran", before.length + 1, how)).toBe(true);
      await world.restart(how);
      await world.pass(hour);
      const events = await world.events();
      const ended = events.filter((event) => event.type === "tool.ended" && event.data.tool === made.tool);
      if (said) expect(ended.at(-1)).toMatchObject({ data: { outcome: "ok", result: expect.stringMatching(said) } });
      if (said) expect(events.map((event) => event.type)).toContain("turn.resumed");
      for (const [type, times] of Object.entries(happened))
        expect([type, events.filter((event) => event.type === type).length]).toEqual([type, times]);
      expect(world.notices).toEqual([]);
    }
  },
);
