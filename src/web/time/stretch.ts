/**
 * Time as it is shown: a long silence, in which nothing happened for longer than all the rest took, is a short piece, so that a run that
 * slept for days is read as one that did not. Everything else keeps its length.
 *
 * Always holds: later is further right, `time` undoes `at`, and nothing that happened lies inside of a silence.
 */
export interface Silence {
  from: number;
  to: number;
}

export interface Stretch {
  /** Of the whole, in milliseconds as they are shown. */
  length: number;
  /** How far from the beginning a moment is shown. */
  at(time: number): number;
  /** The moment that is shown there. */
  time(shown: number): number;
  silences: readonly Silence[];
}

/** Shorter ones are never cut. */
export const longMs = 60_000;
const most = 60;

export function createStretch(from: number, to: number, pauses: readonly Silence[]): Stretch {
  const { silences, active } = silentOf(from, to, pauses);
  const short = Math.max(1, Math.min(active / 12, active / 2 / Math.max(1, silences.length)));
  /** Where a silence begins or ends, and the ends of all: in between, time and what is shown grow evenly. Both ways use these very numbers. */
  const knots: Knot[] = [{ time: from, shown: 0 }];
  for (const silence of silences) {
    const { time, shown } = knots.at(-1)!;
    const start = shown + (silence.from - time); // the difference first: times are large, and a rounding of theirs is days long in a silence
    knots.push({ time: silence.from, shown: start }, { time: silence.to, shown: start + short });
  }
  const last = knots.at(-1)!;
  const length = last.shown + (to - last.time);
  knots.push({ time: to, shown: length });
  return {
    silences,
    length,
    at: (time) => between(knots, "time", "shown", time),
    time: (shown) => between(knots, "shown", "time", shown),
  };
}

interface Knot {
  time: number;
  shown: number;
}

/** The other coordinate of the point on the line through the knots. */
function between(knots: readonly Knot[], given: keyof Knot, wanted: keyof Knot, value: number): number {
  const next = knots.findIndex((knot) => knot[given] > value);
  if (next === -1) return knots.at(-1)![wanted];
  if (next === 0) return knots[0]![wanted];
  const [a, b] = [knots[next - 1]!, knots[next]!];
  return a[wanted] + ((value - a[given]) / (b[given] - a[given])) * (b[wanted] - a[wanted]);
}

/** From the shortest pause on: one that is longer than all that would be shown without it is silent. */
function silentOf(from: number, to: number, pauses: readonly Silence[]): { silences: Silence[]; active: number } {
  const length = ({ from: start, to: end }: Silence) => end - start;
  const long = pauses.filter((one) => length(one) > longMs);
  let active = Math.max(1, to - from - long.reduce((sum, one) => sum + length(one), 0));
  const silences: Silence[] = [];
  for (const one of [...long].sort((a, b) => length(a) - length(b)))
    if (length(one) > active) silences.push(one);
    else active += length(one);
  for (const one of silences.slice(0, Math.max(0, silences.length - most))) active += length(one);
  return { silences: silences.slice(-most).sort((a, b) => a.from - b.from), active };
}
