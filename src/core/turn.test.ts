import { describe, expect, test } from "vitest";
import type { CommandInput } from "../schema/command.ts";
import { start } from "./core.test-help.ts";
import { callKey } from "./tool-call.ts";
import { canRun } from "./worker.ts";

const nothing = { usd: 0, tokens: 0 };
const price = { usd: 0.5, tokens: 100 };
const begin = (participant: string, reserve = nothing): CommandInput => ({ type: "turn.start", participant, reserve });
const of = { turn: "coordinator.1", participant: "coordinator" };
const failed = (code: string) => ({ code, message: "it broke", next_mover: "human" });

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

describe("a turn that a crash interrupted", () => {
  test("goes on, and the call that may have been made is paid for", () => {
    const { tell, begin, thinker, state } = start();
    begin("coordinator", price);
    const [resumed] = tell({ type: "turn.resume", ...of }, "coordinator");
    expect(resumed?.data).toEqual({ ...of, lost: price });
    expect(thinker("coordinator").turn).toMatchObject({ status: "calling", resumed: 1, reserved: price });
    expect(state.accounts.get("agent")).toMatchObject({ spent: price, reserved: price });
  });

  test("by an orderly end of the process is not counted as interrupted", () => {
    const { tell, begin, thinker, all } = start({ resumes: 1 });
    begin("coordinator");
    for (let n = 0; n < 3; n++) {
      tell({ type: "log.close" }, "system");
      expect(thinker("coordinator").turn?.orderly).toBe(true);
      tell({ type: "turn.resume", ...of });
      expect(thinker("coordinator").turn).toMatchObject({ orderly: false, resumed: 0 });
    }
    tell({ type: "turn.resume", ...of });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 1 });
    expect(all("turn.resumed")).toHaveLength(4);
  });

  test("is not paid for twice once it was answered", () => {
    const { tell, answer, state, thinker } = start();
    answer("coordinator", ["look"], price);
    const [resumed] = tell({ type: "turn.resume", ...of });
    expect(resumed?.data).toEqual({ ...of, lost: nothing });
    expect(state.accounts.get("agent")).toMatchObject({ spent: price, reserved: nothing });
    expect(thinker("coordinator").turn).toMatchObject({ status: "acting", resumed: 1 });
  });

  test("and gets on with a call is not what kills the process: its interruptions are counted anew", () => {
    const { tell, thinker } = start();
    tell(begin("coordinator"));
    const calls = [{ id: "c1", tool: "write_file", input: {} }];
    tell({ type: "turn.answer", ...of, text: "", calls, cost: nothing });
    tell({ type: "turn.resume", ...of });
    tell({ type: "tool.start", ...of, call: "c1" });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 0 });
    tell({ type: "turn.resume", ...of });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 1 });
    tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "" });
    expect(thinker("coordinator").turn).toMatchObject({ resumed: 0 });
  });

  test("too often pauses its agent", () => {
    const { tell, begin, state, thinker, all } = start({ resumes: 2 });
    begin("coordinator", price);
    tell({ type: "turn.resume", ...of });
    tell({ type: "turn.resume", ...of });
    tell({ type: "turn.resume", ...of });
    expect(all("turn.resumed")).toHaveLength(2);
    const reason = { code: "recovery", message: "coordinator.1 was interrupted 2 times", next_mover: "human" };
    expect(state.agent).toMatchObject({ status: "paused", reason });
    expect(thinker("coordinator").turn).toBeUndefined();
    expect(state.accounts.get("agent")).toMatchObject({ spent: { usd: 1.5, tokens: 300 }, reserved: nothing });
  });

  test("without room for the same call once more begins anew, with what there is", () => {
    const { tell, begin, state, thinker, all } = start();
    tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: 0.9 } });
    begin("coordinator", price);
    tell({ type: "turn.resume", ...of });
    expect(all("turn.failed").at(-1)?.data.reason).toMatchObject({ code: "interrupted", next_mover: "nobody" });
    expect(thinker("coordinator")).toMatchObject({ turn: undefined, next: "continue" });
    expect(state.agent).toMatchObject({ status: "active" });
    expect(state.accounts.get("agent")).toMatchObject({ spent: price, reserved: nothing });
  });

  test("is charged what is known of its call: what was sent, and what had been heard", () => {
    const world = start();
    const known = { usd: 0.1, tokens: 20 };
    const start1 = { type: "turn.start", participant: "coordinator", reserve: price, known } as const;
    world.tell(start1, "coordinator");
    world.tell({ type: "turn.resume", ...of });
    expect(world.state.accounts.get("agent")).toMatchObject({ spent: known, reserved: price });
    world.tell({ type: "turn.hear", ...of, known: { usd: 0.3, tokens: 60 } });
    world.tell({ type: "turn.resume", ...of });
    expect(world.state.accounts.get("agent")).toMatchObject({ spent: { usd: 0.4, tokens: 80 }, reserved: price });
    world.tell({ type: "turn.retry", ...of, error: "503", not_before: "2026-01-01T00:00:05.000Z" });
    world.tell({ type: "turn.resume", ...of });
    expect(world.state.accounts.get("agent")?.spent, "nothing was sent before the retry").toMatchObject({ usd: 0.4 });
    world.now += 5_000;
    world.tell({ type: "turn.hear", ...of, known: { usd: 9, tokens: 9_000 } });
    world.tell({ type: "agent.stop" });
    expect(world.state.accounts.get("agent"), "never more than was reserved").toMatchObject({
      spent: { usd: 0.9, tokens: 180 },
      reserved: nothing,
    });
  });

  test("is booked on the day of its reservation, and has room there", () => {
    const world = start();
    world.tell({ type: "budget.set", scope: { of: "day" }, limit: { usd: 0.9 } });
    world.begin("coordinator", price);
    world.now += 86_400_000;
    world.tell({ type: "turn.resume", ...of });
    expect(world.thinker("coordinator").turn).toBeUndefined();
    const day = world.state.accounts.get("day:2026-01-01");
    expect(day).toMatchObject({ spent: price, reserved: nothing });
  });

  test("that is over is not resumed", () => {
    expect(start().refused({ type: "turn.resume", ...of })).toBe(
      "stale: Coordinator is not in a turn; coordinator.1 is over",
    );
  });
});

