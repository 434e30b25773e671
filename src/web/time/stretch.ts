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
  /** Where each begins as shown. */
  const starts: number[] = [];
  let cut = 0;
  for (const silence of silences) {
    starts.push(silence.from - from - cut);
    cut += silence.to - silence.from - short;
  }
  return {
    silences,
    length: to - from - cut,
    at(time) {
      let shown = Math.max(from, Math.min(time, to)) - from;
      for (const silence of silences) {
        const long = silence.to - silence.from;
        if (time >= silence.to) shown -= long - short;
        else {
          if (time > silence.from) shown -= (time - silence.from) * (1 - short / long);
          break;
        }
      }
      return shown;
    },
    time(shown) {
      let time = Math.max(0, shown) + from;
      for (const [index, silence] of silences.entries()) {
        const into = shown - starts[index]!;
        if (into <= 0) break;
        const long = silence.to - silence.from;
        time += into >= short ? long - short : into * (long / short - 1);
      }
      return Math.min(time, to);
    },
  };
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
