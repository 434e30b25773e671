import { expect, test } from "vitest";
import { start } from "../core.test-help.ts";
import { iso } from "../noun.ts";
import { humanInbox } from "./human-inbox.ts";

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

test("what came at the same time stands in the order of the log, and an entry without a time next to what came before it", () => {
  const world = start();
  const post = (text: string) => world.tell({ type: "message.post", from: "alice", to: "human", text }, "alice");
  post("One");
  post("Two");
  world.tell({ type: "proposal.create", text: "Ship?", options: ["yes", "no"], voters: ["human"] }, "coordinator");
  const vote = String(world.log.findLast(({ type }) => type === "proposal.created")?.seq);
  world.now += 1_000;
  post("Three");
  const ids = () => humanInbox(world.state).items.map(({ id }) => id);
  expect(ids()).toEqual(["m3", vote, "m2", "m1"]);
  // Before any message there is only the beginning of the run.
  const early = start();
  early.tell({ type: "proposal.create", text: "Ship?", options: ["yes", "no"], voters: ["human"] }, "coordinator");
  early.now += 1_000;
  early.tell({ type: "message.post", from: "alice", to: "human", text: "Later" }, "alice");
  expect(humanInbox(early.state).items.map(({ kind }) => kind)).toEqual(["message", "notice"]);
});

test("of what was read the latest messages are shown, of what is unread all, and of the others' none", () => {
  const world = start();
  const post = (from: string, to: string, text: string) => world.tell({ type: "message.post", from, to, text }, from);
  for (const text of ["One", "Two", "Three"]) post("alice", "human", text);
  world.tell({ type: "inbox.ack", participant: "human", upto: world.state.seq });
  for (const text of ["Four", "Five"]) post("bob", "human", text);
  post("alice", "bob", "Between us");
  post("human", "alice", "Mine");
  const shown = (most?: number) => humanInbox(world.state, most).items.map(({ id, unread }) => `${id} ${unread}`);
  expect(shown()).toEqual(["m5 true", "m4 true", "m3 false", "m2 false", "m1 false"]);
  expect(shown(2)).toEqual(["m5 true", "m4 true", "m3 false", "m2 false"]);
  expect(shown(0)).toEqual(["m5 true", "m4 true"]);
});

test("questions are shown while they can be answered", () => {
  const world = start();
  world.tell({ type: "question.ask", by: "coordinator", text: "Which?" }, "coordinator");
  const [question] = humanInbox(world.state).items;
  expect(question).toEqual({
    id: "q1",
    kind: "question",
    from: "coordinator",
    text: "Which?",
    at: iso(world.now),
    unread: true,
    waiting_since: iso(world.now),
  });
  const questions = () => humanInbox(world.state).counts.questions;
  world.tell({ type: "agent.pause" });
  expect(questions()).toBe(1);
  world.append({ type: "agent.resumed", data: {} });
  world.append({ type: "agent.stopped", data: {} });
  expect(questions()).toBe(1);
  world.append({ type: "agent.failed", data: { reason: { code: "x", message: "broken", next_mover: "human" } } });
  expect(questions()).toBe(0);
});

test("who stands still waits for the human only if the human is to move", () => {
  const world = start();
  const notice = () => humanInbox(world.state).items.find(({ kind }) => kind === "notice");
  world.tell({ type: "agent.pause", reason: { code: "p", message: "later", next_mover: "nobody" } }, "system");
  expect(notice()).toEqual({
    id: "paused",
    kind: "notice",
    from: "system",
    text: "later",
    at: iso(world.now),
    unread: true,
  });
  world.append({ type: "agent.failed", data: { reason: { code: "x", message: "broken", next_mover: "human" } } });
  expect(notice()).toMatchObject({ id: "failed", text: "broken", waiting_since: iso(world.now) });
});

test("the end of a run is a notice, unread until the human has read so far", () => {
  const world = start();
  world.tell({ type: "run.finish", summary: "42" }, "coordinator");
  const end = { id: "completed", kind: "notice", from: "coordinator", text: "42", at: iso(world.now) };
  expect(humanInbox(world.state).items).toEqual([{ ...end, unread: true }]);
  world.tell({ type: "inbox.ack", participant: "human", upto: world.state.seq });
  expect(humanInbox(world.state)).toMatchObject({ items: [{ ...end, unread: false }], counts: { unread: 0 } });
  world.tell({ type: "run.start" });
  expect(humanInbox(world.state).items).toEqual([]);
});

test("what a channel has given up is counted", () => {
  const world = start();
  world.tell({ type: "delivery.route", channels: { hook: { kind: "webhook", for: ["questions"] } } }, "system");
  for (let failures = 0; failures < 12; failures++) {
    world.tell({ type: "question.ask", by: "alice", text: `Which ${failures}?` }, "alice");
    const [delivery] = world.state.deliveries.keys();
    world.tell({ type: "delivery.fail", delivery: delivery!, error: "example.com answered 500" }, "system");
    world.now += 3_600_000;
  }
  const [notice] = humanInbox(world.state).items.filter(({ id }) => id === "channel:hook");
  expect(notice?.text).toMatch(/^The channel hook has failed 12 times: example.com answered 500; \d+ given up so far$/);
  expect(notice).toMatchObject({ from: "system", at: expect.stringMatching(/^2026-01-01/), unread: true });
});
