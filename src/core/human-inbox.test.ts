import { expect, test } from "vitest";
import { start } from "./core.test-help.ts";
import { humanInbox } from "./human-inbox.ts";
import { iso } from "./noun.ts";

test("what waits for the human, what was said and what stands still, newest first, with counts", () => {
  const world = start();
  const node = world.node({ worker: "alice" });
  world.turn("alice", "look");
  world.tell({ type: "message.post", from: "alice", to: ["human", "bob"], text: "Begun" }, "alice");
  world.now += 1_000;
  world.tell(
    { type: "question.ask", by: "alice", text: "Which?", options: ["a", "b"], default: "a", deadline_seconds: 9 },
    "alice",
  );
  world.now += 1_000;
  const turn = world.answer("bob", ["bash"]);
  world.tell({ type: "tool.ask", ...turn, call: "c1", text: "May it?" }, "bob");
  world.now += 1_000;
  world.tell({ type: "agent.pause", reason: { code: "budget", message: "no money", next_mover: "human" } }, "system");
  expect(humanInbox(world.state)).toEqual({
    items: [
      {
        id: "paused",
        kind: "notice",
        from: "system",
        text: "no money",
        at: iso(world.now),
        unread: true,
        waiting_since: iso(world.now),
      },
      {
        id: "q2",
        kind: "approval",
        from: "bob",
        text: "May it?",
        options: ["allow", "deny"],
        at: iso(world.now - 1_000),
        unread: true,
        waiting_since: iso(world.now - 1_000),
      },
      {
        id: "q1",
        kind: "question",
        from: "alice",
        text: "Which?",
        options: ["a", "b"],
        default: "a",
        deadline: iso(world.now + 7_000),
        at: iso(world.now - 2_000),
        unread: true,
        waiting_since: iso(world.now - 2_000),
        node,
      },
      { id: "m1", kind: "message", from: "alice", text: "Begun", at: iso(world.now - 3_000), unread: true },
    ],
    counts: { unread: 4, questions: 1, approvals: 1, messages: 1, notices: 1 },
  });
});

test("what was read stays without being unread; what was answered is gone", () => {
  const world = start();
  world.tell({ type: "message.post", from: "alice", to: "human", text: "One" }, "alice");
  world.tell({ type: "question.ask", by: "alice", text: "Which?" }, "alice");
  world.tell({ type: "inbox.ack", participant: "human", upto: world.state.seq });
  expect(humanInbox(world.state).counts).toMatchObject({ unread: 0, questions: 1, messages: 1 });
  expect(humanInbox(world.state, 0).counts.messages).toBe(0);
  world.tell({ type: "question.answer", answer: "x" });
  expect(humanInbox(world.state).items.map(({ id }) => id)).toEqual(["m1"]);
});

test("a vote that is the human's is a notice, and so is an end that was not seen", () => {
  const world = start();
  world.tell(
    { type: "proposal.create", text: "Ship?", options: ["yes", "no"], voters: ["human", "alice"] },
    "coordinator",
  );
  expect(humanInbox(world.state).items).toMatchObject([
    { kind: "notice", from: "coordinator", text: "p1: Ship? (yes / no)" },
  ]);
  world.tell({ type: "question.ask", by: "alice", text: "Too late?" }, "alice");
  world.tell({ type: "run.finish", summary: "42" }, "coordinator");
  const { items } = humanInbox(world.state);
  expect(items.filter(({ unread }) => unread).map(({ id }) => id)).toContain("completed");
  expect(items.some(({ kind }) => kind === "question")).toBe(false);
});

test("a channel that fails is a notice until it works", () => {
  const world = start();
  world.tell({ type: "delivery.route", channels: { hook: { kind: "webhook", for: ["questions"] } } }, "system");
  world.tell({ type: "question.ask", by: "alice", text: "Which?" }, "alice");
  world.tell({ type: "delivery.fail", delivery: "6/hook", error: "example.com answered 500" }, "system");
  expect(humanInbox(world.state).items.find(({ id }) => id === "channel:hook")).toMatchObject({
    kind: "notice",
    text: "The channel hook has failed 1 times: example.com answered 500",
  });
  world.tell({ type: "delivery.confirm", delivery: "6/hook" }, "system");
  expect(humanInbox(world.state).counts.notices).toBe(0);
});
