/**
 * Survivors that are as they should be, each with the reason: what it does cannot be told apart (an equivalent mutant), or only costs time.
 * Known by file, line of code and change, so that an entry goes with its code wherever that moves, and is stale once the code is another.
 */
import { readFileSync } from "node:fs";
import type { Mutant } from "./mutants.ts";

interface Entry {
  file: string;
  /** The trimmed line on which the change begins. */
  line: string;
  /** `original → replacement`, as the report prints them. */
  changes: string[];
  reason: string;
}

export const changeOf = ({ original, replacement }: Mutant): string => `${original} → ${replacement}`;

export interface Accepted {
  /** Why this survivor is accepted. */
  reason(mutant: Mutant): string | undefined;
  /** Entries that fit no mutant. */
  stale(mutants: readonly Mutant[]): string[];
}

export function readAccepted(entries: readonly Entry[] = load()): Accepted {
  const keyOf = (file: string, line: string, change: string) => JSON.stringify([file, line, change]);
  const reasons = new Map(
    entries.flatMap(({ file, line, changes, reason }) =>
      changes.map((change) => [keyOf(file, line, change), { file, line, change, reason }]),
    ),
  );
  return {
    reason: (mutant) => reasons.get(keyOf(mutant.file, mutant.text, changeOf(mutant)))?.reason,
    stale(mutants) {
      const known = new Set(mutants.map((mutant) => keyOf(mutant.file, mutant.text, changeOf(mutant))));
      return [...reasons]
        .filter(([key]) => !known.has(key))
        .map(([, { file, line, change }]) => `${file}: ${line}: ${change}`);
    },
  };
}

const load = (): Entry[] => JSON.parse(readFileSync(new URL("./accepted.json", import.meta.url), "utf8"));
