/** Where a command speaks. Light: one that opens no house loads no more than this. */
import type { Input } from "../../cli/terminal/input.ts";
import { createTerminal, type Terminal } from "../../cli/terminal/terminal.ts";
import { unguardedStream } from "../../cli/terminal/way-out.ts";

export function openTerminal(input?: Input): Terminal {
  const { stdout, env } = process;
  const live = stdout.isTTY === true && env.TERM !== "dumb";
  return createTerminal({
    out: unguardedStream(stdout),
    live,
    color: live && !env.NO_COLOR,
    ...(input ? { prompt: input } : {}),
  });
}
