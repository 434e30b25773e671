/** Examples under the help of a command: each as it is typed here, and what it does beside it, or under it where both do not fit. */
import { shellLine } from "../../lib/command-line.ts";

/** A command, what it does, and what else is on its line. */
export type Example = readonly [words: string, does?: string, rest?: string];

export function examples(all: readonly Example[], columns = process.stdout.columns || 80): string {
  const lines = all.map(([words, does = "", rest = ""]) => ({ line: `  $ ${shellLine(words)}${rest}`, does }));
  const explained = lines.filter(({ does }) => does);
  const left = Math.max(0, ...explained.map(({ line }) => line.length)) + 3;
  const fits = explained.every(({ does }) => left + does.length <= columns);
  return [
    "\nExamples:",
    ...lines.map(({ line, does }) => (does ? (fits ? line.padEnd(left) + does : `${line}\n      ${does}`) : line)),
  ].join("\n");
}
