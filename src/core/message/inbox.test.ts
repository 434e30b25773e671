import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import type { Event } from "../../schema/event.ts";
import { start } from "../core.test-help.ts";
import { acknowledge } from "./inbox.ts";
import { route } from "./mail-route.ts";

const ack = (upto: number, participant = "human"): CommandInput => ({ type: "inbox.ack", participant, upto });
const reason = { code: "x", message: "broken", next_mover: "coordinator" };

describe("acknowledging", () => {
  test("handles everything up to the mark", () => {
    const { tell, state } = start();
    for (const text of ["one", "two"]) tell({ type: "message.post", from: "alice", to: "human", text }, "alice");
    tell(ack(5));
    expect(state.participants.get("human")).toMatchObject({ read: 5, unread: [{ seq: 6, text: "two" }] });
  });

  test("again changes nothing, and the mark never goes backwards", () => {
    const { tell, append, state } = start();
    tell({ type: "message.post", from: "alice", to: "human", text: "one" }, "alice");
    tell(ack(5));
    expect(tell(ack(5))).toEqual([]);
    expect(tell(ack(3))).toEqual([]);
    append({ type: "inbox.acked", data: { participant: "human", upto: 2 } });
    append({ type: "inbox.acked", data: { participant: "carol", upto: 9 } });
    expect(state.participants.get("human")).toMatchObject({ read: 5, unread: [] });
  });

  test("what has not happened yet is not handled", () => {
    const { tell, state } = start();
    expect(tell(ack(state.seq + 1))).toEqual([]);
    expect(tell(ack(state.seq))).toHaveLength(1);
  });

  test("is for who is there, found by name", () => {
    const { refused, tell } = start();
    expect(refused(ack(1, "carol"))).toBe(
      'not_found: there is no participant "carol"; participants: Human, Coordinator, Alice, Bob',
    );
    expect(refused(ack(0))).toMatch(/^invalid: inbox.ack: upto: /);
    expect(tell(ack(1, "alice"))[0]?.data).toEqual({ participant: "alice", upto: 1 });
  });

  test("never brings back what was handled", () => {
    const { state } = start();
    const one = state.participants.get("coordinator")!;
    expect(acknowledge({ ...one, read: 7 }, 3)).toEqual({ read: 7, unread: [] });
  });
});

