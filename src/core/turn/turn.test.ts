import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { start } from "../core.test-help.ts";
import { callKey } from "./call-key.ts";
import { begin, failed, nothing, of, price } from "./turn.test-help.ts";

describe("starting a turn", () => {
  test("takes what is unread into the conversation and reserves the price", () => {
    const { tell, thinker, state } = start();
    tell({ type: "message.post", text: "hello" });
    expect(tell(begin("coordinator", price), "coordinator").map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: "turn.started",
        data: { turn: "coordinator.1", participant: "coordinator", upto: 5, reserved: price },
      },
    ]);
    const one = thinker("coordinator");
    expect(one.turn).toEqual({
      status: "calling",
      id: "coordinator.1",
      upto: 5,
      reserved: price,
      reserved_at: "2026-01-01T00:00:00.000Z",
      resumed: 0,
      retried: 0,
      orderly: false,
    });
    expect(one).toMatchObject({ turns: 1, stall: { alone: 0 }, next: "rest", read: 0 });
    expect(one.conversation).toEqual([{ role: "inbox", entries: one.unread }]);
    expect(one.unread.map((entry) => entry.text)).toEqual(["Know chips", "hello"]);
    for (const account of ["agent", "run", "day:2026-01-01", "worker:coordinator"])
      expect(state.accounts.get(account)).toMatchObject({ spent: nothing, reserved: price });
  });

  test("says why it is not possible", () => {
    const { tell, turn, refused } = start();
    expect(refused(begin("alice"))).toBe(
      "wrong_state: Alice has nothing to do: no unread messages and no work in progress",
    );
    expect(refused(begin("human"))).toBe("invalid: the human takes no turns");
    expect(refused(begin("carol"))).toMatch(
      /^not_found: there is no participant "carol"; participants: Human, Coordinator/,
    );
    tell(begin("coordinator"));
    expect(refused(begin("coordinator"))).toBe("wrong_state: Coordinator is already in turn coordinator.1");
    tell({ type: "message.post", to: "alice", text: "hi" });
    turn("alice", "wait", { wait: { for: "nodes", nodes: ["n9"] } });
    tell({ type: "question.ask", by: "alice", text: "?" }, "alice");
    turn("alice", "wait", { wait: { for: "question", question: "q1" } });
    tell({ type: "message.post", from: "bob", to: "alice", text: "hi" }, "bob");
    expect(refused(begin("alice"))).toBe(
      "wrong_state: Alice waits for question q1; a message from the human would wake it",
    );
    tell({ type: "agent.stop" });
    expect(refused(begin("alice"))).toBe("wrong_state: chips is stopped; this command needs it to be active");
  });

  test.each([
    [{ usd: -1, tokens: 0 }, /^invalid: turn.start: reserve.usd: /],
    [{ usd: Number.NaN, tokens: 0 }, /^invalid: turn.start: reserve.usd: /],
    [{ usd: Number.POSITIVE_INFINITY, tokens: 0 }, /^invalid: turn.start: reserve.usd: /],
    [{ usd: 1 }, /^invalid: turn.start: reserve.tokens: /],
  ])("refuses the price %j", (reserve, said) => {
    expect(start().refused({ type: "turn.start", participant: "coordinator", reserve })).toMatch(said);
  });

  test("is refused if any budget above it has no room", () => {
    const { tell, refused } = start();
    tell({ type: "budget.set", scope: { of: "run" }, limit: { tokens: 99 } });
    expect(refused(begin("coordinator", price))).toBe(
      "budget_exhausted: the budget of run allows 99 tokens; 0 are spent, 0 reserved, and this call may need 100",
    );
  });
});

