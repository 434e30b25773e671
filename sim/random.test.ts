import { expect, test } from "vitest";
import { createRandom, type SimRandom } from "./random.ts";

const draw = (random: SimRandom, n = 100) => Array.from({ length: n }, () => random.next());

test("the same seed gives the same numbers, another seed others", () => {
  expect(draw(createRandom(7))).toEqual(draw(createRandom(7)));
  const firsts = new Set(Array.from({ length: 10_000 }, (_, seed) => createRandom(seed).next()));
  expect(firsts.size).toBeGreaterThan(9_990);
  expect(createRandom(1).next()).not.toBe(createRandom(1 + 2 ** 32).next());
});

test("the numbers of a seed never change, or all recorded seeds would mean something else", () => {
  const random = createRandom(42);
  expect([random.hex(8), random.int(1000), random.fork("disk").hex(8)]).toMatchInlineSnapshot(`
    [
      "a0f1df7687e08878",
      461,
      "096a2e643e5ff93c",
    ]
  `);
});

test("a fork depends on seed and label only, not on how much its parent was used", () => {
  const used = createRandom(3);
  draw(used);
  expect(draw(used.fork("disk"))).toEqual(draw(createRandom(3).fork("disk")));
  expect(draw(createRandom(3).fork("disk"))).not.toEqual(draw(createRandom(3).fork("time")));
  expect(draw(createRandom(3).fork("disk"))).not.toEqual(draw(createRandom(4).fork("disk")));
  expect(draw(createRandom(3).fork("a").fork("b"))).not.toEqual(draw(createRandom(3).fork("ab")));
});

test("whole numbers fill their range evenly, also across seeds", () => {
  const random = createRandom(1);
  const one = Array.from({ length: 10 }, () => 0);
  const across = Array.from({ length: 10 }, () => 0);
  for (let i = 0; i < 100_000; i++) {
    one[random.int(10)]! += 1;
    across[createRandom(i).int(10)]! += 1;
  }
  for (const count of [...one, ...across]) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});

test("chances are kept, bounds are included, hex has two digits a byte", () => {
  const random = createRandom(1);
  expect(random.chance(0)).toBe(false);
  expect(random.chance(1)).toBe(true);
  expect(new Set(Array.from({ length: 200 }, () => random.between(3, 5)))).toEqual(new Set([3, 4, 5]));
  expect(random.hex(16)).toMatch(/^[0-9a-f]{32}$/);
  expect(() => random.pick([])).toThrow("the list is empty");
});
