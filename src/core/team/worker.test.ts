import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import type { Wait } from "../../schema/node.ts";
import { agentStatus, workerStatus } from "../agent/status.ts";
import { inWords, why } from "../board/why.ts";
import { start, t0 } from "../core.test-help.ts";
import { appointments } from "../decide.ts";
import { defaultLimits } from "../limits.ts";
import { canRun } from "./worker.ts";

const spawn = (name: string, more: object = {}): CommandInput => ({ type: "worker.spawn", name, ...more });
const reason = { code: "x", message: "broken", next_mover: "coordinator" };
const nothing = { usd: 0, tokens: 0 };

describe("spawning", () => {
  test("brings in a worker with its kit, idle and with an empty inbox", () => {
    const { tell, state } = start();
    const kit = {
      role: "reads papers",
      kind: "autonomous",
      model: "claude-code/m",
      tools: ["look"],
      max_turns: 3,
      memory: "x",
    } as const;
    tell(spawn("Dr. Carol", kit));
    expect(state.participants.get("dr-carol")).toEqual({
      id: "dr-carol",
      name: "Dr. Carol",
      ...kit,
      read: 0,
      unread: [],
      turns: 0,
      next: "rest",
      stall: { alone: 0, nudges: 0, repeats: [], fruitless: 0, fruitful: false, compactions: 0 },
      done: [],
      conversation: [],
      retired: false,
    });
    expect(state.accounts.has("worker:dr-carol")).toBe(false);
  });

  test("gives it its own budget", () => {
    const { tell, state, refused } = start();
    tell(spawn("Carol", { budget: { usd: 1 } }));
    expect(state.accounts.get("worker:carol")).toEqual({
      limit: { usd: 1 },
      spent: { ...nothing, turns: 0, seconds: 0 },
      reserved: nothing,
    });
    tell({ type: "message.post", to: "carol", text: "hi" });
    expect(refused({ type: "turn.start", participant: "carol", reserve: { usd: 2, tokens: 0 } }, "carol")).toBe(
      "budget_exhausted: the budget of worker:carol allows 1 usd; 0 are spent, 0 reserved, and this call may need 2",
    );
  });

  test("is possible so many times; retiring makes room", () => {
    const { tell, refused } = start({ workers_per_run: 2 });
    expect(refused(spawn("Carol"))).toBe(
      "limit_reached: this run already has 2 workers, the maximum; retire one or reuse an idle one",
    );
    tell({ type: "worker.retire", worker: "bob" });
    tell(spawn("Carol"));
  });

  test("needs an open run", () => {
    const { tell, refused } = start();
    tell({ type: "run.finish", summary: "s" });
    expect(refused(spawn("Carol"))).toMatch(/^wrong_state: chips is completed;/);
  });
});

describe("retiring", () => {
  test("is final, and again changes nothing", () => {
    const { tell, thinker, all } = start();
    tell({ type: "worker.retire", worker: "@Alice" });
    expect(thinker("alice").retired).toBe(true);
    expect(all("worker.retired")[0]?.data).toEqual({ worker: "alice", reason: "no longer needed" });
    expect(tell({ type: "worker.retire", worker: "alice" })).toEqual([]);
    expect(workerStatus(thinker("alice"))).toBe("retired");
  });

  test("is refused while it holds a node, and for who is no worker", () => {
    const { node, refused } = start();
    const id = node({ worker: "alice" });
    const retire = (worker: string) => refused({ type: "worker.retire", worker });
    expect(retire("alice")).toBe(`wrong_state: Alice is busy with ${id}; cancel that node first`);
    expect(retire("human")).toBe("invalid: Human is the human, not a worker");
    expect(retire("coordinator")).toBe("invalid: Coordinator is the coordinator, not a worker");
    expect(retire("carol")).toMatch(/^not_found: there is no participant "carol"/);
  });

  test("gives up the call under way and the reservation for it; an answer is acted on to its end", () => {
    const calling = start();
    calling.tell({ type: "message.post", to: ["alice"], text: "hi" });
    calling.begin("alice", { usd: 1, tokens: 1 });
    calling.tell({ type: "worker.retire", worker: "alice" });
    expect(calling.thinker("alice").turn).toBeUndefined();
    expect(calling.state.accounts.get("agent")?.reserved).toEqual(nothing);
    expect(calling.all("turn.failed")[0]?.data.reason.message).toBe("Alice is retired");
    const acting = start();
    acting.tell({ type: "message.post", to: ["alice"], text: "hi" });
    const of = acting.answer("alice", ["look"]);
    acting.tell({ type: "worker.retire", worker: "alice" });
    expect(canRun(acting.thinker("alice"))).toBe(true);
    acting.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "r" }, "alice");
    acting.tell({ type: "turn.end", ...of }, "alice");
    expect(canRun(acting.thinker("alice"))).toBe(false);
  });

  test("means no more mail and no more turns", () => {
    const { tell, refused, thinker } = start();
    tell({ type: "message.post", to: "alice", text: "hi" });
    tell({ type: "worker.retire", worker: "alice" });
    tell({ type: "message.post", to: "*", text: "all" });
    expect(thinker("alice").unread.map((entry) => entry.text)).toEqual(["hi"]);
    expect(refused({ type: "turn.start", participant: "alice", reserve: nothing }, "alice")).toBe(
      "wrong_state: Alice is retired and takes no turns",
    );
  });
});