describe("an answer", () => {
  test("replaces the reservation by its cost and opens its tool calls", () => {
    const { tell, thinker, state } = start();
    tell(begin("coordinator", price));
    const calls = [
      { id: "a", tool: "look", input: { x: 1 } },
      { id: "b", tool: "look", input: null },
    ];
    tell({ type: "turn.answer", ...of, text: "let me see", calls, cost: { usd: 0.1, tokens: 7 } });
    expect(thinker("coordinator").turn).toMatchObject({
      status: "acting",
      reserved: nothing,
      final: false,
      calls: calls.map((call) => ({ ...call, status: "asked" })),
    });
    expect(thinker("coordinator").conversation.at(-1)).toEqual({
      role: "assistant",
      turn: "coordinator.1",
      text: "let me see",
      calls,
    });
    for (const account of ["agent", "run", "day:2026-01-01", "worker:coordinator"])
      expect(state.accounts.get(account)).toMatchObject({ spent: { usd: 0.1, tokens: 7 }, reserved: nothing });
  });

  test("has distinct call ids, comes once, and only in its turn", () => {
    const { tell, refused } = start();
    const answer = (more = {}): CommandInput => ({
      type: "turn.answer",
      ...of,
      text: "",
      calls: [],
      cost: nothing,
      ...more,
    });
    expect(refused(answer())).toBe("stale: Coordinator is not in a turn; coordinator.1 is over");
    tell(begin("coordinator"));
    const call = { id: "a", tool: "look", input: {} };
    expect(refused(answer({ calls: [call, call] }))).toBe("invalid: coordinator.1: two tool calls have the same id");
    expect(refused(answer({ turn: "coordinator.9" }))).toBe(
      "stale: Coordinator is in turn coordinator.1; coordinator.9 is over",
    );
    expect(refused(answer({ participant: "human" }))).toBe("invalid: the human takes no turns");
    tell(answer());
    expect(refused(answer())).toBe("wrong_state: coordinator.1 is acting; this command needs it to be calling");
  });
});

describe("a tool call", () => {
  function asked() {
    const world = start();
    world.answer("coordinator", ["look", "write"]);
    return world;
  }
  const step = (call: string): CommandInput => ({ type: "tool.start", ...of, call });
  const end = (call: string, more = {}): CommandInput => ({
    type: "tool.end",
    ...of,
    call,
    outcome: "ok",
    result: "r",
    ...more,
  });

  test("is asked, started, ended; its key names it for ever", () => {
    const { tell, thinker, state } = asked();
    const [started] = tell(step("c1"), "coordinator");
    expect(started?.data).toEqual({ ...of, call: "c1", tool: "look", key: "chips/r1/coordinator.1/c1" });
    expect(callKey(state, "coordinator.1", "c1")).toBe("chips/r1/coordinator.1/c1");
    expect(thinker("coordinator").turn).toMatchObject({ calls: [{ status: "started" }, { status: "asked" }] });
    tell(end("c1", { outcome: "error" }), "coordinator");
    expect(thinker("coordinator").turn).toMatchObject({
      calls: [{ id: "c1", tool: "look", input: {}, status: "ended", outcome: "error" }, { status: "asked" }],
    });
    expect(thinker("coordinator").conversation.at(-1)).toEqual({
      role: "tool",
      turn: "coordinator.1",
      call: "c1",
      tool: "look",
      outcome: "error",
      result: "r",
    });
  });

  test("is started once and has one result", () => {
    const { tell, refused } = asked();
    tell(step("c1"));
    expect(refused(step("c1"))).toBe("wrong_state: tool call c1 of coordinator.1 is already started");
    tell(end("c1"));
    expect(refused(step("c1"))).toBe("wrong_state: tool call c1 of coordinator.1 is already ended");
    expect(refused(end("c1"))).toBe("wrong_state: tool call c1 of coordinator.1 already has a result");
    tell(end("c2", { outcome: "denied" }));
  });

  test("that nobody asked for is named", () => {
    const { refused } = asked();
    expect(refused(step("c9"))).toBe("not_found: coordinator.1 has no tool call c9");
    expect(refused(end("__proto__"))).toBe("not_found: coordinator.1 has no tool call __proto__");
    const calling = start();
    calling.begin("coordinator");
    expect(calling.refused(step("c1"))).toBe(
      "wrong_state: coordinator.1 is calling; this command needs it to be acting",
    );
    expect(calling.refused(end("c1"))).toBe(
      "wrong_state: coordinator.1 is calling; this command needs it to be acting",
    );
  });

  test("a second result in the log is not shown to the model twice", () => {
    const { tell, append, thinker } = asked();
    tell(end("c1"));
    const lines = thinker("coordinator").conversation.length;
    const result = { ...of, tool: "look", outcome: "ok", result: "again", final: true } as const;
    append({ type: "tool.ended", data: { ...result, call: "c1" } });
    append({ type: "tool.ended", data: { ...result, call: "c9" } });
    append({ type: "tool.started", data: { ...of, call: "c1", tool: "look", key: "k" } });
    expect(thinker("coordinator").conversation).toHaveLength(lines);
    expect(thinker("coordinator").turn).toMatchObject({ final: false, calls: [{ status: "ended" }, {}] });
  });
});

