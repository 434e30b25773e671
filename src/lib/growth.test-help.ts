/**
 * Tests that work takes linear time. It compares the shortest of several runs of two sizes, never a number of milliseconds: a busy machine slows
 * both alike, and one quiet moment is enough.
 */
import { expect } from "vitest";

const factor = 16;
/** Quadratic work would take sixteen times its proportion. */
const allowance = 5;
const rounds = 50;

export function expectProportional(size: number, work: (size: number) => unknown): void {
  let [small, large, limit] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  for (let round = 0; round < rounds && large >= limit; round++) {
    small = Math.min(
      small,
      timeOf(() => work(size)),
    );
    large = Math.min(
      large,
      timeOf(() => work(size * factor)),
    );
    limit = Math.max(small, 0.1) * factor * allowance;
  }
  expect(large).toBeLessThan(limit);
}

function timeOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}
