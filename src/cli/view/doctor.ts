/** What a person is told about this machine and home: each check with what was found and, where something is wrong, what to do. */

import { wrapCommands } from "../terminal/wrap-commands.ts";
import type { Colors } from "./mark.ts";

export interface Finding {
  what: string;
  /** fine: as it should be. note: works, with something to know. wrong: something will not work. */
  state: "fine" | "note" | "wrong";
  found: string;
  remedy?: string;
}

export type Check = () => Promise<Finding[]>;

/** Runs the checks one after the other; one that throws is itself a finding. */
export async function examine(checks: Record<string, Check>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [what, check] of Object.entries(checks)) {
    try {
      findings.push(...(await check()));
    } catch (error) {
      findings.push({ what, state: "wrong", found: error instanceof Error ? error.message : String(error) });
    }
  }
  return findings;
}

export function report(
  findings: readonly Finding[],
  { colors, columns }: { colors: Colors; columns: number },
): string[] {
  const marks = { fine: colors.green("●"), note: colors.yellow("◇"), wrong: colors.red("✕") };
  const width = Math.max(...findings.map(({ what }) => what.length));
  /** Under each other, beside what comes first, which takes so many columns. */
  const hung = (first: string, taken: number, text: string): string[] =>
    wrapCommands(text, Math.max(20, columns - taken)).map((line, at) => (at ? " ".repeat(taken) : first) + line);
  const lines = findings.flatMap(({ what, state, found, remedy }) => [
    ...hung(`${marks[state]} ${what.padEnd(width)}  `, width + 4, found),
    ...(remedy ? hung(`  ${" ".repeat(width)}  ${colors.bold("→")} `, width + 6, remedy) : []),
  ]);
  const wrong = findings.filter(({ state }) => state === "wrong").length;
  return [...lines, "", wrong ? `${wrong} ${wrong === 1 ? "problem" : "problems"} to fix.` : "Everything is in order."];
}
