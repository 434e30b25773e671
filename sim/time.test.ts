import { expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { createTime } from "./time.ts";

const start = (seed = 1) => createTime({ random: createRandom(seed), start: 1_000_000 });

test("events happen in the order of their times, and time stands still in between", async () => {
  const time = start();
  const seen: string[] = [];
  for (const ms of [30, 10, 20]) time.after(ms, () => seen.push(`${ms} at ${time.mono()}`));
  expect(await time.run()).toBe("idle");
  expect(seen).toEqual(["10 at 10", "20 at 20", "30 at 30"]);
  expect(time.steps).toBe(3);
  expect(time.now()).toBe(1_000_030);
});

test("events at the same time happen in an order that the seed decides", async () => {
  const orders = new Set<string>();
  for (let seed = 0; seed < 100; seed++) {
    const time = start(seed);
    let order = "";
    for (const name of ["a", "b", "c"]) time.after(5, () => (order += name));
    await time.run();
    orders.add(order);
  }
  expect(orders.size).toBe(6);
});

test("everything that follows from an event has happened before the next event", async () => {
  const time = start();
  let running = 0;
  let finished = 0;
  const chain = async (depth: number): Promise<void> => {
    if (depth === 0) return;
    await null;
    if (depth % 7 === 0) await new Promise<void>((resolve) => process.nextTick(resolve));
    if (depth % 11 === 0) await new Promise<void>((resolve) => queueMicrotask(resolve));
    // biome-ignore lint/suspicious/noThenProperty: a foreign thenable takes a tick more
    if (depth % 13 === 0) await { then: (resolve: () => void) => resolve() };
    await Promise.all([chain(depth - 1), depth % 50 === 0 ? chain(depth - 1) : null]);
  };
  for (let i = 0; i < 2_000; i++) {
    time.after(1 + (i % 10), () => {
      expect(running).toBe(0);
      running += 1;
      void chain(i % 100 === 0 ? 150 : 5).then(() => {
        running -= 1;
        finished += 1;
      });
    });
  }
  await time.run();
  expect(finished).toBe(2_000);
});

test("what the caller left runnable runs before the first event", async () => {
  const time = start();
  const seen: string[] = [];
  time.after(1, () => seen.push("event"));
  void (async () => {
    for (let i = 0; i < 100; i++) await null;
    seen.push("caller");
  })();
  await time.step();
  expect(seen).toEqual(["caller", "event"]);
});

test("a step is one event with all that follows from it", async () => {
  const time = start();
  const seen: number[] = [];
  const program = async () => {
    for (let i = 0; i < 3; i++) {
      await time.sleep(10);
      await null;
      seen.push(time.mono());
    }
  };
  void program();
  expect(await time.step()).toBe(true);
  expect(seen).toEqual([10]);
  expect(await time.run({ steps: 5 })).toBe("idle");
  expect(seen).toEqual([10, 20, 30]);
  expect(await time.step()).toBe(false);
});

test("a run ends when it is told: by time, by steps, by a condition", async () => {
  const time = start();
  const tick = () => time.after(10, tick);
  tick();
  expect(await time.run({ ms: 95 })).toBe("time");
  expect([time.mono(), time.steps]).toEqual([95, 9]);
  expect(await time.run({ steps: 600 })).toBe("steps");
  expect([time.mono(), time.steps]).toEqual([6090, 609]);
  expect(await time.run({ until: () => time.steps === 1000 })).toBe("until");
  expect(time.steps).toBe(1000);
});

test("what an event or a condition throws ends the run with it", async () => {
  const time = start();
  time.after(1, () => {
    throw new Error("in the event");
  });
  await expect(time.run()).rejects.toThrow("in the event");
  const fails = () => {
    throw new Error("an invariant");
  };
  await expect(time.run({ until: fails })).rejects.toThrow("an invariant");
  expect(await time.run()).toBe("idle");
});

test("time cannot run twice at once", async () => {
  const time = start();
  const first = time.run();
  await expect(time.run()).rejects.toThrow("only one run at a time");
  await first;
});

test("the wall clock jumps, and neither durations nor timers notice", async () => {
  const time = start();
  const life = time.live({ skew: 500 });
  let fired = 0;
  life.after(10, () => {
    fired = life.mono();
  });
  time.jump(-3_600_000);
  expect([time.now(), life.now()]).toEqual([1_000_000 - 3_600_000, 1_000_500 - 3_600_000]);
  await time.run();
  expect(fired).toBe(10);
});

test("a timer waits at least a millisecond, may be late, and is not called once cancelled", async () => {
  const time = start();
  time.late = 1;
  const at: number[] = [];
  for (const ms of [0, -5, Number.NaN, 0.2, 7.5]) time.after(ms, () => at.push(time.mono()));
  const cancel = time.after(3, () => at.push(-1));
  cancel();
  cancel();
  await time.run();
  expect(at).toHaveLength(5);
  expect(Math.min(...at)).toBeGreaterThanOrEqual(1);
  expect(Math.max(...at)).toBeGreaterThan(7.5);
});

test("cancelled timers do not pile up", async () => {
  const time = start();
  for (let i = 0; i < 100_000; i++) time.after(60_000, () => undefined)();
  time.after(1, () => undefined);
  expect(time.pending()).toBe(1);
  expect(await time.run()).toBe("idle");
  expect(time.mono()).toBe(1);
});

test("nothing of an ended life happens again", async () => {
  const time = start();
  const seen: string[] = [];
  const program = async (name: string, life = time.live()) => {
    life.after(50, () => seen.push(`${name} timer`));
    life.later(50_000, () => seen.push(`${name} device`));
    life.guard(time.sleep(50)).then(() => seen.push(`${name} answer`));
    await life.sleep(50);
    seen.push(`${name} slept`);
  };
  const doomed = time.live();
  void program("doomed", doomed);
  void program("other");
  time.after(20, () => doomed.end());
  await time.run();
  doomed.after(1, () => seen.push("after the end"));
  doomed.later(1, () => seen.push("after the end"));
  void doomed.sleep(1).then(() => seen.push("after the end"));
  void doomed.guard(Promise.resolve()).then(() => seen.push("after the end"));
  await time.run();
  expect(seen.sort()).toEqual(["other answer", "other device", "other slept", "other timer"]);
  expect(time.mono()).toBe(50);
});

test("who asked is told of the end, in an event of its own, also if he asks too late", async () => {
  const time = start();
  const life = time.live();
  const told: string[] = [];
  life.onEnd(() => told.push("before"));
  life.end();
  life.end();
  life.onEnd(() => told.push("after"));
  expect(told).toEqual([]);
  await time.run();
  expect(told.sort()).toEqual(["after", "before"]);
});
