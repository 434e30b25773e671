import { describe, expect, test } from "vitest";
import { createLedger } from "../../api/spending.ts";
import { start } from "../core.test-help.ts";

const usd = (amount: number, tokens = 10) => ({ usd: amount, tokens });

function working(budget?: { usd: number }) {
  const world = start();
  world.tell({ type: "worker.spawn", name: "Clara", model: "claude-code/sonnet", budget }, "coordinator");
  world.node({ worker: "clara" });
  const of = world.begin("clara", { usd: 0, tokens: 0 });
  const reserve = (amount: number) =>
    world.tell({ type: "program.reserve", ...of, model: "m", reserve: usd(amount) }, "clara");
  const settle = (call: string | undefined, amount: number) =>
    world.tell({ type: "program.settle", ...of, call, cost: usd(amount) }, "clara");
  const account = () => world.state.accounts.get("worker:clara")!;
  return { ...world, of, reserve, settle, account };
}

describe("a program's own model calls", () => {
  test("are reserved in every budget above them, and settled once", () => {
    const { reserve, settle, account, all, state } = working();
    reserve(0.5);
    const { call } = all("program.reserved")[0]!.data;
    expect([account().reserved.usd, account().spent.usd]).toEqual([0.5, 0]);
    expect(state.accounts.get("run")?.reserved.usd).toBe(0.5);
    settle(call, 0.2);
    expect([account().reserved.usd, account().spent.usd]).toEqual([0, 0.2]);
    expect(settle(call, 0.2)).toEqual([]);
    expect(account().spent.usd).toBe(0.2);
  });

  test("are refused without room", () => {
    const { reserve, refused, of } = working({ usd: 1 });
    reserve(0.8);
    expect(refused({ type: "program.reserve", ...of, model: "m", reserve: usd(0.3) })).toMatch(
      /^budget_exhausted: the budget of worker:clara allows 1 usd/,
    );
  });

  test.each([
    ["turn.resume", {}],
    ["turn.fail", { reason: { code: "interrupted", message: "m", next_mover: "nobody" } }],
    ["turn.answer", { text: "", calls: [], cost: { usd: 0, tokens: 0 } }],
  ] as const)("that have not ended are charged what was reserved at %s", (type, more) => {
    const { reserve, settle, account, tell, of, log, all } = working();
    reserve(0.5);
    settle(undefined, 0.1);
    const { call } = all("program.reserved")[0]!.data;
    tell({ type, ...of, ...more } as never, "clara");
    expect([account().reserved.usd, account().spent.usd]).toEqual([0, 0.6]);
    if (type === "turn.resume") expect(settle(call, 0.1)).toEqual([]);
    const ledger = createLedger();
    for (const event of log) ledger.take(event);
    expect(ledger.items().reduce((sum, row) => sum + row.usd, 0)).toBeCloseTo(0.6, 8);
  });

  test("only a program has them, and only in its turn", () => {
    const { refused, begin, of, tell } = working();
    const other = begin("coordinator");
    expect(refused({ type: "program.reserve", ...other, model: "m", reserve: usd(1) })).toBe(
      "wrong_state: Coordinator is not driven by a program",
    );
    tell({ type: "turn.answer", ...of, text: "", calls: [], cost: usd(0) }, "clara");
    expect(refused({ type: "program.reserve", ...of, model: "m", reserve: usd(1) })).toMatch(/^wrong_state: clara\.1/);
  });
});

test("its conversation is remembered with the node it is for", () => {
  const { tell, of, thinker, all } = working();
  const open = { type: "program.open", ...of, driver: "claude-code/sonnet", session: "s1" } as const;
  tell(open, "clara");
  expect(tell(open, "clara")).toEqual([]);
  expect(thinker("clara").session).toEqual({
    driver: "claude-code/sonnet",
    id: "s1",
    node: all("node.created")[0]!.data.node,
  });
});

test("a conversation that goes on with the next node keeps what was counted of it", () => {
  const { tell, of, thinker, begin, node } = working();
  const open = { driver: "claude-code/sonnet", session: "s1" };
  const counted = { input: 10, output: 5, cacheRead: 0, cacheWrite: 0, usd: 0.2 };
  tell({ type: "program.open", ...of, ...open }, "clara");
  tell({ type: "program.settle", ...of, cost: usd(0.2), counted }, "clara");
  tell({ type: "turn.answer", ...of, text: "", calls: [], cost: usd(0) }, "clara");
  tell({ type: "node.publish", node: thinker("clara").node!, summary: "s", files: [] }, "clara");
  tell({ type: "turn.end", ...of }, "clara");
  node({ worker: "clara" });
  tell({ type: "program.open", ...begin("clara", { usd: 0, tokens: 0 }), ...open }, "clara");
  expect(thinker("clara").session).toMatchObject({ id: "s1", counted });
});

test("messages that it was told while it worked are handled with its turn", () => {
  const { tell, of, thinker, state } = working();
  tell({ type: "message.post", to: "clara", text: "hurry" });
  const { seq } = thinker("clara").unread.at(-1)!;
  tell({ type: "program.tell", ...of, upto: seq }, "clara");
  tell({ type: "turn.answer", ...of, text: "", calls: [], cost: usd(0) }, "clara");
  tell({ type: "turn.end", ...of }, "clara");
  expect(thinker("clara").unread.filter(({ kind }) => kind === "message")).toEqual([]);
  expect(state.participants.get("clara")!.read).toBe(seq);
});

test("what one of its calls waits for, or ends with, is so when its turn has ended", () => {
  const { tell, of, thinker } = working();
  tell({ type: "tool.call", ...of, tool: "ask_human", input: {} }, "clara");
  const wait = { for: "mail" } as const;
  tell({ type: "tool.end", ...of, call: "own1", outcome: "ok", result: "r", wait }, "clara");
  tell({ type: "turn.answer", ...of, text: "", calls: [], cost: usd(0) }, "clara");
  tell({ type: "turn.end", ...of }, "clara");
  expect(thinker("clara").wait).toEqual(wait);
});

test("a program that has published ends by itself; whatever else ends its node ends its turn", () => {
  for (const [type, left] of [
    ["node.publish", true],
    ["node.fail", false],
  ] as const) {
    const { tell, of, thinker } = working();
    const { node } = thinker("clara");
    tell({ type: "tool.call", ...of, tool: "publish", input: {} }, "clara");
    const reason = { code: "x", message: "m", next_mover: "human" };
    tell(
      type === "node.publish" ? { type, node: node!, summary: "s", files: [] } : { type, node: node!, reason },
      type === "node.publish" ? "clara" : "human",
    );
    expect(thinker("clara").turn !== undefined).toBe(left);
  }
});

test("what it does with its own tools is in the log, and is not limited as ours are", () => {
  const { tell, of, all } = working();
  for (let n = 0; n < 12; n++) tell({ type: "program.act", ...of, tool: "Bash", input: { n } }, "clara");
  tell({ type: "tool.call", ...of, tool: "check_messages", input: {} }, "clara");
  tell({ type: "tool.end", ...of, call: "act3", outcome: "ok", result: "r" }, "clara");
  expect(all("tool.called").map(({ data }) => [data.call, data.reported])).toContainEqual(["act12", true]);
  expect(all("tool.called").at(-1)!.data).toMatchObject({ call: "own13" });
  expect(all("tool.ended")).toHaveLength(1);
});
