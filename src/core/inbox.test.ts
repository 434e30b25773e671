import { describe, expect, test } from "vitest";
import type { CommandInput } from "../schema/command.ts";
import { start } from "./core.test-help.ts";
import { acknowledge } from "./inbox.ts";

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
      'not_found: nobody here is called "carol"; there are Human, Coordinator, Alice, Bob',
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
    expect(told(world, "coordinator").at(-1)).toBe(`bob ended: ${mine} completed: good`);
    expect(told(world, "alice")).toEqual([`bob ended: ${mine} completed: good`]);
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
    `- ${ids[1]} is failed: ${"z".repeat(300)} …`,
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
  expect(by).toBe(`- ${id} is completed by alice: s`);
  expect(named).toMatch(new RegExp(`^  published/${id}/f0, .*published/${id}/f19 and 2 more$`));
});
