/**
 * Measuring on a machine that others use too: what is compared is measured in turns (A B C A B C …), a figure is the median of its rounds, and
 * a ratio is the median of the rounds' own ratios, so that a slow moment is slow for all.
 */
export type Rounds<Name extends string> = Record<Name, number[]>;

/** One round more than asked for: the first only warms up. */
export async function inTurns<Name extends string>(
  rounds: number,
  contenders: Record<Name, () => Promise<number>>,
): Promise<Rounds<Name>> {
  const names = Object.keys(contenders) as Name[];
  const found = Object.fromEntries(names.map((name): [Name, number[]] => [name, []])) as Rounds<Name>;
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const value = await contenders[name]();
      if (round > 0) found[name].push(value);
    }
  }
  return found;
}

export interface Ratio {
  value: number;
  /** How far the middle half lies apart. */
  scatter: string;
}

export function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  const ratios = ours.map((value, round) => value / theirs[round]!);
  const [low, high] = [quantile(ratios, 0.25), quantile(ratios, 0.75)];
  return { value: median(ratios), scatter: `middle half ${low.toFixed(2)} to ${high.toFixed(2)}` };
}

export const median = (numbers: readonly number[]): number => quantile(numbers, 0.5);

export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((x, y) => x - y);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