describe("the end of a turn", () => {
  test("handles the mail that was there when it began, and no later mail", () => {
    const { tell, answer, thinker } = start();
    const mine = answer("coordinator");
    tell({ type: "message.post", text: "later" });
    expect(thinker("coordinator").read).toBe(0);
    tell({ type: "turn.end", ...mine });
    expect(thinker("coordinator")).toMatchObject({ read: 2, turn: undefined });
    expect(thinker("coordinator").unread.map((entry) => entry.text)).toEqual(["later"]);
  });

  test("needs a result for every call", () => {
    const { tell, answer, refused } = start();
    const mine = answer("coordinator", ["look", "look"]);
    expect(refused({ type: "turn.end", ...mine })).toBe("wrong_state: coordinator.1 still has open tool calls: c1, c2");
    tell({ type: "tool.start", ...mine, call: "c2" });
    tell({ type: "tool.end", ...mine, call: "c1", outcome: "ok", result: "r" });
    expect(refused({ type: "turn.end", ...mine })).toBe("wrong_state: coordinator.1 still has open tool calls: c2");
    const calling = start();
    calling.begin("coordinator");
    expect(calling.refused({ type: "turn.end", ...of })).toBe(
      "wrong_state: coordinator.1 is calling; this command needs it to be acting",
    );
  });

  test.each([
    ["rests after words only", [], {}, "rest"],
    ["goes on after tools", ["look"], {}, "continue"],
    ["rests after a final tool", ["look"], { final: true }, "rest"],
    ["rests when a tool parked it", ["look"], { wait: { for: "mail" } as const }, "rest"],
  ])("%s", (_what, tools, more, next) => {
    const { tell, answer, thinker } = start();
    const mine = answer("coordinator", tools);
    if (tools.length) tell({ type: "tool.end", ...mine, call: "c1", outcome: "ok", result: "r", ...more });
    tell({ type: "turn.end", ...mine });
    expect(thinker("coordinator").next).toBe(next);
  });

  test("keeps the latest wait of its tools, and is final if any of them is", () => {
    const { tell, answer, thinker, all } = start();
    const mine = answer("coordinator", ["a", "b", "c"]);
    tell({ type: "question.ask", by: "coordinator", text: "?" }, "coordinator");
    const wait = { for: "question", question: "q1" } as const;
    const end = (call: string, more: object) =>
      tell({ type: "tool.end", ...mine, call, outcome: "ok", result: "r", ...more });
    end("c1", { wait: { for: "mail" }, final: true });
    end("c2", { wait });
    end("c3", {});
    expect(thinker("coordinator").turn).toMatchObject({ wait, final: true });
    tell({ type: "turn.end", ...mine });
    expect(all("turn.ended")[0]?.data).toEqual({ ...mine, next: "rest", wait });
    expect(thinker("coordinator").wait).toEqual(wait);
  });
});

