/** How much happened when, for the slider; which stretches of time one may want to look at; where in the log a moment is. */
import { duration } from "../parts/text/words.ts";
import type { Stretch } from "./stretch.ts";

const steps = [0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400].map(
  (s) => s * 1000,
);
const bins = 110;

export interface Histogram {
  /** Milliseconds of one bar. */
  step: number;
  counts: readonly number[];
  most: number;
}

/** `times` in order. */
export function histogramOf(times: readonly number[], stretch: Stretch): Histogram {
  const step = steps.find((one) => one * bins >= stretch.length) ?? Math.ceil(stretch.length / bins);
  const counts = new Array<number>(Math.max(1, Math.ceil(stretch.length / step))).fill(0);
  for (const time of times) counts[Math.min(counts.length - 1, Math.floor(stretch.at(time) / step))]!++;
  return { step, counts, most: Math.max(...counts, 1) };
}

const minute = 60_000;
const offered = [1, 5, 15, 60, 360, 1440].map((minutes) => minutes * minute);

/** The two longest that are clearly shorter than the whole. */
export const spansOf = (length: number): { name: string; ms: number }[] =>
  offered
    .filter((ms) => ms * 1.5 < length)
    .slice(-2)
    .map((ms) => ({ name: duration(ms).replace(" 0 min", ""), ms }));

/** How many of them are not after this moment. */
export function countUntil(times: readonly number[], moment: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}
