import fc from "fast-check";
import { expect, test } from "vitest";
import type { Account, Amount } from "../../schema/budget.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import { refusal, start } from "../core.test-help.ts";
import { emptyState } from "../state.ts";
import { accountsOf, assertAffordable, charge, isOwnBudget, limitOf, negate, overdraftCommand } from "./budget.ts";

const at = "2026-01-01T12:00:00.000Z";
const nothing: Amount = { usd: 0, tokens: 0 };
const accounts = accountsOf("alice", "n1", at);

/** With the node that the accounts above are of. */
function withNode() {
  const world = start();
  const node = { node: "n1", task: "x", name: "x", depends_on: [], refs: {}, max_turns: 1, timeout_seconds: 1 };
  world.append({ type: "node.created", data: node });
  return world;
}

test("a call counts against the agent, the run, the day, its worker and its node", () => {
  expect(accounts).toEqual(["agent", "run", "day:2026-01-01", "worker:alice", "node:n1"]);
  expect(accountsOf("alice", undefined, at)).not.toContain("node:n1");
});

test.each([
  [{ of: "agent" }, "agent"],
  [{ of: "run" }, "run"],
  [{ of: "day" }, "day:2026-01-01"],
  [{ of: "worker", worker: "alice" }, "worker:alice"],
  [{ of: "node", node: "n1" }, "node:n1"],
] as const)("a limit of %j refuses what does not fit and names the account", (scope, account) => {
  const { tell, state } = withNode();
  tell({ type: "budget.set", scope, limit: { usd: 1 } });
  charge(state, "alice", "n1", at, { usd: 0.25, tokens: 10 }, { usd: 0.5, tokens: 10 });
  assertAffordable(state, accounts, { usd: 0.25, tokens: 1e9 });
  expect(refusal(() => assertAffordable(state, accounts, { usd: 0.26, tokens: 0 }))).toBe(
    `budget_exhausted: the budget of ${account} allows 1 usd; 0.25 are spent, 0.5 reserved, and this call may need 0.26`,
  );
});

test("a budget for a node or a worker that is not there is refused", () => {
  const { refused } = start();
  expect(refused({ type: "budget.set", scope: { of: "node", node: "n1" }, limit: { usd: 1 } })).toBe(
    "not_found: there is no node n1; nodes: none",
  );
  expect(refused({ type: "budget.set", scope: { of: "worker", worker: "carol" }, limit: { usd: 1 } })).toBe(
    'not_found: there is no participant "carol"; participants: Human, Coordinator, Alice, Bob',
  );
});

test("a limit of tokens holds like one of money", () => {
  const { tell, state } = start();
  tell({ type: "budget.set", scope: { of: "run" }, limit: { tokens: 100 } });
  expect(refusal(() => assertAffordable(state, accounts, { usd: 0, tokens: 101 }))).toMatch(/allows 100 tokens/);
});

test("without a limit everything is affordable", () => {
  assertAffordable(emptyState(), accounts, { usd: 1e9, tokens: 1e12 });
});

test("a day's limit holds for each day anew", () => {
  const { tell, state } = start();
  tell({ type: "budget.set", scope: { of: "day" }, limit: { usd: 1 } });
  charge(state, "alice", undefined, at, { usd: 1, tokens: 0 }, nothing);
  expect(refusal(() => assertAffordable(state, accounts, { usd: 0.01, tokens: 0 }))).toMatch(/day:2026-01-01/);
  assertAffordable(state, accountsOf("alice", undefined, "2026-01-02T00:00:00.000Z"), { usd: 1, tokens: 0 });
});

test("a new run starts its own accounts; the agent's and the day's go on", () => {
  const { tell, state } = start();
  charge(state, "alice", "n1", at, { usd: 1, tokens: 1 }, nothing);
  tell({ type: "run.finish", summary: "done" }, "coordinator");
  tell({ type: "run.start" });
  expect([...state.accounts.keys()].sort()).toEqual(["agent", "day:2026-01-01"]);
});