describe("who is told", () => {
  const told = (world: ReturnType<typeof start>, who: string) =>
    world.state.participants.get(who)!.unread.map(({ from, kind, text }) => `${from} ${kind}: ${text}`);

  test("of a message: its recipients, each once, never the sender", () => {
    const world = start();
    world.tell({ type: "message.post", from: "alice", to: ["bob", "BOB", "human"], text: "hi" }, "alice");
    expect(told(world, "bob")).toEqual(["alice message: hi"]);
    expect(told(world, "human")).toEqual(["alice message: hi"]);
    expect(told(world, "alice")).toEqual([]);
    world.append({
      type: "message.posted",
      data: { message: "m2", from: "bob", to: ["bob", "bob", "alice", "carol"], text: "x", priority: "normal" },
    });
    expect(told(world, "bob")).toEqual(["alice message: hi"]);
    expect(told(world, "alice")).toEqual(["bob message: x"]);
  });

  test("of an assignment: the worker, in the creator's name", () => {
    const world = start();
    const id = world.node({ task: "Look at it" });
    expect(told(world, "alice")).toEqual([`coordinator assigned: ${id}: Look at it`]);
  });

  test("of a node's end: the coordinator and the worker that created it, not who did it", () => {
    const world = start();
    const mine = world.node({ worker: "bob" }, "alice");
    world.turn("bob", "work");
    world.tell({ type: "node.publish", node: mine, summary: "good", files: [] }, "bob");
    expect(told(world, "coordinator").at(-1)).toBe(`bob ended: ${mine} completed, claimed: good`);
    expect(told(world, "alice")).toEqual([`bob ended: ${mine} completed, claimed: good`]);
    expect(told(world, "bob")).toEqual([]);
    const next = world.node({ worker: "bob" }, "human");
    world.tell({ type: "node.fail", node: next, reason }, "system");
    expect(told(world, "coordinator").at(-1)).toBe(`system ended: ${next} failed: broken`);
    expect(told(world, "human")).toEqual([]);
  });

  test("of a cancellation: also the worker that held the node", () => {
    const world = start();
    const id = world.node({ worker: "alice" });
    world.tell({ type: "node.cancel", node: id, reason: "not needed" }, "human");
    expect(told(world, "alice").at(-1)).toBe(`human ended: ${id} was cancelled: not needed`);
    expect(told(world, "coordinator").at(-1)).toBe(`human ended: ${id} was cancelled: not needed`);
    expect(told(world, "bob")).toEqual([]);
    const pending = world.node({ depends_on: [id] });
    world.tell({ type: "node.cancel", node: pending, reason: "no" }, "coordinator");
    expect(told(world, "coordinator").at(-1)).toBe(`human ended: ${id} was cancelled: not needed`);
  });

  test("of a question: the human; of its answer: exactly the asker", () => {
    const world = start();
    world.tell({ type: "question.ask", by: "alice", text: "Which?" }, "alice");
    expect(told(world, "human")).toEqual(["alice message: Which?"]);
    world.tell({ type: "question.answer", answer: "this" });
    expect(told(world, "alice")).toEqual(["human answer: Answer to q1: this"]);
    expect(told(world, "bob")).toEqual([]);
    world.append({ type: "question.answered", data: { question: "q9", answer: "lost" } });
    expect(told(world, "alice")).toHaveLength(1);
  });

  test("of a question that ran out of time: the asker, with the default if there is one", () => {
    const world = start();
    world.tell({ type: "question.ask", by: "alice", text: "?", deadline_seconds: 1, default: "blue" }, "alice");
    world.tell({ type: "question.ask", by: "bob", text: "?", deadline_seconds: 1 }, "bob");
    world.now += 1_000;
    world.tick();
    expect(told(world, "alice")).toEqual(["system answer: Answer to q1: blue"]);
    expect(told(world, "bob")).toEqual(["system answer: q2 got no answer in time"]);
  });

  test("of a stage that reconvenes: the coordinator", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "one" });
    const id = world.node();
    world.tell({ type: "node.cancel", node: id, reason: "no" });
    expect(told(world, "coordinator").at(-1)).toBe(
      "system stage: s1 reconvenes; completed: none\n- n1-do-it is cancelled: no",
    );
  });

  test("of a vote: its voters, without who called it; of its result: all of them", () => {
    const world = start();
    world.tell({ type: "proposal.create", text: "Lunch?", options: ["yes", "no"], voters: ["alice", "bob"] }, "alice");
    expect(told(world, "bob")).toEqual(["alice vote: p1: Lunch? (yes / no)"]);
    expect(told(world, "alice")).toEqual([]);
    world.tell({ type: "proposal.vote", proposal: "p1", voter: "alice", option: "yes" }, "alice");
    world.tell({ type: "proposal.vote", proposal: "p1", voter: "bob", option: "yes" }, "bob");
    expect(told(world, "alice")).toEqual(["system vote: p1 is settled: yes"]);
    world.tell({ type: "proposal.create", text: "?", options: ["a", "b"], voters: ["alice", "bob"] }, "human");
    world.tell({ type: "proposal.vote", proposal: "p2", voter: "alice", option: "a" }, "alice");
    world.tell({ type: "proposal.vote", proposal: "p2", voter: "bob", option: "b" }, "bob");
    expect(told(world, "bob").at(-1)).toBe("system vote: p2 is settled: no result (tie)");
    world.append({
      type: "proposal.settled",
      data: { proposal: "p9", verdict: { result: "won", option: "a" }, expired: false },
    });
    expect(told(world, "bob").at(-1)).toBe("system vote: p2 is settled: no result (tie)");
  });

  test.each(["alice", "Alice", "@Alice", " ALICE ", "Ａlice"])(
    "of a fire for %j: alice, however she is spelled",
    (to) => {
      const world = start();
      world.tell({
        type: "trigger.create",
        schedule: { type: "delayed", delay_seconds: 1 },
        action: { type: "send_message", to, text: "now" },
      });
      world.now += 1_000;
      world.tick();
      expect(told(world, "alice")).toEqual(["system fire: now"]);
    },
  );

  test("of a fire for someone who is gone: the coordinator", () => {
    const world = start();
    const action = { type: "send_message", to: "alice", text: "now" } as const;
    world.tell({ type: "trigger.create", schedule: { type: "delayed", delay_seconds: 1 }, action });
    world.tell({ type: "run.finish", summary: "s" });
    world.tell({ type: "run.start" });
    world.now += 1_000;
    world.tick();
    expect(told(world, "coordinator").at(-1)).toBe("system fire: now");
    const retired = start();
    retired.tell({ type: "trigger.create", schedule: { type: "delayed", delay_seconds: 1 }, action });
    retired.tell({ type: "worker.retire", worker: "alice" });
    retired.now += 1_000;
    retired.tick();
    expect(told(retired, "coordinator").at(-1)).toBe("system fire: now");
  });

  test("of a fire that wakes the agent, or is for a node that nobody can do: the coordinator", () => {
    const world = start();
    const node = world.node({ depends_on: [world.node({ worker: "alice" })] });
    for (const action of [{ type: "wake_agent", text: "wake up" } as const, { type: "run_node", node } as const])
      world.tell({ type: "trigger.create", schedule: { type: "delayed", delay_seconds: 1 }, action });
    world.now += 1_000;
    world.tick();
    expect(told(world, "coordinator").slice(-2)).toEqual([
      "system fire: wake up",
      `system fire: It is time for ${node}, but it waits for n1-do-it.`,
    ]);
    world.append({ type: "trigger.fired", data: { trigger: "t9", fire: "t9@x" } });
    expect(told(world, "coordinator")).toHaveLength(3);
  });
});

