/** Time as a line: which moments get a word on the axis, and what of a lane is in sight. */
import type { Stretch } from "./stretch.ts";

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800].map(
  (seconds) => seconds * 1000,
);

/** Round moments between two, not closer than `apart` pixels. */
export function ticksOf(from: number, to: number, perMs: number, apart = 90): number[] {
  const step = steps.find((one) => one * perMs >= apart) ?? steps.at(-1)! * Math.ceil(apart / perMs / steps.at(-1)!);
  const ticks: number[] = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return ticks;
}

/** What reaches into the window; an open end reaches to `now`. */
export const inSight = <T extends { from: number; to?: number }>(
  bars: readonly T[],
  from: number,
  to: number,
  now: number,
): T[] => bars.filter((bar) => bar.from <= to && (bar.to ?? now) >= from);

/** Rows from which to which are in sight, with some to spare. */
export function rowsInSight(top: number, height: number, row: number, count: number): [first: number, end: number] {
  const spare = 2;
  const first = Math.max(0, Math.floor(top / row) - spare);
  return [Math.min(first, count), Math.min(count, Math.ceil((top + height) / row) + spare)];
}

/** Moments for the axis of a time with silences: not closer than `apart` pixels, none inside of a silence. */
export function axisOf(stretch: Stretch, from: number, to: number, perMs: number, apart = 90): number[] {
  const found: number[] = [];
  let begin = from;
  for (const silence of [...stretch.silences, { from: to, to }]) {
    if (silence.to < begin) continue;
    for (const at of ticksOf(begin, Math.min(silence.from, to), perMs, apart)) {
      const before = found.at(-1);
      if (before === undefined || (stretch.at(at) - stretch.at(before)) * perMs >= apart - 1) found.push(at);
    }
    begin = silence.to;
    if (begin > to) break;
  }
  return found;
}

/** Takes room for a word in the middle of which is `x`; false if another has it already. */
export function createRoom(): (x: number, width: number) => boolean {
  const taken: (readonly [from: number, to: number])[] = [];
  return (x, width) => {
    const [from, to] = [x - width / 2, x + width / 2];
    if (taken.some(([start, end]) => from < end && to > start)) return false;
    taken.push([from, to]);
    return true;
  };
}