/* Money is kept in 1e-8 dollars; amounts are drawn in that unit, large and small. */
const perUsd = 1e8;
const money = fc.oneof(fc.nat(50), fc.nat(5_000_000), fc.nat(2_000_000_000)).map((whole) => whole / perUsd);
const amount = fc.record({ usd: money, tokens: fc.nat(1_000_000) });
const who = fc.constantFrom("alice", "bob");
const where = fc.constantFrom("n1", "n2", undefined);
const step = fc.oneof(
  fc.record({ do: fc.constant("reserve" as const), amount, who, where }),
  fc.record({ do: fc.constant("settle" as const), which: fc.nat(), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ do: fc.constant("give back" as const), which: fc.nat() }),
);
const limits = fc.dictionary(
  fc.constantFrom("agent", "run", "day", "worker:alice", "node:n1"),
  fc.record({ usd: money, tokens: fc.nat(3_000_000) }, { requiredKeys: [] }),
);
const units = (usd: number) => Math.round(usd * perUsd);
const parse = (key: string) => {
  const [of, name] = key.split(":");
  return (
    of === "worker"
      ? { of, worker: name! }
      : of === "node"
        ? { of, node: name! }
        : { of: of as "agent" | "run" | "day" }
  ) as { of: "agent" | "run" | "day" } | { of: "worker"; worker: string } | { of: "node"; node: string };
};

test("what was reserved at any price leaves nothing behind when all of it is given back, in any order", () => {
  const prices = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(prices, (all) => {
      const { state } = start();
      for (const usd of all) charge(state, "alice", undefined, at, nothing, { usd, tokens: 0 });
      for (const usd of all) charge(state, "alice", undefined, at, nothing, negate({ usd, tokens: 0 }));
      expect(state.accounts.get("agent")!.reserved.usd === 0).toBe(true);
    }),
  );
});

test("spent plus reserved never exceeds a limit if it was asked first, and what is given back leaves no trace", () => {
  fc.assert(
    fc.property(limits, fc.array(step, { maxLength: 40 }), (given, steps) => {
      const { tell, state } = withNode();
      for (const [key, limit] of Object.entries(given)) tell({ type: "budget.set", scope: parse(key), limit });
      const open: { amount: Amount; who: string; where: string | undefined }[] = [];
      const spent: Amount[] = [];
      for (const one of steps) {
        if (one.do === "reserve") {
          if (!affordable(() => assertAffordable(state, accountsOf(one.who, one.where, at), one.amount))) continue;
          charge(state, one.who, one.where, at, nothing, one.amount);
          open.push(one);
        } else if (open.length) {
          const [call] = open.splice(one.which % open.length, 1);
          const share = one.do === "settle" ? one.part : 0;
          const cost = {
            usd: Math.floor(units(call!.amount.usd) * share) / perUsd,
            tokens: Math.floor(call!.amount.tokens * share),
          };
          charge(state, call!.who, call!.where, at, cost, negate(call!.amount));
          spent.push(cost);
        }
        for (const [key, account] of state.accounts) assertWithin(account, given[key.startsWith("day:") ? "day" : key]);
      }
      for (const call of open) charge(state, call.who, call.where, at, nothing, negate(call.amount));
      for (const account of state.accounts.values())
        expect(account.reserved.usd === 0 && account.reserved.tokens === 0).toBe(true);
      const total = spent.reduce((sum, cost) => sum + units(cost.usd), 0);
      expect(units(state.accounts.get("agent")?.spent.usd ?? 0)).toBe(total);
    }),
  );
});

function affordable(ask: () => void): boolean {
  try {
    ask();
    return true;
  } catch {
    return false;
  }
}

function assertWithin({ spent, reserved }: Account, limit: { usd?: number; tokens?: number } = {}): void {
  if (limit.usd !== undefined) expect(units(spent.usd) + units(reserved.usd)).toBeLessThanOrEqual(units(limit.usd));
  if (limit.tokens !== undefined) expect(spent.tokens + reserved.tokens).toBeLessThanOrEqual(limit.tokens);
  expect(spent.usd).toBeGreaterThanOrEqual(0);
  expect(reserved.usd).toBeGreaterThanOrEqual(0);
}

test("a budget of turns or time stops the next turn and says how much was used", () => {
  const { tell, turn, refused, state, thinker } = start();
  tell({ type: "budget.set", scope: { of: "worker", worker: "coordinator" }, limit: { turns: 2 } });
  turn("coordinator", "look");
  turn("coordinator", "look");
  expect(refused({ type: "turn.start", participant: "coordinator", reserve: { usd: 0, tokens: 0 } })).toBe(
    "budget_exhausted: the budget of worker:coordinator allows 2 turns, and 2 are used",
  );
  tell({ type: "budget.set", scope: { of: "worker", worker: "coordinator" }, limit: {} });
  expect(thinker("coordinator").turns).toBe(2);
  expect(state.accounts.get("agent")?.spent).toEqual({ usd: 0, tokens: 0, turns: 2, seconds: 0 });
});

