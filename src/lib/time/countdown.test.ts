import { expect, test } from "vitest";
import { createSimWorld } from "../../../sim/world.ts";
import { createCountdown } from "./countdown.ts";

function start(ms: number, mostHeld: number) {
  const sim = createSimWorld({ seed: 1, config: { buggify: 0, late: 0 } });
  const { clock } = sim.incarnate();
  let rang: number | undefined;
  const begun = clock.mono();
  const countdown = createCountdown(clock, ms, mostHeld, () => {
    rang = clock.mono() - begun;
  });
  return { countdown, rang: () => rang, pass: (ms: number) => sim.time.run({ ms }) };
}

test("it rings after its time, and not once it is cancelled", async () => {
  const one = start(1_000, 0);
  await one.pass(999);
  expect(one.rang()).toBeUndefined();
  await one.pass(2);
  expect(one.rang()).toBe(1_000);
  const other = start(1_000, 0);
  other.countdown.cancel();
  await other.pass(5_000);
  expect(other.rang()).toBeUndefined();
});

test("time in which it is held does not count, however many hold it", async () => {
  const { countdown, rang, pass } = start(1_000, 60_000);
  await pass(500);
  const [a, b] = [countdown.hold(), countdown.hold()];
  await pass(2_000);
  a();
  a();
  await pass(1_000);
  expect(rang()).toBeUndefined();
  b();
  await pass(499);
  expect(rang()).toBeUndefined();
  await pass(2);
  expect(rang()).toBe(4_000);
});

test("it is held no longer than its bound", async () => {
  const { countdown, rang, pass } = start(1_000, 3_000);
  countdown.hold();
  await pass(3_990);
  expect(rang()).toBeUndefined();
  await pass(20);
  expect(rang()).toBe(4_000);
});