describe("who can run", () => {
  test("has unread mail, or a turn under way, or asked to go on", () => {
    const { tell, begin, turn, thinker, state } = start();
    expect(canRun(state.participants.get("human")!)).toBe(false);
    expect(canRun(thinker("alice"))).toBe(false);
    tell({ type: "message.post", to: "alice", text: "hi" });
    expect(canRun(thinker("alice"))).toBe(true);
    turn("alice", "look");
    expect(thinker("alice")).toMatchObject({ unread: [], next: "continue" });
    expect(canRun(thinker("alice"))).toBe(true);
    begin("alice");
    expect(canRun(thinker("alice"))).toBe(true);
  });

  test("does not while it waits, except for a word of the human, or of anyone while it waits only for nodes", () => {
    const { tell, turn, thinker, node } = start();
    const id = node({ worker: "bob" });
    turn("coordinator", "wait", { wait: { for: "nodes", nodes: [id] } });
    expect(workerStatus(thinker("coordinator"))).toBe("waiting");
    tell({ type: "question.ask", by: "coordinator", text: "?" }, "coordinator");
    tell({ type: "question.answer", answer: "!" });
    expect(canRun(thinker("coordinator"))).toBe(false);
    tell({ type: "message.post", from: "bob", to: "coordinator", text: "which one?" }, "bob");
    expect(canRun(thinker("coordinator"))).toBe(true);
    turn("coordinator");
    expect(thinker("coordinator")).toMatchObject({ wait: { for: "nodes", nodes: [id] }, unread: [] });
    tell({ type: "question.ask", by: "alice", text: "?" }, "alice");
    turn("bob", "look");
    tell({ type: "message.post", to: "alice", text: "hi" });
    turn("alice", "ask", { wait: { for: "question", question: "q2" } });
    tell({ type: "message.post", from: "bob", to: "alice", text: "hi" }, "bob");
    expect(canRun(thinker("alice"))).toBe(false);
    tell({ type: "message.post", text: "hello" });
    expect(canRun(thinker("coordinator"))).toBe(true);
    turn("coordinator");
    expect(thinker("coordinator")).toMatchObject({ wait: { for: "nodes", nodes: [id] }, unread: [] });
    expect(canRun(thinker("coordinator"))).toBe(false);
  });
});