test("a turn's time counts from its start to its end, against everything above it", () => {
  const world = start();
  const of = world.answer("coordinator", []);
  world.now += 90_000;
  world.tell({ type: "turn.end", ...of }, "coordinator");
  for (const account of ["agent", "run", "worker:coordinator"])
    expect(world.state.accounts.get(account)?.spent.seconds).toBe(90);
  world.tell({ type: "budget.set", scope: { of: "run" }, limit: { seconds: 90 } });
  world.tell({ type: "message.post", text: "more" });
  expect(world.refused({ type: "turn.start", participant: "coordinator", reserve: { usd: 0, tokens: 0 } })).toMatch(
    /the budget of run allows 90 seconds, and 90 are used/,
  );
});

test("the time of many turns adds up to the millisecond", () => {
  const world = start();
  for (const ms of [1_001, 2_002]) {
    world.tell({ type: "message.post", text: "go" });
    const of = world.answer("coordinator", []);
    world.now += ms;
    world.tell({ type: "turn.end", ...of }, "coordinator");
  }
  expect(world.state.accounts.get("run")?.spent.seconds).toBe(3.003);
});

test("of several wishes the last value counts for each unit, and what is no number is no limit", () => {
  expect(limitOf({ usd: 1, tokens: 5 }, undefined, { usd: 2 })).toEqual({ usd: 2, tokens: 5 });
  expect(limitOf({ usd: 1, tokens: 5 }, { usd: null, turns: 0 })).toEqual({ tokens: 5, turns: 0 });
});

test("two hundred workers with random costs never take a budget above its limit, whatever the order", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
      let state = seed;
      const chance = () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
      };
      const world = start({ workers_per_run: 300, live_nodes: 300, nodes_per_run: 300, concurrency: 300 });
      const names = Array.from({ length: 200 }, (_, n) => `w${n}`);
      world.tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: 3 + chance() * 10 } });
      world.tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 3 + chance() * 10, tokens: 50_000 } });
      world.tell({ type: "budget.set", scope: { of: "day" }, limit: { usd: 3 + chance() * 10 } });
      for (const name of names) world.tell({ type: "worker.spawn", name, budget: { usd: chance() } }, "coordinator");
      for (const to of names) world.tell({ type: "message.post", to, text: "go" });
      const calling = new Map<string, { turn: string; reserve: { usd: number; tokens: number } }>();
      let refusals = 0;
      for (let step = 0; step < 600; step++) {
        const who = names[Math.floor(chance() * names.length)]!;
        const under = calling.get(who);
        if (under) {
          const part = chance();
          const cost = { usd: under.reserve.usd * part, tokens: Math.floor(under.reserve.tokens * part) };
          world.tell({ type: "turn.answer", turn: under.turn, participant: who, text: "ok", calls: [], cost }, who);
          world.tell({ type: "turn.end", turn: under.turn, participant: who }, who);
          world.tell({ type: "message.post", to: who, text: "again" });
          calling.delete(who);
        } else {
          const reserve = { usd: chance() * 0.4, tokens: Math.floor(chance() * 2_000) };
          try {
            calling.set(who, { ...world.begin(who, reserve), reserve });
          } catch (problem) {
            expect((problem as { code: string }).code).toBe("budget_exhausted");
            refusals++;
          }
        }
        for (const [key, { limit, spent, reserved }] of world.state.accounts)
          for (const unit of ["usd", "tokens"] as const) {
            const most =
              limit[unit] ?? (key.startsWith("day:") ? world.state.accounts.get("day")?.limit[unit] : undefined);
            if (most !== undefined && spent[unit] + reserved[unit] > most + 1e-6)
              throw new Error(`${key} has ${spent[unit]} spent and ${reserved[unit]} reserved of ${most} ${unit}`);
          }
      }
      expect(refusals).toBeGreaterThan(0);
      const agent = world.state.accounts.get("agent")!;
      const sum = names.reduce((total, name) => total + world.state.accounts.get(`worker:${name}`)!.spent.usd, 0);
      expect(agent.spent.usd).toBeCloseTo(sum, 6);
    }),
    { numRuns: 4 },
  );
});

