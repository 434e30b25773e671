import { expect, test } from "vitest";
import { start } from "../core.test-help.ts";

const post = (text: string, to = "alice", from = "human") => ({ type: "message.post" as const, from, to, text });
const defer = (participant: string, entry: number, seconds?: number) => ({
  type: "inbox.defer" as const,
  participant,
  entry,
  ...(seconds === undefined ? {} : { seconds }),
});

/** Alice reads a message, and puts it off. */
function putOff(seconds?: number) {
  const world = start();
  world.tell(post("Look at this."));
  const entry = world.thinker("alice").unread[0]!.seq;
  const of = world.answer("alice");
  world.tell(defer("alice", entry, seconds), "alice");
  world.tell({ type: "turn.end", ...of }, "alice");
  return { world, entry };
}

test("what is put off for a time comes back then, as a new entry of the same sender, and wakes its reader", () => {
  const { world, entry } = putOff(60);
  expect(world.thinker("alice").unread).toEqual([]);
  world.now += 59_000;
  expect(world.tick()).toEqual([]);
  world.restart();
  world.now += 1_000;
  expect(world.tick().map(({ type }) => type)).toEqual(["inbox.returned"]);
  const [back] = world.thinker("alice").unread;
  expect(back).toMatchObject({ from: "human", kind: "message", text: "Look at this.", deferred: 1 });
  expect(back!.seq).toBeGreaterThan(entry);
  expect(world.thinker("alice").deferred).toBeUndefined();
  expect(world.tick()).toEqual([]);
});

test("what is put off until its reader is idle comes back as soon as it is, and not while it has a node or mail", () => {
  const world = start();
  world.node({ worker: "alice" });
  world.tell(post("Look at this."));
  const entry = world.thinker("alice").unread.at(-1)!.seq;
  const of = world.answer("alice", ["look"]);
  world.tell(defer("alice", entry), "alice");
  world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "", wait: { for: "mail" } }, "alice");
  world.tell({ type: "turn.end", ...of }, "alice");
  expect(world.all("inbox.returned")).toEqual([]);
  world.tell({ type: "node.cancel", node: "n1-do-it", reason: "no" }, "coordinator");
  expect(world.all("inbox.returned")).toEqual([]);
  world.turn("alice");
  expect(world.all("inbox.returned")).toHaveLength(1);
  expect(world.thinker("alice").unread.at(-1)).toMatchObject({ text: "Look at this.", deferred: 1 });
});

test("a message can be put off three times; then it has to be answered or declined", () => {
  const { world } = putOff(1);
  for (let times = 2; times <= 3; times++) {
    world.now += 1_000;
    world.tick();
    const of = world.answer("alice");
    world.tell(defer("alice", world.thinker("alice").unread[0]!.seq, 1), "alice");
    world.tell({ type: "turn.end", ...of }, "alice");
  }
  world.now += 1_000;
  world.tick();
  const [back] = world.thinker("alice").unread;
  expect(back!.deferred).toBe(3);
  expect(world.refused(defer("alice", back!.seq, 1), "alice")).toMatch(/^limit_reached: you have put this off 3 times/);
});

test("only a message that is new can be put off, once; what tells of an event cannot", () => {
  const world = start();
  world.tell(post("one"));
  world.node({ worker: "alice" });
  const [message, assigned] = world.thinker("alice").unread;
  expect(world.refused(defer("alice", 999), "alice")).toMatch(/^not_found: message 999 is not among your new ones/);
  expect(world.refused(defer("alice", assigned!.seq), "alice")).toMatch(
    /^invalid: .* \(assigned\); it cannot be put off/,
  );
  world.tell(defer("alice", message!.seq, 60), "alice");
  expect(world.decide(defer("alice", message!.seq, 60), "alice")).toEqual([]);
  expect(world.decide({ type: "inbox.return", participant: "bob", entry: message!.seq }, "system")).toEqual([]);
});

test("what comes back in the very turn that put it off is one message, not two", () => {
  const world = start();
  world.tell(post("Look at this."));
  const entry = world.thinker("alice").unread[0]!.seq;
  const of = world.answer("alice");
  world.tell(defer("alice", entry, 1), "alice");
  world.now += 1_000;
  world.tick();
  expect(world.refused(defer("alice", entry, 1), "alice")).toMatch(/^not_found: /);
  world.tell({ type: "turn.end", ...of }, "alice");
  expect(world.thinker("alice").unread.map(({ text }) => text)).toEqual(["Look at this."]);
});

test("a turn that failed after it put a message off does not show it when it is tried again", () => {
  const world = start();
  world.tell(post("Look at this."));
  const entry = world.thinker("alice").unread[0]!.seq;
  world.tell(defer("alice", entry, 60), "alice");
  expect(world.thinker("alice").unread).toEqual([]);
  world.restart();
  expect(world.thinker("alice").unread).toEqual([]);
});

test("who is retired gets nothing back", () => {
  const { world } = putOff(60);
  world.tell({ type: "worker.retire", worker: "alice" });
  world.now += 60_000;
  expect(world.tick()).toEqual([]);
});