describe("a wait ends", () => {
  test("for nodes: with the last of them, however each ended", () => {
    const { tell, node, turn, thinker } = start();
    const [one, two] = [node({ worker: "alice" }), node({ worker: "bob" })];
    turn("coordinator", "wait", { wait: { for: "nodes", nodes: [one, two] } });
    tell({ type: "node.fail", node: one, reason });
    expect(thinker("coordinator").wait).toBeDefined();
    tell({ type: "node.cancel", node: two, reason: "no" });
    expect(thinker("coordinator")).toMatchObject({ wait: undefined, next: "continue" });
  });

  test("for nodes: when those that are left can never start", () => {
    const { tell, node, turn, thinker } = start();
    const one = node({ worker: "alice" });
    const two = node({ depends_on: [one] });
    turn("coordinator", "wait", { wait: { for: "nodes", nodes: [two] } });
    expect(thinker("coordinator").wait).toBeDefined();
    tell({ type: "node.fail", node: one, reason });
    expect(canRun(thinker("coordinator"))).toBe(true);
  });

  test("for nodes: at once, when they can only start after the node of who waits", () => {
    const { node, turn, thinker, state } = start();
    const mine = node({ worker: "alice" });
    const behind = node({ depends_on: [node({ depends_on: [mine] }, "alice")] }, "alice");
    turn("alice", "wait", { wait: { for: "nodes", nodes: [behind] } });
    expect(thinker("alice")).toMatchObject({ wait: undefined, next: "continue" });
    expect(state.nodes.get(mine)?.status).toBe("running");
  });

  test("for nodes: when the last of them is given to who waits", () => {
    const { tell, node, turn, thinker } = start();
    tell({ type: "message.post", to: "alice", text: "hi" });
    const id = node({ depends_on: [node({ worker: "bob" })] });
    turn("alice", "wait", { wait: { for: "nodes", nodes: [id] } });
    expect(thinker("alice").wait).toBeDefined();
    turn("bob", "work");
    tell({ type: "agent.pause" });
    tell({ type: "node.publish", node: "n1-do-it", summary: "s", files: [] }, "bob");
    tell({ type: "node.assign", node: id, worker: "alice" });
    expect(thinker("alice")).toMatchObject({ wait: undefined, next: "continue", node: id });
  });

  test("for a question: with its answer, not with another's", () => {
    const { tell, turn, thinker } = start();
    tell({ type: "question.ask", by: "alice", text: "a?" }, "alice");
    tell({ type: "question.ask", by: "coordinator", text: "b?" }, "coordinator");
    turn("coordinator", "ask", { wait: { for: "question", question: "q2" } });
    tell({ type: "question.answer", question: "q1", answer: "x" });
    expect(thinker("coordinator").wait).toBeDefined();
    tell({ type: "question.answer", question: "q2", answer: "y" });
    expect(thinker("coordinator")).toMatchObject({ wait: undefined, next: "continue" });
  });

  test("for mail: with any mail", () => {
    const { tell, turn, thinker } = start();
    turn("coordinator", "wait", { wait: { for: "mail" } });
    tell({ type: "message.post", from: "bob", to: "coordinator", text: "hi" }, "bob");
    expect(thinker("coordinator").wait).toBeUndefined();
    expect(canRun(thinker("coordinator"))).toBe(true);
  });

  const early: [string, Wait, (world: ReturnType<typeof start>) => void][] = [
    [
      "nodes that have ended",
      { for: "nodes", nodes: ["n1-do-it"] },
      ({ tell }) => tell({ type: "node.cancel", node: "n1-do-it", reason: "no" }),
    ],
    [
      "an answer that has come",
      { for: "question", question: "q1" },
      ({ tell }) => tell({ type: "question.answer", answer: "!" }),
    ],
    ["mail that has come", { for: "mail" }, ({ tell }) => tell({ type: "message.post", text: "hi" })],
    ["nodes that never were", { for: "nodes", nodes: ["n9"] }, () => undefined],
    ["a question that never was", { for: "question", question: "q9" }, () => undefined],
  ];
  test.each(early)("at once, for %s before the turn is over", (_what, wait, happen) => {
    const world = start();
    world.node();
    world.tell({ type: "question.ask", by: "coordinator", text: "?" }, "coordinator");
    const of = world.answer("coordinator", ["wait"]);
    world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "r", wait }, "coordinator");
    happen(world);
    const handled = world.thinker("coordinator").turn!.upto;
    world.tell({ type: "turn.end", ...of }, "coordinator");
    expect(world.thinker("coordinator")).toMatchObject({ wait: undefined, next: "continue", read: handled });
    for (const { seq } of world.thinker("coordinator").unread) expect(seq).toBeGreaterThan(handled);
  });

  test("with its deadline", () => {
    const world = start();
    const { tell, turn, thinker, tick, node } = world;
    const nodes = [node({ worker: "alice" })];
    turn("coordinator", "wait", { wait: { for: "nodes", nodes, deadline: "2026-01-01T00:01:00.000Z" } });
    expect(appointments(world.state)).toEqual([
      {
        at: "2026-01-01T00:01:00.000Z",
        command: { type: "worker.unpark", worker: "coordinator", reason: "the wait timed out" },
      },
    ]);
    world.now += 59_999;
    expect(tick()).toEqual([]);
    world.now += 1;
    tick();
    expect(thinker("coordinator")).toMatchObject({ wait: undefined, next: "continue" });
    expect(thinker("coordinator").unread.at(-1)).toMatchObject({
      kind: "nudge",
      from: "system",
      text: "the wait timed out",
    });
    expect(tell({ type: "worker.unpark", worker: "coordinator", reason: "again" })).toEqual([]);
  });

  test("with its node", () => {
    const { tell, node, turn, thinker } = start();
    const id = node({ worker: "alice" });
    turn("alice", "wait", { wait: { for: "mail" } });
    tell({ type: "node.fail", node: id, reason });
    expect(thinker("alice")).toMatchObject({ wait: undefined, next: "rest", node: undefined });
  });
});