describe("a budget of a worker or its node that has no room for a lost call and another", () => {
  test.each([
    ["retry", { type: "turn.retry", error: "503", not_before: "2026-01-01T00:00:05.000Z", lost: price }],
    ["crash", { type: "turn.resume" }],
  ] as const)("lets its turn begin anew, after a %s", (_what, step) => {
    for (const scope of [
      { of: "worker", worker: "alice" },
      { of: "node", node: "n1-do-it" },
    ] as const) {
      const world = start();
      const id = world.node({ worker: "alice" });
      world.tell({ type: "budget.set", scope, limit: { usd: 0.6 } });
      const of = world.begin("alice", price);
      world.tell({ ...step, ...of } as CommandInput, "alice");
      expect(world.state.nodes.get(id)).toMatchObject({ status: "running" });
      expect(world.state.agent?.status).toBe("active");
      expect(world.thinker("alice")).toMatchObject({ turn: undefined, node: id, next: "continue" });
      expect(world.refused({ type: "turn.start", participant: "alice", reserve: price }, "alice")).toMatch(
        /^budget_exhausted: the budget of (worker|node):/,
      );
    }
  });
});

describe("a retry", () => {
  const retry = (more = {}): CommandInput => ({
    type: "turn.retry",
    ...of,
    error: "503",
    not_before: "2026-01-01T00:00:05.000Z",
    ...more,
  });

  test("keeps the reservation, books what was lost and says not before when", () => {
    const { tell, begin, thinker, state } = start();
    begin("coordinator", price);
    tell(retry());
    expect(thinker("coordinator").turn).toMatchObject({
      status: "calling",
      retried: 1,
      retry: { at: "2026-01-01T00:00:00.000Z", not_before: "2026-01-01T00:00:05.000Z" },
    });
    tell(retry({ lost: { usd: 0.1, tokens: 1 } }));
    expect(thinker("coordinator").turn?.retried).toBe(2);
    expect(state.accounts.get("run")).toMatchObject({ spent: { usd: 0.1, tokens: 1 }, reserved: price });
  });

  test("that loses more than there is lets the turn begin anew", () => {
    const { tell, begin, state, all } = start();
    tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 0.6 } });
    begin("coordinator", price);
    tell(retry({ lost: { usd: 0.2, tokens: 0 } }));
    expect(all("turn.failed").at(-1)?.data.reason).toMatchObject({
      code: "interrupted",
      message:
        "it starts over: the budget of run allows 0.6 usd; 0 are spent, 0.5 reserved, and this call may need 0.2",
    });
    expect(state.accounts.get("run")).toMatchObject({ spent: { usd: 0.2, tokens: 0 }, reserved: nothing });
  });

  test("is for a call, not for an answer", () => {
    const { answer, refused } = start();
    answer("coordinator", ["look"]);
    expect(refused(retry())).toBe("wrong_state: coordinator.1 is acting; this command needs it to be calling");
  });
});

