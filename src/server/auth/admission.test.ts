import { expect, test } from "vitest";
import { createAdmission } from "./admission.ts";

test("who comes alone is let in at once, and a crowd a few in each turn, in order", () => {
  const turns: (() => void)[] = [];
  const { come } = createAdmission(3, (call) => turns.push(call));
  const read: number[] = [];
  const comer = (n: number, destroyed = false) => ({ destroyed, resume: () => read.push(n) });
  come(comer(0));
  expect(read).toEqual([0]);
  for (let n = 1; n < 9; n++) come(comer(n, n === 4));
  expect(read).toEqual([0, 1, 2]);
  turns.shift()!();
  expect(read, "one has gone").toEqual([0, 1, 2, 3, 5]);
  turns.shift()!();
  expect(read).toEqual([0, 1, 2, 3, 5, 6, 7, 8]);
  come(comer(9));
  expect(read.at(-1), "the turn is full").toBe(8);
  while (turns.length) turns.shift()!();
  expect(read.at(-1)).toBe(9);
  come(comer(10));
  expect(read.at(-1), "it is quiet again").toBe(10);
  expect(turns).toHaveLength(1);
});
