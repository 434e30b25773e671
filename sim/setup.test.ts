import { expect, test } from "vitest";
import { createRandom } from "./random.ts";
import { drawSetup, isQuiet, type Setup, simplest } from "./setup.ts";

const drawn = Array.from({ length: 2_000 }, (_, seed) => drawSetup(createRandom(seed)));

/** Fields that are not as simple as can be, without the sizes. */
function switchedOn({ world, model, ...rest }: Setup): string[] {
  const differing = (given: object, base: object, skip: string[] = []) =>
    Object.entries(given).flatMap(([name, value]) =>
      skip.includes(name) || JSON.stringify(value) === JSON.stringify((base as Record<string, unknown>)[name])
        ? []
        : [name],
    );
  return [
    ...differing(rest, simplest, ["agents", "posts", "concurrency", "chaosMs", "pauses"]),
    ...differing(world, simplest.world, ["power", "start", "disk"]),
    ...differing(world.disk, simplest.world.disk),
    ...differing({ ...model, slowMs: model.slowMs > 50 }, { ...simplest.model, slowMs: false }, ["text", "haste"]),
  ];
}

test("most kinds are off in most seeds; some seeds have none, some exactly one, some all", () => {
  const counts = drawn.map((setup) => switchedOn(setup).length);
  const share = (fits: (count: number) => boolean) => counts.filter(fits).length / counts.length;
  const all = Math.max(...counts);
  expect(share((count) => count === 0)).toBeGreaterThan(0.02);
  expect(share((count) => count === 1)).toBeGreaterThan(0.05);
  expect(share((count) => count === all)).toBeGreaterThan(0.01);
  expect(share((count) => count <= all / 3)).toBeGreaterThan(0.9);
});

test("every field that is not a size is switched on in at least one seed of sixty, but those that cost much", () => {
  const seeds = new Map<string, number>();
  for (const setup of drawn) for (const name of switchedOn(setup)) seeds.set(name, (seeds.get(name) ?? 0) + 1);
  const rare = [...seeds].filter(([, count]) => count < drawn.length / 60).map(([name]) => name);
  expect(rare.filter((name) => name !== "index" && name !== "alwaysReplay")).toEqual([]);
  const fields = [
    ...Object.keys(simplest.world.disk).filter((name) => name !== "ghost" && name !== "quota"),
    ...Object.keys(simplest).filter(
      (name) => !["agents", "posts", "concurrency", "chaosMs", "pauses", "world", "model"].includes(name),
    ),
  ];
  for (const name of fields) expect({ name, seeds: seeds.get(name) ?? 0 }).not.toEqual({ name, seeds: 0 });
});

test("a world is quiet if and only if no kind is on", () => {
  for (const setup of drawn) expect(isQuiet(setup)).toBe(switchedOn(setup).length === 0);
});

test("a seed draws the same each time", () => {
  for (let seed = 0; seed < 50; seed++) expect(drawSetup(createRandom(seed))).toEqual(drawn[seed]);
});