describe("a failed turn", () => {
  const fail = (code: string, turn = of): CommandInput => ({ type: "turn.fail", ...turn, reason: failed(code) });

  test("of the coordinator pauses the agent, costs nothing, and its mail is shown anew", () => {
    const { tell, begin, state, thinker } = start();
    begin("coordinator", price);
    tell(fail("backend"));
    expect(state.agent).toMatchObject({ status: "paused", reason: failed("backend") });
    expect(state.accounts.get("agent")).toMatchObject({ spent: nothing, reserved: nothing });
    expect(thinker("coordinator")).toMatchObject({ turn: undefined, conversation: [], read: 0 });
    tell({ type: "agent.resume" });
    begin("coordinator");
    expect(thinker("coordinator").conversation).toHaveLength(1);
  });

  test("of a worker fails its node, handles its mail and tells the coordinator", () => {
    const { tell, node, begin, state, thinker } = start();
    const id = node({ worker: "alice" });
    tell(fail("backend", begin("alice")));
    expect(state.agent?.status).toBe("active");
    expect(state.nodes.get(id)).toMatchObject({
      status: "failed",
      reason: { ...failed("backend"), next_mover: "coordinator" },
    });
    expect(thinker("alice")).toMatchObject({ unread: [], next: "rest", node: undefined });
    expect(thinker("coordinator").unread.at(-1)?.text).toBe(
      `${id} failed: it broke\nWhat was tried: nodes/${id}/failure_notes.md`,
    );
  });

  test.each(["recovery", "budget", "provider"])("of a worker by %s concerns everyone: the agent is paused", (code) => {
    const { tell, node, begin, state, thinker } = start();
    const id = node({ worker: "alice" });
    tell(fail(code, begin("alice")));
    expect(state.agent).toMatchObject({ status: "paused", reason: failed(code) });
    expect(state.nodes.get(id)?.status).toBe("running");
    expect(thinker("alice").unread).toHaveLength(1);
  });

  test("that was interrupted on purpose neither pauses nor fails anything", () => {
    const { tell, node, begin, state } = start();
    const id = node({ worker: "alice" });
    tell(fail("interrupted", begin("alice")));
    expect(state.agent?.status).toBe("active");
    expect(state.nodes.get(id)?.status).toBe("running");
  });

  test("fails only the node it was for", () => {
    const world = start();
    world.tell({ type: "message.post", to: "alice", text: "hi" });
    const mine = world.begin("alice");
    world.tell({ type: "agent.pause" });
    const id = world.node();
    world.tell({ type: "node.assign", node: id, worker: "alice" });
    world.tell({ type: "agent.resume" });
    world.tell(fail("backend", mine));
    expect(world.state.nodes.get(id)?.status).toBe("assigned");
    expect(canRun(world.thinker("alice"))).toBe(true);
  });

  test("gives each open tool call a result: unknown if it was started", () => {
    const { tell, answer, thinker } = start();
    const mine = answer("coordinator", ["a", "b", "c"]);
    tell({ type: "tool.end", ...mine, call: "c1", outcome: "ok", result: "r" });
    tell({ type: "tool.start", ...mine, call: "c2" });
    tell(fail("fault"));
    expect(thinker("coordinator").conversation.slice(-2)).toEqual([
      { role: "tool", turn: mine.turn, call: "c2", tool: "b", outcome: "unknown", result: "Not finished: it broke" },
      { role: "tool", turn: mine.turn, call: "c3", tool: "c", outcome: "error", result: "Not finished: it broke" },
    ]);
    expect(thinker("coordinator")).toMatchObject({ read: 2, unread: [] });
  });

  test.each([
    ["stopped while it called", "calling", "agent.stop", undefined],
    ["refused by the provider", "calling", undefined, "provider"],
    ["stopped while it acted", "acting", "agent.stop", "interrupted"],
    ["broken while it acted", "acting", undefined, "fault"],
  ] as const)("of the coordinator, %s, goes on once the agent is resumed", (_what, status, type, code) => {
    const { tell, turn, begin, answer, thinker } = start();
    turn("coordinator", "look");
    const mine = status === "calling" ? begin("coordinator") : answer("coordinator", ["look"]);
    if (type) tell({ type });
    if (code) tell(fail(code, mine));
    expect(thinker("coordinator").turn).toBeUndefined();
    tell({ type: "agent.resume" });
    expect(canRun(thinker("coordinator"))).toBe(true);
  });

  test("of a worker without a node is not tried again without new mail", () => {
    const { tell, begin, thinker } = start();
    tell({ type: "message.post", to: "alice", text: "hi" });
    tell(fail("backend", begin("alice")));
    expect(canRun(thinker("alice"))).toBe(false);
  });

  test("of who was interrupted because its node or run is over has no work in progress", () => {
    const { tell, node, turn, begin, thinker } = start();
    const id = node({ worker: "alice" });
    turn("alice", "look");
    begin("alice");
    turn("coordinator", "look");
    begin("coordinator");
    tell({ type: "node.cancel", node: id, reason: "no" });
    expect(thinker("alice")).toMatchObject({ turn: undefined, next: "rest" });
    tell({ type: "run.finish", summary: "s" });
    expect(thinker("coordinator")).toMatchObject({ turn: undefined, next: "rest" });
  });

  test("takes back from the conversation only what it had shown itself", () => {
    const { tell, node, turn, begin, thinker } = start();
    const id = node({ worker: "bob" });
    tell({ type: "message.post", to: "alice", text: "hi" });
    turn("alice", "wait", { wait: { for: "nodes", nodes: [id] } });
    tell({ type: "message.post", to: "alice", text: "remember me" });
    tell(fail("backend", begin("alice")));
    tell({ type: "node.cancel", node: id, reason: "no" });
    tell(fail("interrupted", begin("alice")));
    expect(thinker("alice").conversation.at(-1)).toMatchObject({ role: "inbox", entries: [{ text: "remember me" }] });
  });

  test("that is over cannot fail again", () => {
    const { tell, begin, refused } = start();
    begin("coordinator");
    tell(fail("interrupted"));
    expect(refused(fail("interrupted"))).toBe("stale: Coordinator is not in a turn; coordinator.1 is over");
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

test("a turn that was interrupted as often as it may be goes on after an orderly end, and after the next crash it does not", () => {
  const world = start();
  const of = world.begin("coordinator");
  const resume = () => world.tell({ type: "turn.resume", ...of }, "coordinator").map(({ type }) => type);
  for (let n = 0; n < 3; n++) expect(resume()).toEqual(["turn.resumed"]);
  world.append({ type: "log.closed", data: {} });
  expect(resume()).toEqual(["turn.resumed"]);
  expect(resume()).toEqual(["turn.failed", "agent.paused"]);
});