test("what providers say was used adds up by model, and calls without a price are counted apart", () => {
  const { begin, tell, state } = start();
  const used = { input: 100, output: 20, cache_read: 60, cache_write: 10 };
  for (const [model, priced] of [
    ["a/x", true],
    ["a/x", true],
    ["b/y", false],
    ["b/y", false],
  ] as const) {
    tell({ type: "message.post", text: "go" });
    const of = begin("coordinator", { usd: 1, tokens: 500 });
    const cost = { usd: priced ? 0.1 : 0, tokens: 120 };
    tell({ type: "turn.answer", ...of, text: "ok", calls: [], cost, usage: { model, priced, ...used } }, "coordinator");
    tell({ type: "turn.end", ...of }, "coordinator");
  }
  expect(state.usage.get("a/x")).toEqual({
    calls: 2,
    unpriced: 0,
    input: 200,
    output: 40,
    cache_read: 120,
    cache_write: 20,
    usd: 0.2,
  });
  expect(state.usage.get("b/y")).toMatchObject({ calls: 2, unpriced: 2, usd: 0 });
  expect(state.accounts.get("agent")?.spent).toMatchObject({ usd: 0.2, tokens: 480 });
});

test("a turn without a node moves the accounts above it, and gives back in each what it had reserved", () => {
  const { begin, tell, state } = start();
  tell({ type: "message.post", text: "hi" });
  const of = begin("coordinator", { usd: 0.5, tokens: 100 });
  const keys = ["agent", "day:2026-01-01", "run", "worker:coordinator"];
  const moved = () => [...state.accounts].map(([key, { spent, reserved }]) => [key, spent.tokens, reserved.tokens]);
  expect(moved().sort()).toEqual(keys.map((key) => [key, 0, 100]));
  tell({ type: "turn.answer", ...of, text: "ok", calls: [], cost: { usd: 0.25, tokens: 40 } }, "coordinator");
  expect(moved().sort()).toEqual(keys.map((key) => [key, 40, 0]));
  expect(state.accounts.get("run")?.reserved.usd).toBe(0);
});

test.each([
  ["alice", "worker:alice", "n1", { type: "node.fail", node: "n1" }],
  ["alice", "node:n1", "n1", { type: "node.fail", node: "n1" }],
  ["alice", "worker:alice", undefined, { type: "worker.retire", worker: "alice" }],
  ["alice", "run", "n1", { type: "agent.pause" }],
  ["coordinator", "worker:coordinator", undefined, { type: "agent.pause" }],
] as const)("a call of %s that %s does not allow, on the node %s, leads to %j", (who, account, node, command) => {
  const { state, thinker } = withNode();
  const one = { ...thinker(who), node } as Thinker;
  const problem = new Problem("budget_exhausted", "no money", { account });
  expect(overdraftCommand(state, one, problem)).toMatchObject(command);
  expect(JSON.stringify(overdraftCommand(state, one, problem))).toContain("no money");
});

test("the reason names the limit that was reached", () => {
  const { state } = start();
  const one = state.participants.get("coordinator") as Thinker;
  const problem = new Problem("budget_exhausted", "no money", { account: "day:2026-01-01", unit: "tokens", limit: 5 });
  expect(overdraftCommand(state, one, problem)).toMatchObject({
    type: "agent.pause",
    reason: { code: "budget", limit: { account: "day:2026-01-01", unit: "tokens" } },
  });
  for (const details of [{}, { account: "run" }, { unit: "tokens" }]) {
    const { reason } = overdraftCommand(state, one, new Problem("budget_exhausted", "no money", details)) as {
      reason: object;
    };
    expect(reason).not.toHaveProperty("limit");
  }
});

test("so does the reason for which a worker's own budget ends its node", () => {
  const { state, thinker } = withNode();
  const problem = new Problem("budget_exhausted", "no money", { account: "node:n1", unit: "usd" });
  expect(overdraftCommand(state, { ...thinker("alice"), node: "n1" } as Thinker, problem)).toMatchObject({
    type: "node.fail",
    reason: { code: "limit.budget", limit: { account: "node:n1", unit: "usd" } },
  });
});

test("a problem that names no account is nobody's own budget", () => {
  expect(isOwnBudget(new Problem("budget_exhausted", "no money"))).toBe(false);
});