test("the human's inbox shows the newest thousand", () => {
  const { tell, state } = start();
  for (let n = 1; n <= 1_002; n++) tell({ type: "message.post", from: "alice", to: "human", text: `${n}` }, "alice");
  const { unread } = state.participants.get("human")!;
  expect(unread).toHaveLength(1_000);
  expect(unread[0]?.text).toBe("3");
});

test("the inbox of who takes turns is never cut", () => {
  const { tell, thinker } = start();
  for (let n = 1; n <= 1_002; n++) tell({ type: "message.post", to: "alice", text: `${n}` });
  expect(thinker("alice").unread).toHaveLength(1_002);
});

const entriesOf = (world: ReturnType<typeof start>) => world.thinker("coordinator").unread.map(({ text }) => text);

test("a stage brings of each of its nodes one line, however long what was said of it, and of many nodes the first", () => {
  const world = start({ live_nodes: 200, workers_per_run: 200 });
  world.node({ name: "before", worker: "bob" });
  world.tell({ type: "stage.start", name: "one" });
  const ids = Array.from({ length: 125 }, () => world.node({ name: "x", worker: "alice" }));
  const reason = (text: string) => ({ code: "x", message: text, next_mover: "coordinator" });
  const texts = ["y".repeat(300), `${"z".repeat(300)}!`, "two\n\nlines "];
  for (const [at, node] of ids.entries())
    world.tell({ type: "node.fail", node, reason: reason(texts[at] ?? "no") }, "system");
  const lines = entriesOf(world).at(-1)!.split("\n").slice(1);
  expect(lines.slice(0, 3)).toEqual([
    `- ${ids[0]} is failed: ${"y".repeat(300)}`,
    `- ${ids[1]} is failed: ${"z".repeat(299)}…`,
    `- ${ids[2]} is failed: two lines`,
  ]);
  expect(lines).toHaveLength(121);
  expect(lines.at(-1)).toBe("- check_board shows the rest");
});

test("of what was published twenty files are named", () => {
  const world = start();
  world.tell({ type: "stage.start", name: "one" });
  const id = world.node({ name: "x", worker: "alice" });
  world.turn("alice", "work");
  const files = Array.from({ length: 22 }, (_, n) => ({ path: `f${n}`, size: 1, sha256: "0".repeat(64) }));
  world.tell({ type: "node.publish", node: id, summary: "s", files }, "alice");
  const [, by, named] = entriesOf(world)
    .findLast((text) => text.includes("reconvenes"))!
    .split("\n");
  expect(by).toBe(`- ${id} is completed, claimed by alice: s`);
  expect(named).toMatch(new RegExp(`^  published/${id}/f0, .*published/${id}/f19 and 2 more$`));
});

