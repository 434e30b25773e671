/** Durations as people write them in files: `30s`, `5m`, `1.5h`, `2d`, `500ms`, or a number of seconds. */

const units = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const written = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)$/;

/** In seconds; undefined if the text is not a duration. */
export function secondsOf(given: string | number): number | undefined {
  if (typeof given === "number") return Number.isFinite(given) && given > 0 ? given : undefined;
  const [, amount, unit] = written.exec(given.trim()) ?? [];
  if (amount === undefined) return undefined;
  const seconds = Number(amount) * units[unit as keyof typeof units];
  return seconds > 0 ? seconds : undefined;
}
