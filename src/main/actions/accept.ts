/** Nothing that somebody else wrote is used before a person saw it and said yes to exactly that. */
import { createInterface } from "node:readline/promises";
import { unguardedStream } from "../../cli/terminal/way-out.ts";
import { commandRef, shellLine } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";
import { openTerminal } from "./terminal.ts";

export interface Acceptance {
  /** Its content, as the person sees it. */
  lines(colors: ReturnType<typeof openTerminal>["colors"]): string[];
  hash: string;
  /** The hash of what the person saw before. */
  accept: string | undefined;
  /** The command, to be said again with these options of the acceptance. */
  again(accept?: string): string;
  question: string;
}

/** Shows it and asks; without anyone to ask it says how to say yes. */
export async function isAccepted({ lines, hash, accept, again, question }: Acceptance): Promise<boolean> {
  if (accept !== undefined && accept !== hash)
    throw new Problem("conflict", `its content is ${hash}, not ${accept}; review it again: ${commandRef(again())}`);
  const terminal = openTerminal();
  terminal.say(lines(terminal.colors));
  if (accept === hash) return true;
  if (process.stdin.isTTY === true && process.stdout.isTTY === true) {
    const reader = createInterface({ input: process.stdin, output: unguardedStream(process.stdout) });
    const answer = await reader.question(`${question} [y/N] `).finally(() => reader.close());
    if (/^y(es)?$/i.test(answer.trim())) return true;
    terminal.say(["Nothing was changed."]);
    return false;
  }
  terminal.say(["Nothing was changed. To accept this content:", `  ${shellLine(again(`--accept ${hash}`))}`]);
  return false;
}