test("unparking who is not there is refused", () => {
  const { refused, tell } = start();
  expect(refused({ type: "worker.unpark", worker: "carol", reason: "x" }, "system")).toMatch(
    /^not_found: there is no participant "carol"/,
  );
  expect(tell({ type: "worker.unpark", worker: "alice", reason: "not parked" })).toEqual([]);
  expect(tell({ type: "worker.unpark", worker: "human", reason: "never parked" })).toEqual([]);
});

describe("silence over a node", () => {
  test("is answered with one nudge, then the node fails", () => {
    const { node, turn, thinker, state, all } = start();
    const id = node({ worker: "alice" });
    turn("alice");
    expect(all("worker.nudged").map(({ data }) => data)).toMatchObject([{ worker: "alice", node: id }]);
    expect(thinker("alice")).toMatchObject({ stall: { nudges: 1 } });
    expect(thinker("alice").unread.at(-1)).toMatchObject({
      kind: "nudge",
      text: `${id} is still yours. Go on, or publish what you have. If you need an answer first, call check_messages with wait; for nodes of others, wait_for_nodes. If you cannot go on at all, say why.`,
    });
    turn("alice");
    expect(state.nodes.get(id)).toMatchObject({
      status: "failed",
      reason: {
        code: "limit.progress",
        message: `Alice stopped acting on ${id} without publishing`,
        next_mover: "coordinator",
      },
    });
  });

  /** Alice has asked Bob, who is free, and says twice that she waits. */
  function asking() {
    const world = start();
    world.turn("coordinator");
    const id = world.node({ worker: "alice" });
    const of = world.answer("alice", ["send_message"]);
    world.tell({ type: "message.post", from: "alice", to: "bob", text: "Which one?" }, "alice");
    world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "sent" }, "alice");
    world.tell({ type: "turn.end", ...of }, "alice");
    world.turn("alice");
    return { ...world, id };
  }

  test("of one that has asked a colleague is waiting: its node stays its own, and the answer wakes it", () => {
    const { turn, tell, thinker, state, all, id } = asking();
    expect(all("worker.nudged")).toHaveLength(1);
    turn("alice");
    expect(all("worker.parked").map(({ data }) => data)).toMatchObject([
      { worker: "alice", node: id, wait: { for: "mail", from: ["bob"] } },
    ]);
    expect(state.nodes.get(id)).toMatchObject({ status: "waiting", worker: "alice" });
    expect(canRun(thinker("alice"))).toBe(false);
    expect(inWords(why(state, id, { limits: defaultLimits }))).toBe(
      "Alice waits for an answer from Bob ← Bob is at work",
    );
    tell({ type: "message.post", from: "bob", to: "alice", text: "The blue one." }, "bob");
    expect(canRun(thinker("alice"))).toBe(true);
    turn("alice", "look");
    expect(state.nodes.get(id)).toMatchObject({ status: "running", worker: "alice" });
  });

  test("of one whose colleague has read it and rests is no waiting: it is woken and told, and then its node fails", () => {
    const { turn, thinker, state, all, id } = asking();
    turn("alice");
    turn("bob"); // it has nothing to say
    expect(all("worker.unparked").map(({ data }) => data.worker)).toEqual(["alice"]);
    expect(thinker("alice").unread.at(-1)?.text).toContain("nobody is about to answer it");
    turn("alice");
    expect(all("worker.nudged")).toHaveLength(2);
    turn("alice");
    expect(state.nodes.get(id)).toMatchObject({ status: "failed", reason: { code: "limit.progress" } });
  });

  test("of one that waits for an answer is not endless: its time is that of its node", () => {
    const { turn, thinker, state, id } = asking();
    turn("alice");
    const { wait } = thinker("alice");
    const seconds = state.nodes.get(id)!.timeout_seconds;
    expect(wait).toMatchObject({ deadline: new Date(t0 + seconds * 1000).toISOString() });
    expect(appointments(state)).toMatchObject([{ command: { type: "worker.unpark", worker: "alice" } }]);
  });

  test("of one that wrote to the human leads to the human", () => {
    const world = start();
    world.turn("coordinator");
    const id = world.node({ worker: "alice" });
    world.tell({ type: "message.post", from: "alice", to: "human", text: "Which one?" }, "alice");
    world.turn("alice");
    world.turn("alice");
    expect(world.thinker("alice").wait).toMatchObject({ for: "mail", from: ["human"] });
    expect(why(world.state, id, { limits: defaultLimits })).toMatchObject([{ code: "mail", next_mover: "human" }]);
  });

  test("of one that gave work to others, or asked the human, waits for that", () => {
    const given = start();
    given.turn("coordinator");
    const [id, part] = [given.node({ worker: "alice" }), given.node({ worker: "bob" }, "alice")];
    given.turn("alice");
    given.turn("alice");
    expect(given.thinker("alice").wait).toMatchObject({ for: "nodes", nodes: [part] });
    expect(given.state.nodes.get(id)?.status).toBe("waiting");
    const asks = start();
    asks.turn("coordinator");
    asks.node({ worker: "alice" });
    asks.tell({ type: "question.ask", by: "alice", text: "Which?" }, "alice");
    asks.turn("alice");
    asks.turn("alice");
    expect(asks.thinker("alice").wait).toEqual({ for: "question", question: "q1" });
  });

  test("is forgotten once the worker acts again, and with the next node", () => {
    const { node, turn, thinker, state } = start();
    const id = node({ worker: "alice" });
    turn("alice");
    turn("alice", "look");
    expect(thinker("alice").stall.nudges).toBe(0);
    turn("alice");
    expect(state.nodes.get(id)?.status).toBe("running");
    turn("alice");
    expect(state.nodes.get(id)?.status).toBe("failed");
    node({ worker: "alice" });
    expect(thinker("alice").stall.nudges).toBe(0);
  });

  test("is no silence while the agent is paused", () => {
    const { node, answer, tell, all } = start();
    node({ worker: "alice" });
    const of = answer("alice");
    tell({ type: "agent.pause" });
    tell({ type: "turn.end", ...of }, "alice");
    expect(all("worker.nudged")).toEqual([]);
    tell({ type: "agent.resume" });
    expect(all("worker.nudged")).toHaveLength(1);
  });

  test("also before its first turn, if someone else handled its mail", () => {
    const { node, tell, state, thinker } = start();
    const id = node({ worker: "alice" });
    tell({ type: "inbox.ack", participant: "alice", upto: state.seq });
    expect(thinker("alice").unread.map((entry) => entry.kind)).toEqual(["nudge"]);
    expect(state.nodes.get(id)?.status).toBe("assigned");
  });
});