describe("a call that a program makes by itself", () => {
  const program = () => {
    const world = start();
    world.tell({ type: "worker.spawn", name: "Prog", kind: "autonomous", agent_command: "x" }, "coordinator");
    world.node({ worker: "prog" });
    const of = world.begin("prog");
    const call = (input: unknown = {}) => world.tell({ type: "tool.call", ...of, tool: "look", input }, "prog");
    const end = (id: string) =>
      ({ type: "tool.end", ...of, call: id, outcome: "ok", result: "r", effect: "reads" }) as const;
    return { ...world, of, call, end };
  };

  test("is in the log with its input and a key of its own, has one result, and is not part of what was said", () => {
    const { call, end, tell, refused, all, thinker } = program();
    call({ n: 1 });
    call({ n: 2 });
    expect(all("tool.called").map(({ data }) => [data.call, data.input, data.key])).toEqual([
      ["own1", { n: 1 }, "chips/r1/prog.1/own1"],
      ["own2", { n: 2 }, "chips/r1/prog.1/own2"],
    ]);
    tell(end("own1"), "prog");
    expect(refused(end("own1"))).toBe("not_found: prog.1 has no tool call own1");
    expect(thinker("prog").conversation.filter(({ role }) => role === "tool")).toEqual([]);
    call();
    expect(all("tool.called").at(-1)!.data.call).toBe("own3");
  });

  test("counts when it is made again and again", () => {
    const { call, end, tell, all } = program();
    for (let nth = 1; nth <= 3; nth++) {
      call();
      tell(end(`own${nth}`), "prog");
    }
    expect(all("tool.ended").map(({ data }) => data.nudge !== undefined)).toEqual([false, false, true]);
  });

  test("has the key of the same call before a crash, once: the program may not have seen its result", () => {
    const { call, end, tell, all, of } = program();
    call({ n: 1 });
    tell({ ...end("own1"), effect: "state" }, "prog");
    call({ n: 2 });
    call({ n: 3 });
    tell(end("own3"), "prog");
    const keys = () => all("tool.called").map(({ data }) => [data.key.split("/").at(-1), data.again]);
    const before = keys().length;
    tell({ type: "turn.resume", ...of }, "prog");
    for (const n of [2, 1, 1, 3]) call({ n });
    expect(keys().slice(before)).toEqual([
      ["own2", "own2"],
      ["own1", "own1"],
      ["own6", undefined],
      ["own7", undefined],
    ]);
    // Killed again: what was called again still stands for the first one.
    tell({ type: "turn.resume", ...of }, "prog");
    call({ n: 2 });
    expect(keys().at(-1)).toEqual(["own2", "own2"]);
  });

  test("is refused to whoever is no program, after the answer, and beyond eight at once", () => {
    const { call, tell, refused, of, begin } = program();
    const other = begin("coordinator");
    expect(refused({ type: "tool.call", ...other, tool: "look", input: {} })).toBe(
      "wrong_state: Coordinator is not a program; it calls tools in its answers",
    );
    for (let nth = 0; nth < 8; nth++) call();
    expect(refused({ type: "tool.call", ...of, tool: "look", input: {} })).toBe(
      "limit_reached: Prog has 8 tool calls in progress; wait for one to end",
    );
    tell({ type: "turn.resume", ...of }, "prog");
    call();
    tell({ type: "turn.answer", ...of, text: "", calls: [], cost: { usd: 0, tokens: 0 } }, "prog");
    expect(refused({ type: "tool.call", ...of, tool: "look", input: {} })).toBe(
      "wrong_state: prog.1 is acting; this command needs it to be calling",
    );
    tell({ type: "turn.end", ...of }, "prog");
  });
});

describe("steps of another turn than the one under way", () => {
  test("change nothing when they are found in a log", () => {
    const { begin, append, thinker, state } = start();
    begin("coordinator", price);
    const before = JSON.stringify([thinker("coordinator"), [...state.accounts]]);
    const other = { turn: "coordinator.9", participant: "coordinator" };
    append({ type: "turn.answered", data: { ...other, text: "", calls: [], cost: price } });
    append({ type: "turn.resumed", data: { ...other, lost: price } });
    append({
      type: "turn.retried",
      data: { ...other, error: "", not_before: "2026-01-01T00:00:00.000Z", lost: price },
    });
    append({ type: "turn.ended", data: { ...other, next: "continue" } });
    append({ type: "turn.failed", data: { ...other, reason: failed("x"), lost: price } });
    append({ type: "turn.ended", data: { turn: "human.1", participant: "human", next: "rest" } });
    append({ type: "turn.ended", data: { turn: "carol.1", participant: "carol", next: "rest" } });
    expect(JSON.stringify([thinker("coordinator"), [...state.accounts]])).toBe(before);
  });

  test("nor do an answer or a retry of a turn that was answered", () => {
    const { answer, append, thinker, state } = start();
    answer("coordinator", ["look"], price);
    const before = JSON.stringify([thinker("coordinator"), [...state.accounts]]);
    append({ type: "turn.answered", data: { ...of, text: "again", calls: [], cost: price } });
    append({ type: "turn.retried", data: { ...of, error: "", not_before: "2026-01-01T00:00:00.000Z", lost: price } });
    expect(JSON.stringify([thinker("coordinator"), [...state.accounts]])).toBe(before);
  });
});

test("a long conversation is cut at its old end in whole exchanges", () => {
  const { tell, turn, thinker } = start({ turns_alone: 1_000 });
  for (let n = 0; n < 500; n++) {
    tell({ type: "message.post", text: `message ${n}` });
    turn("coordinator", "look");
  }
  const { conversation } = thinker("coordinator");
  expect(conversation.length).toBeGreaterThanOrEqual(400);
  expect(conversation.length).toBeLessThan(800);
  expect(conversation[0]?.role).toBe("inbox");
  expect(conversation.at(-3)).toMatchObject({ role: "inbox", entries: [{ text: "message 499" }] });
});
