/** What became of each mutant, line by line in a file, so that a run that was ended goes on where it was. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** `tests` and `simulation`: killed by them. `none`: no test and no seed makes a difference of it. */
export type Fate = "tests" | "simulation" | "survived" | "none";

interface Result {
  file: string;
  /** Of the file's text and its mutants. */
  hash: string;
  /** Its number in the file. */
  index: number;
  fate: Fate;
  /** Of all tests: a survivor is tried again when there are others. */
  tests: string;
  by?: string;
  why?: string;
}

export interface Results {
  of(file: string, hash: string, index: number, tests: string): Result | undefined;
  add(result: Result): void;
}

export function openResults(path: string): Results {
  mkdirSync(dirname(path), { recursive: true });
  const known = new Map<string, Result>();
  const keyOf = (file: string, hash: string, index: number) => `${file} ${hash} ${index}`;
  const take = (result: Result) => known.set(keyOf(result.file, result.hash, result.index), result);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  // The last line may be torn.
  for (const line of lines) if (line.endsWith("}")) take(JSON.parse(line));
  return {
    of(file, hash, index, tests) {
      const result = known.get(keyOf(file, hash, index));
      const isKilled = result?.fate === "tests" || result?.fate === "simulation";
      return isKilled || result?.tests === tests ? result : undefined;
    },
    add(result) {
      take(result);
      appendFileSync(path, `${JSON.stringify(result)}\n`);
    },
  };
}
