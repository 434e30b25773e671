import { expect, test } from "vitest";
import { createRandom } from "../random.ts";
import { setupOf } from "../seed.ts";
import { type Setup, simplest } from "../setup.ts";
import { difference } from "./override.ts";
import { type Failing, type ShrinkOptions, shrink, simpler } from "./shrink.ts";

const options = { seeds: [], most: 10_000, jobs: 3, signal: new AbortController().signal };
const play = (setup: Setup, fails: (world: Failing) => boolean, more: Partial<ShrinkOptions> = {}) =>
  shrink({ seed: 1, setup }, { ...options, fails: async (world) => (fails(world) ? world.seed : undefined), ...more });

const busy: Setup = {
  ...setupOf(5),
  chaosMs: 20_000,
  agents: 3,
  crashes: 4,
  deeds: 4,
  poison: "turn.started",
  window: { tokens: 100_000, overflows: 0.1 },
  world: { ...setupOf(5).world, buggify: 0.5, disk: { ...setupOf(5).world.disk, eio: 0.01, erofs: 0.01 } },
};

test("a world that fails in any case becomes the simplest one", async () => {
  expect((await play(busy, () => true)).setup).toEqual(simplest);
});

test("what the failure needs stays, and nothing else", async () => {
  const needs = ({ setup }: Failing) =>
    setup.crashes >= 2 && setup.chaosMs >= 5_000 && setup.world.disk.eio > 0 && setup.window !== undefined;
  const { setup } = await play(busy, needs);
  expect(difference(simplest, setup)).toEqual({
    crashes: 2,
    chaosMs: expect.closeTo(5_000, -3),
    window: { tokens: 100_000, overflows: 0 },
    world: { disk: { eio: 0.01 } },
  });
});

test("a simpler world that fails only with other luck is found with another seed, and of those the one in which the least happens", async () => {
  const needs = ({ seed, setup }: Failing) => seed !== 7 && setup.crashes >= 1 && (seed !== 1 || setup.deeds === 4);
  const world = await play(busy, needs, { seeds: [7, 9, 8] });
  expect(difference(simplest, world.setup)).toEqual({ crashes: 1 });
  expect(world.seed).toBe(8);
});

test("two fields of which one is enough do not keep each other", async () => {
  const { setup } = await play(busy, ({ setup }) => setup.crashes > 0 || setup.deeds > 0);
  expect([setup.crashes, setup.deeds].sort()).toEqual([0, 1]);
});

test("every step is told, each simpler than the one before", async () => {
  const told: number[] = [];
  const { setup } = await play(busy, ({ setup }) => setup.crashes > 0, {
    smaller: (world) => told.push(simpler(world.setup).length),
  });
  expect(told.length).toBeGreaterThan(5);
  expect(told.at(-1)).toBe(simpler(setup).length);
});

test("it ends after so many tries, or when it is told to, with a world that failed", async () => {
  let tries = 0;
  const { setup } = await play(busy, () => ++tries > 0, { most: 10 });
  expect(tries).toBeLessThan(20);
  expect(difference(simplest, setup)).not.toEqual({});
  expect((await play(busy, () => true, { signal: AbortSignal.abort() })).setup).toEqual(busy);
});

test("every step of every drawn world leads to the simplest one, and none away from it", () => {
  const random = createRandom(1);
  for (let seed = 1; seed <= 30; seed++) {
    let setup = setupOf(seed);
    for (let steps = simpler(setup), taken = 0; steps.length; steps = simpler(setup)) {
      setup = random.pick(steps).setup;
      expect(++taken).toBeLessThan(2_000);
    }
    expect(setup).toEqual(simplest);
  }
});
