/**
 * Whether work takes time in proportion to its size. What is asserted is a ratio of the shortest of several runs, never a number of
 * milliseconds: a busy machine slows all of them alike.
 */
import { expect } from "vitest";

const factor = 8;

export function expectProportional(size: number, work: (size: number) => unknown): void {
  const [small, large] = [shortest(() => work(size)), shortest(() => work(size * factor))];
  // Twice and a half of the proportion; work that grows with the square would take eight times of it.
  expect(large).toBeLessThan(Math.max(small, 0.5) * factor * 2.5);
}

function shortest(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 4; run++) {
    const began = performance.now();
    work();
    least = Math.min(least, performance.now() - began);
  }
  return least;
}
