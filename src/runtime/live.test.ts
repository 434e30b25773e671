import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { fold } from "../core/reduce.ts";
import { canonical, emptyState } from "../core/state.ts";
import type { CommandInput } from "../schema/command.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { startLive as start } from "./live.test-help.ts";

const post = (text: string): CommandInput => ({ type: "message.post", text });
const closing = new Problem("closed", "the process ends");

test("what is told is what the log has: folded it is the state", async () => {
  const { live, told, changed } = await start();
  await live.dispatch(post("hello"));
  expect(told).toEqual(changed);
  expect(told.map(({ seq }) => seq)).toEqual(told.map((_, at) => at + 1));
  expect(canonical(fold(emptyState(), told))).toBe(canonical(live.state()));
  expect(live.durableSeq()).toBe(told.length);
});

test("a change is in the state at once, and is told only when the log has it", async () => {
  const { live, told, changed, answer } = await start();
  const { promise, resolve } = Promise.withResolvers<void>();
  answer(() => promise);
  const before = live.durableSeq();
  let acknowledged = false;
  const sent = live.dispatch(post("hello")).then(() => {
    acknowledged = true;
  });
  let durable = false;
  const waiting = live.durable().then(() => {
    durable = true;
  });
  await new Promise(setImmediate);
  expect(live.state().seq).toBe(before + 1);
  expect(changed.at(-1)?.type).toBe("message.posted");
  expect([acknowledged, durable, told.length, live.durableSeq()]).toEqual([false, false, before, before]);
  resolve();
  await Promise.all([sent, waiting]);
  expect([acknowledged, durable, told.length, live.durableSeq()]).toEqual([true, true, before + 1, before + 1]);
});

test("nothing is decided by one that is closed; it says why, and does not call itself broken", async () => {
  const { live, log, lost, broken, begin } = await start();
  expect(live.signal.aborted).toBe(false);
  await live.close(closing);
  await expect(log.append([])).rejects.toMatchObject({ code: "closed" });
  const { seq } = live.state();
  expect(() => live.dispatch(post("hello"))).toThrow(closing);
  expect(begin).toThrow(closing);
  await expect(live.durable()).rejects.toBe(closing);
  expect(live.signal.reason).toBe(closing);
  expect(live.state().seq).toBe(seq);
  expect(getEventListeners(lost.signal, "abort")).toEqual([]);
  lost.abort();
  expect(broken).toEqual([]);
});

test("closing waits for what the log is writing", async () => {
  const { live, told, answer } = await start();
  const { promise, resolve } = Promise.withResolvers<void>();
  answer(() => promise);
  const sent = live.dispatch(post("hello"));
  let closed = false;
  const done = live.close(closing).then(() => {
    closed = true;
  });
  await new Promise(setImmediate);
  expect([closed, live.signal.aborted]).toEqual([false, false]);
  resolve();
  await Promise.all([sent, done]);
  expect(told.at(-1)?.type).toBe("message.posted");
});

test("who has lost the lease decides nothing more", async () => {
  const { live, lost, broken } = await start();
  lost.abort();
  const fenced = { code: "fenced", message: "chips is now owned by another process" };
  expect(broken).toMatchObject([fenced]);
  expect(live.signal.reason).toBe(broken[0]);
  expect(() => live.dispatch(post("hello"))).toThrow(broken[0]);
  await live.close(closing);
  await expect(live.durable()).rejects.toBe(broken[0]);
});

const refusals: [string, unknown, object][] = [
  ["a Problem", new Problem("storage_failed", "the disk is full"), { message: "the disk is full" }],
  [
    "any other error",
    new Error("EIO"),
    { message: "the log could not be written: Error: EIO", cause: new Error("EIO") },
  ],
];

