/** How every command ends, and where it speaks. Light: a command that opens no house loads no more than this. */
import type { Input } from "../cli/input.ts";
import { createTerminal, type Terminal } from "../cli/terminal.ts";

export const exit = { done: 0, problem: 1, usage: 2, locked: 3, waiting: 4 } as const;

export function openTerminal(input?: Input): Terminal {
  const { stdout, env } = process;
  const live = stdout.isTTY === true && env.TERM !== "dumb";
  return createTerminal({
    out: stdout,
    live,
    color: live && !env.NO_COLOR,
    ...(input ? { prompt: input } : {}),
  });
}
