import fc from "fast-check";
import { expect, test } from "vitest";
import { startable } from "../../runtime/participant/schedule.ts";
import { accountsOf } from "../agent/budget.ts";
import { inWords, why } from "../board/why.ts";
import { start, type World } from "../core.test-help.ts";
import { defaultLimits } from "../limits.ts";
import { blockingAccount, isQueued, roomFor } from "./queue.ts";

const half = { usd: 0.5, tokens: 0 };
const runnable = (world: World) => startable(world.state, new Set(), defaultLimits, () => true);

/** Alice and Bob have something to do; 0.6 may be spent, and Alice holds 0.5 of it. */
function tight() {
  const world = start();
  world.tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 0.6 } });
  const node = world.node({ worker: "bob" });
  world.tell({ type: "message.post", to: "alice", text: "go" });
  const of = world.begin("alice", half);
  world.tell({ type: "turn.queue", participant: "bob", reserve: half }, "bob");
  return { world, of, node };
}

test("who finds no room only because of a call under way is queued, is not started, and is so after a restart", () => {
  const { world, node } = tight();
  expect(world.all("turn.queued")[0]?.data).toEqual({
    ...{ turn: "bob.1", participant: "bob", wanted: half, account: "run" },
    ...{ held: half, by: ["alice"] },
  });
  for (const again of [false, true]) {
    if (again) world.restart();
    expect(isQueued(world.state, world.thinker("bob"))).toBe(true);
    expect(runnable(world)).not.toContain("bob");
    const chain = why(world.state, node, { limits: defaultLimits });
    expect(chain.at(-1)).toMatchObject({ code: "budget_room", next_mover: "alice" });
    expect(inWords(chain)).toBe("Bob waits for the budget of run: the rest is reserved by calls of Alice");
  }
});

test.each([
  ["is answered for little", { type: "turn.answer", text: "", calls: [], cost: { usd: 0.05, tokens: 0 } }],
  ["is answered for much: it is asked anew what it needs", { type: "turn.answer", text: "", calls: [], cost: half }],
  ["fails", { type: "turn.fail", reason: { code: "interrupted", message: "x", next_mover: "nobody" } }],
] as const)("it may begin when that call %s", (_how, step) => {
  const { world, of } = tight();
  world.tell({ ...step, ...of } as never, "alice");
  expect(isQueued(world.state, world.thinker("bob"))).toBe(false);
  expect(runnable(world)).toContain("bob");
  world.begin("bob", { usd: 0.05, tokens: 0 });
  expect(world.thinker("bob").queued).toBeUndefined();
});

test("it may begin when the human allows more", () => {
  const { world } = tight();
  world.tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 2 } });
  expect(runnable(world)).toContain("bob");
});

test("what fits, and what will never fit, is not waited for", () => {
  const { world, of } = tight();
  const accounts = accountsOf("bob", undefined, "2026-01-01T00:00:00.000Z");
  expect(blockingAccount(world.state, accounts, { usd: 0.1, tokens: 0 })).toBeUndefined();
  expect(blockingAccount(world.state, accounts, { usd: 0.61, tokens: 0 })).toBeUndefined();
  world.tell({ type: "turn.answer", ...of, text: "", calls: [], cost: half }, "alice");
  expect(world.tell({ type: "turn.queue", participant: "bob", reserve: half }, "bob")).toEqual([]);
  expect(world.refused({ type: "turn.queue", participant: "alice", reserve: half }, "alice")).toMatch(
    /no turn to start/,
  );
});

test("who waited longest is first, after turns that were interrupted", () => {
  const { world, of } = tight();
  world.tell({ type: "message.post", text: "now", priority: "immediate" });
  world.tell({ type: "turn.answer", ...of, text: "", calls: [], cost: { usd: 0, tokens: 0 } }, "alice");
  expect(runnable(world)).toEqual(["alice", "bob", "coordinator"]);
});

test("a share is what is left, divided among all who work; a budget of one's own is one's own", () => {
  const { world } = tight();
  const room = roomFor(world.state, world.thinker("bob"), world.now);
  expect(room.left.usd).toBeCloseTo(0.6);
  expect(room.free.usd).toBeCloseTo(0.1);
  expect(room.share.usd).toBeCloseTo(0.2);
  expect(room.free.tokens).toBe(Number.POSITIVE_INFINITY);
  world.tell({ type: "budget.set", scope: { of: "worker", worker: "bob" }, limit: { usd: 0.15 } });
  expect(roomFor(world.state, world.thinker("bob"), world.now).share.usd).toBeCloseTo(0.15);
});

test("whoever is queued waits for a call under way, whatever was reserved and settled before: nobody waits for ever", () => {
  const step = fc.record({ who: fc.constantFrom("alice", "bob", "coordinator"), usd: fc.integer({ min: 1, max: 60 }) });
  fc.assert(
    fc.property(fc.integer({ min: 20, max: 100 }), fc.array(step, { maxLength: 25 }), (cents, steps) => {
      const world = start();
      world.tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: cents / 100 } });
      for (const { who, usd: amount } of steps) {
        const one = world.thinker(who);
        const reserve = { usd: amount / 100, tokens: 0 };
        if (one.turn) {
          const cost = { usd: Math.min(one.turn.reserved.usd, amount / 300), tokens: 0 };
          const of = { turn: one.turn.id, participant: who };
          world.tell({ type: "turn.answer", ...of, text: "", calls: [], cost }, who);
          world.tell({ type: "turn.end", ...of }, who);
        } else {
          world.tell({ type: "message.post", to: who, text: "go" });
          const accounts = accountsOf(who, undefined, new Date(world.now).toISOString());
          if (blockingAccount(world.state, accounts, reserve))
            world.tell({ type: "turn.queue", participant: who, reserve }, who);
          else
            try {
              world.begin(who, reserve);
            } catch {
              continue; // used up
            }
        }
        const { spent, reserved } = world.state.accounts.get("agent")!;
        expect(spent.usd + reserved.usd).toBeLessThanOrEqual(cents / 100 + 1e-9);
        const thinkers = ["alice", "bob", "coordinator"].map(world.thinker);
        if (thinkers.some((each) => isQueued(world.state, each)))
          expect(thinkers.some(({ turn }) => turn?.status === "calling")).toBe(true);
      }
    }),
  );
});