test.each(refusals)(
  "a log that refuses with %s closes it, once, and whoever waits hears why",
  async (_what, error, says) => {
    const { live, broken, told, answer } = await start();
    const before = told.length;
    answer(() => Promise.reject(error));
    const sent = [live.dispatch(post("one")), live.dispatch(post("two"))];
    for (const { reason } of (await Promise.allSettled(sent)) as PromiseRejectedResult[])
      expect(reason).toMatchObject({ code: "storage_failed", ...says });
    expect(broken).toHaveLength(1);
    expect(live.signal.reason).toBe(broken[0]);
    expect([told.length, live.durableSeq()]).toEqual([before, before]);
    expect(() => live.dispatch(post("three"))).toThrow(broken[0]);
  },
);

test("a command with a key is carried out once, and the second time says the same", async () => {
  const { live, told } = await start();
  const { length } = told;
  const key = { key: "k1" };
  const first = await live.dispatch(post("hello"), key);
  expect(first).toEqual({ seq: length + 1, repeated: false, made: { message: "m1" } });
  expect(await live.dispatch(post("hello"), key)).toEqual({ ...first, repeated: true });
  expect(told).toHaveLength(length + 1);
  expect(() => live.dispatch(post("another"), key)).toThrow(/k1/);
  expect(() => live.dispatch(post("hello"), { key: "a#b" })).toThrow("the key a#b must not contain #");
  expect(live.state().seq).toBe(length + 1);
});

test("who asks for nothing new is told where things stand", async () => {
  const { live, told } = await start();
  await live.dispatch({ type: "agent.pause" }, { actor: "human" });
  const { length } = told;
  expect(await live.dispatch({ type: "agent.pause" }, { actor: "human" })).toEqual({
    seq: length,
    repeated: false,
    made: {},
  });
  expect(told).toHaveLength(length);
});

test("an event says who did it and what led to it", async () => {
  const { live, told, begin } = await start();
  expect(told.map(({ type, actor, cause }) => [type, actor, cause])).toEqual([
    ["agent.created", "human", undefined],
    ["run.started", "system", "chips/1"],
  ]);
  await live.dispatch(post("hello"));
  expect(told.at(-1)).toMatchObject({ type: "message.posted", actor: "system" });
  expect(told.at(-1)?.cause).toBeUndefined();
  await live.dispatch(post("hello again"), { actor: "human", key: "k1" });
  // The same in every version: a log outlives them.
  expect(told.at(-1)?.cause).toBe("k1#35a09749");
  await begin();
  expect(told.at(-1)).toMatchObject({ type: "turn.started", actor: "coordinator" });
  expect(told.at(-1)?.cause).toBeUndefined();
});

test("what comes with a step of a turn names the turn as its cause", async () => {
  const { live, told, begin } = await start();
  await live.dispatch({ type: "worker.spawn", name: "Ann" }, { actor: "coordinator" });
  await live.dispatch({ type: "node.create", task: "count" }, { actor: "coordinator" });
  const { length } = told;
  await begin("ann");
  expect(told.slice(length).map(({ type, cause }) => [type, cause])).toEqual([
    ["node.started", "chips/r1/ann.1"],
    ["turn.started", undefined],
  ]);
});

test("a receipt names the first of each kind that was made, which is what was asked for", async () => {
  const workers = ["Ann", "Bea"].map((name) => ({ name, role: "" }));
  const { receipt } = await start({ create: { team: { workers, nodes: [], stages: [] } } });
  expect(receipt).toEqual({ seq: 1, repeated: false, made: { agent: "chips", run: "r1", worker: "ann" } });
});

test("what a crash cut off is made good with the next command, and nothing is its cause", async () => {
  const { told: whole } = await start();
  const { live, told } = await start({ before: whole.slice(0, 1) });
  await live.dispatch({ type: "delivery.route", channels: {} });
  expect(told.map(({ seq, type, cause }) => [seq, type, cause])).toEqual([[2, "run.started", undefined]]);
});

