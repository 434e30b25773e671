/** Which version of a file a request replaces: optimistic concurrency. */
import { Problem } from "../schema/problem.ts";

/** The hash that If-Match names, `*`, or nothing. */
export function versionIn(given: string | null): string | undefined {
  if (given === null) return undefined;
  const said = given.trim();
  if (said === "*") return "*";
  const [, hash] = /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(said) ?? [];
  if (hash === undefined) throw new Problem("invalid", "If-Match must be one ETag from a previous response, or *");
  return hash;
}
