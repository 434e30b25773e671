/** Words of the judge and of the rules. */
import { isDeepStrictEqual } from "node:util";

export const over = new Set(["completed", "failed", "cancelled"]);
export const units = (usd: number): number => Math.round(usd * 1e8);
export const sameName = (a: string, b: string): boolean => {
  const [x, y] = [a.normalize("NFKC"), b.normalize("NFKC")];
  return x.toUpperCase() === y.toUpperCase() || x.toLowerCase() === y.toLowerCase();
};

/** Plain comparisons: these run a million times. */
export function same(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
}