/** Rules ask for their limits while the state moves: the nth question from now meets a bug. */
function faultyLimits() {
  let left = Number.POSITIVE_INFINITY;
  const limits = new Proxy(defaultLimits, {
    get(target, name: keyof typeof defaultLimits) {
      if (--left === 0) throw new TypeError("a rule with a bug");
      return target[name];
    },
  });
  return {
    limits,
    throwAt(nth: number) {
      left = nth;
    },
    isSpent: () => left <= 0,
  };
}

test("a rule that throws closes the agent: whatever it was about, nobody sees a fact that is in no log", async () => {
  let thrown = 0;
  for (let nth = 1; nth < 60; nth++) {
    const { limits, throwAt, isSpent } = faultyLimits();
    const { live, log, told, broken } = await start({ limits });
    await live.dispatch({ type: "worker.spawn", name: "Ann", kind: "harnessed" });
    const behind = live.dispatch(post("written before"));
    throwAt(nth);
    const sent = Promise.resolve().then(() => live.dispatch({ type: "node.create", task: "t" }));
    const error = await sent.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    throwAt(Number.POSITIVE_INFINITY);
    await behind; // it was whole before, and is acknowledged
    const events: Event[] = [];
    for await (const some of log.read(0)) events.push(...some);
    expect(told).toEqual(events);
    if (error === undefined) {
      expect(isSpent() && !broken.length).toBe(false);
      continue;
    }
    thrown++;
    expect(error).not.toBeInstanceOf(Problem); // a fault is not a refusal
    expect(String(error)).toContain("a rule with a bug");
    if (live.state().seq === live.durableSeq()) continue; // decide threw, and nothing had moved
    expect(broken).toMatchObject([{ code: "closed" }]);
    expect(live.signal.aborted).toBe(true);
    expect(() => live.dispatch(post("hello"))).toThrow(broken[0]);
    await expect(live.durable()).rejects.toBe(broken[0]);
    expect(events.at(-1)).toMatchObject({ type: "message.posted" });
  }
  expect(thrown).toBeGreaterThan(5);
});

test("so does whoever is told at once and throws: what was appended is in the log, and nothing builds on it", async () => {
  const { live, told, broken, disturb } = await start();
  disturb(() => {
    throw new TypeError("a loop with a bug");
  });
  expect(() => live.dispatch(post("hello"))).toThrow("a loop with a bug");
  expect(broken).toMatchObject([{ code: "closed" }]);
  await live.close(closing);
  expect(told.at(-1)).toMatchObject({ type: "message.posted" });
});

test("what follows from a log that a crash cut off is made good on opening, by the system, before any command", async () => {
  const { told: whole } = await start();
  const { live, told, log } = await start({ before: whole.slice(0, 1) });
  await live.settle();
  expect(told.map(({ seq, type, actor }) => [seq, type, actor])).toEqual([[2, "run.started", "system"]]);
  expect(log.seq).toBe(2);
  await live.settle();
  expect(log.seq).toBe(2);
});

test("a rule that throws on opening closes the agent, and says on what", async () => {
  const { told: whole } = await start();
  const { limits, throwAt } = faultyLimits();
  const { live, broken, log } = await start({ before: whole.slice(0, 1), limits });
  throwAt(1);
  await expect(live.settle()).rejects.toThrow("a rule with a bug");
  expect(broken).toMatchObject([{ code: "closed", message: expect.stringContaining("opening") }]);
  expect(log.seq).toBe(1);
  await expect(live.settle()).rejects.toBe(broken[0]);
});

test("a disk that fails on opening is what is said, not a defect", async () => {
  const { told: whole } = await start();
  const { live, broken, answer } = await start({ before: whole.slice(0, 1) });
  const full = new Problem("storage_failed", "the disk is full");
  answer(() => Promise.reject(full));
  await expect(live.settle()).rejects.toMatchObject({ code: "storage_failed" });
  expect(broken).toMatchObject([{ code: "storage_failed" }]);
});