test("silence after a wait is silence, if someone else handled the mail that ended it", () => {
  const { node, turn, tell, state, thinker } = start();
  const id = node({ worker: "alice" });
  turn("alice", "wait", { wait: { for: "mail" } });
  tell({ type: "message.post", to: "alice", text: "hi" });
  tell({ type: "inbox.ack", participant: "alice", upto: state.seq });
  expect(thinker("alice").unread.map((entry) => entry.kind)).toEqual(["nudge"]);
  expect(state.nodes.get(id)?.status).toBe("waiting");
});

describe("going on alone", () => {
  test("is limited for the coordinator: it asks the human and is parked; the answer gives as many turns again", () => {
    const { turn, state, tell, thinker, all } = start({ turns_alone: 2 });
    for (let n = 0; n < 2; n++) turn("coordinator", "look");
    tell({ type: "message.post", from: "bob", to: "coordinator", text: "only the human counts" }, "bob");
    expect(all("question.asked")).toEqual([]);
    turn("coordinator", "look");
    expect(all("question.asked").map(({ data }) => data)).toEqual([
      {
        question: "q1",
        by: "coordinator",
        text: "I took 2 turns since your last word and the goal is not reached. Shall I go on, and with what first?",
        limit: "limit.turns",
      },
    ]);
    expect(thinker("coordinator")).toMatchObject({ wait: { for: "question", question: "q1" }, next: "rest" });
    expect(agentStatus(state)).toBe("waiting_for_human");
    tell({ type: "message.post", from: "bob", to: "coordinator", text: "and still" }, "bob");
    expect(canRun(thinker("coordinator"))).toBe(false);
    tell({ type: "question.answer", answer: "go on" });
    for (let n = 0; n < 3; n++) turn("coordinator", "look");
    expect(all("question.asked")).toHaveLength(2);
  });

  test("a word of the human instead of the answer lets it go on, too", () => {
    const { turn, tell, all, thinker } = start({ turns_alone: 1 });
    for (let n = 0; n < 2; n++) turn("coordinator", "look");
    tell({ type: "message.post", text: "stop looking" });
    expect(canRun(thinker("coordinator"))).toBe(true);
    turn("coordinator");
    expect(all("question.asked")).toHaveLength(1);
    expect(all("question.answered").map(({ data }) => data.answer)).toEqual(["stop looking"]);
  });

  test("in an endless mode what was to wake it counts like a word of the human", () => {
    const world = start({ turns_alone: 1 });
    world.state.agent = { ...world.state.agent!, mode: "infinite" };
    world.turn("coordinator");
    world.tell({
      type: "trigger.create",
      schedule: { type: "scheduled", cron: "* * * * *" },
      action: { type: "wake_agent", text: "cycle" },
    });
    for (let cycle = 0; cycle < 5; cycle++) {
      world.now += 60_000;
      world.tick();
      world.turn("coordinator");
    }
    expect(world.all("question.asked")).toEqual([]);
  });

  test("is limited for a worker: the agent is paused and the human asked to look; resuming gives as many turns again", () => {
    const { turn, state, tell } = start({ turns_alone: 2 });
    tell({ type: "message.post", to: "alice", text: "hi" });
    for (let n = 0; n < 3; n++) {
      expect(state.agent?.status).toBe("active");
      turn("alice", "look");
    }
    expect(state.agent).toMatchObject({
      status: "paused",
      reason: {
        code: "limit.turns",
        message: "Alice took 2 turns without a new message",
        next_mover: "human",
      },
    });
    tell({ type: "agent.resume" });
    expect(state.agent?.status).toBe("active");
    turn("alice", "look");
    turn("alice", "look");
    expect(state.agent?.status).toBe("paused");
  });

  test("starts anew with mail", () => {
    const { turn, state, tell, thinker } = start({ turns_alone: 2 });
    turn("coordinator", "look");
    turn("coordinator", "look");
    tell({ type: "message.post", text: "hi" });
    turn("coordinator", "look");
    expect(thinker("coordinator").stall.alone).toBe(0);
    expect(state.agent?.status).toBe("active");
  });

  test("who rests or is retired stops nobody", () => {
    const { turn, tell, state } = start({ turns_alone: 1 });
    turn("coordinator", "look");
    turn("coordinator");
    expect(state.agent?.status).toBe("active");
    tell({ type: "message.post", to: "alice", text: "hi" });
    turn("alice", "look");
    tell({ type: "agent.pause" });
    tell({ type: "worker.retire", worker: "alice" });
    tell({ type: "agent.resume" });
    expect(state.agent?.status).toBe("active");
  });
});

test("a worker is busy with a node or a turn, and idle otherwise", () => {
  const { node, begin, thinker, tell } = start();
  expect(workerStatus(thinker("alice"))).toBe("idle");
  node({ worker: "alice" });
  expect(workerStatus(thinker("alice"))).toBe("busy");
  tell({ type: "message.post", to: "bob", text: "hi" });
  expect(workerStatus(thinker("bob"))).toBe("idle");
  begin("bob");
  expect(workerStatus(thinker("bob"))).toBe("busy");
});

test("events about people who are not there, or about the human, change nobody", () => {
  const { append, state } = start();
  const before = JSON.stringify([...state.participants]);
  append({ type: "worker.retired", data: { worker: "carol", reason: "x" } });
  append({ type: "worker.retired", data: { worker: "human", reason: "x" } });
  append({ type: "worker.nudged", data: { worker: "carol", node: "n1" } });
  append({ type: "node.assigned", data: { node: "n1", worker: "human" } });
  expect(JSON.stringify([...state.participants].map(([id, one]) => [id, { ...one, unread: [] }]))).toBe(
    JSON.stringify(JSON.parse(before).map(([id, one]: [string, object]) => [id, { ...one, unread: [] }])),
  );
});
