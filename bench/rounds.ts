/**
 * Measuring on a machine that others use too: what is compared is measured in turns (A B A B …), a figure is the median of its rounds, and a
 * ratio is the median of the rounds' own ratios, so that a slow minute is slow for both.
 */
export interface Compared {
  a: number;
  b: number;
  ratio: number;
  /** How far the middle half of the ratios lies apart. */
  spread: [low: number, high: number];
}

export async function compare(rounds: number, a: () => Promise<number>, b: () => Promise<number>): Promise<Compared> {
  const found: { a: number; b: number }[] = [];
  for (let round = 0; round < rounds; round++) found.push({ a: await a(), b: await b() });
  const ratios = found.map((one) => one.a / one.b);
  return {
    a: median(found.map((one) => one.a)),
    b: median(found.map((one) => one.b)),
    ratio: median(ratios),
    spread: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
  };
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export const scatter = ([low, high]: [number, number]): string =>
  `middle half of the ratios: ${low.toFixed(2)} to ${high.toFixed(2)}`;

/** Milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
