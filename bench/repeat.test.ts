import { expect, test } from "vitest";
import type { Figure } from "./figure.ts";
import type { Place } from "./place.ts";
import { measure } from "./repeat.ts";

const figure = (name: string, value: number, goal = 10): Figure => ({
  name,
  value,
  unit: "ms",
  baseline: null,
  ratio: null,
  goal: `≤ ${goal}`,
  ok: value <= goal,
});

/** Measures what it is given, one list after the other. */
function bench(...runs: Figure[][]) {
  let ran = 0;
  const one = { name: "b", about: "", run: async () => runs[ran++]! };
  return { measured: measure(one, {} as Place), ran: () => ran };
}

test("what meets its goal is measured once", async () => {
  const { measured, ran } = bench([figure("a", 5)]);
  expect(await measured).toEqual([figure("a", 5)]);
  expect(ran()).toBe(1);
});

test("what misses its goal is measured again; what met it keeps its first measurement", async () => {
  const { measured, ran } = bench([figure("a", 5), figure("b", 20)], [figure("a", 50), figure("b", 8)]);
  expect(await measured).toMatchObject([
    { name: "a", value: 5, ok: true },
    { name: "b", value: 8, ok: true, note: "met at measurement 2; the one before gave 20.0 ms" },
  ]);
  expect(ran()).toBe(2);
});

test("a goal that is missed three times is missed", async () => {
  const { measured, ran } = bench([figure("a", 20)], [figure("a", 30)], [figure("a", 25)]);
  expect(await measured).toMatchObject([
    { value: 25, ok: false, note: "missed again at measurement 3; the one before gave 30.0 ms" },
  ]);
  expect(ran()).toBe(3);
});