describe("what an event says in an inbox", () => {
  const world = start();
  world.node({ name: "a", worker: "alice" });
  world.node({ name: "b" }, "bob");
  world.turn("alice", "look");
  world.tell({ type: "suggestion.make", by: "bob", text: "Look there" }, "bob");
  const reason = { code: "x", message: "it broke", next_mover: "coordinator" };
  const system = { to: ["coordinator"], from: "system" };

  const said: [type: string, data: object, entry: object | undefined][] = [
    ["agent.stopped", { summary: "The board" }, { ...system, kind: "message", text: "The board" }],
    ["agent.stopped", {}, undefined],
    ["run.started", { run: "r2", goal: "Know" }, { to: ["coordinator"], from: "human", kind: "message", text: "Know" }],
    [
      "suggestion.made",
      { suggestion: "sg2", by: "alice", node: "n1-a", text: "More" },
      { to: ["coordinator"], from: "alice", kind: "message", text: "Suggestion sg2 (from n1-a): More" },
    ],
    [
      "suggestion.made",
      { suggestion: "sg2", by: "alice", text: "More" },
      { to: ["coordinator"], from: "alice", kind: "message", text: "Suggestion sg2: More" },
    ],
    [
      "suggestion.dismissed",
      { suggestion: "sg1", reason: "no time" },
      {
        to: ["bob"],
        from: "carol",
        kind: "message",
        text: "Your suggestion sg1 was not taken up: no time",
        priority: "background",
      },
    ],
    [
      "node.assigned",
      { node: "n1-a", worker: "alice" },
      { to: ["alice"], from: "coordinator", kind: "assigned", text: "n1-a: Do it" },
    ],
    [
      "node.assigned",
      { node: "n2-b", worker: "bob" },
      { to: ["bob"], from: "system", kind: "assigned", text: "n2-b: Do it" },
    ],
    [
      "node.completed",
      { node: "n1-a", worker: "alice", summary: "s", partial: true, limit: "limit.turns", files: [] },
      { to: ["coordinator"], from: "alice", kind: "ended", text: "n1-a completed in part (limit.turns): s" },
    ],
    [
      "node.checkpointed",
      { node: "n1-a", worker: "alice", summary: "half" },
      { to: ["coordinator"], from: "alice", kind: "stage", text: "n1-a is at a checkpoint: half" },
    ],
    [
      "node.failed",
      { node: "n1-a", reason },
      {
        to: ["coordinator"],
        from: "carol",
        kind: "ended",
        text: "n1-a failed: it broke\nWhat was tried: nodes/n1-a/failure_notes.md",
        priority: "immediate",
      },
    ],
    [
      "node.retried",
      { node: "n1-a", model: "m2", reason },
      {
        ...system,
        kind: "nudge",
        text: "n1-a failed (it broke) and is tried again with m2.",
        priority: "background",
      },
    ],
    ["node.cancelled", { node: "n1-a", reason: { ...reason, code: "stopped" } }, undefined],
    [
      "node.cancelled",
      { node: "n1-a", reason },
      { to: ["coordinator"], from: "carol", kind: "ended", text: "n1-a was cancelled: it broke" },
    ],
    [
      "question.asked",
      { question: "q9", by: "alice", text: "Which?" },
      { to: ["human"], from: "alice", kind: "message", text: "Which?" },
    ],
    ["question.answered", { question: "q8", answer: "x" }, undefined],
    ["trigger.failed", { trigger: "t1", fire: "t1@x", reason }, { ...system, kind: "fire", text: "it broke" }],
    ["trigger.fired", { trigger: "t1", fire: "t1@x" }, undefined],
    [
      "worker.nudged",
      { worker: "alice", node: "n1-a" },
      {
        to: ["alice"],
        from: "system",
        kind: "nudge",
        text: "n1-a is still yours. Go on, publish what you have, or say why you cannot.",
      },
    ],
    ["worker.halted", { worker: "alice", reason }, { ...system, kind: "message", text: "Stopped: it broke" }],
    [
      "worker.retired",
      { worker: "alice", reason: "done" },
      { to: ["coordinator"], from: "carol", kind: "nudge", text: "Alice is retired: done" },
    ],
    [
      "worker.retired",
      { worker: "dave", reason: "done" },
      { to: ["coordinator"], from: "carol", kind: "nudge", text: "dave is retired: done" },
    ],
    [
      "worker.unparked",
      { worker: "alice", reason: "go" },
      { to: ["alice"], from: "system", kind: "nudge", text: "go" },
    ],
    [
      "proposal.settled",
      { proposal: "p9", verdict: { result: "none", why: "a tie" } },
      { to: [], from: "system", kind: "vote", text: "p9 is settled: no result (a tie)" },
    ],
    ["budget.set", { scope: { of: "run" }, limit: {} }, undefined],
  ];
  test.each(said)("%s %j", (type, data, entry) => {
    const envelope = { seq: 99, id: "chips/99", ts: "2026-01-01T00:00:00.000Z", actor: "carol" };
    expect(route(world.state, { ...envelope, type, data } as Event)).toEqual(entry);
  });

  test.each([
    [["alice", "bob"], ["coordinator"]],
    [
      ["alice", "coordinator"],
      ["coordinator", "human"],
    ],
  ])("message.limited between %j reaches %j", (between, to) => {
    const event = { type: "message.limited", data: { between, count: 10 }, actor: "system" } as unknown as Event;
    expect(route(world.state, event)).toMatchObject({ to, from: "system", kind: "message" });
  });
});

test("what a stop cancels is taken back from the worker's inbox, and nothing else is", () => {
  const world = start();
  world.node({ name: "a", worker: "alice" });
  world.tell({ type: "message.post", from: "bob", to: "alice", text: "hi" }, "bob");
  world.append({ type: "worker.nudged", data: { worker: "alice", node: "n1-a" } });
  expect(world.thinker("alice").unread.map(({ kind }) => kind)).toEqual(["assigned", "message", "nudge"]);
  world.tell({ type: "agent.stop" });
  expect(world.thinker("alice").unread.map(({ kind }) => kind)).toEqual(["message"]);
});
