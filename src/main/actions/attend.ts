/** Stays with an agent in the terminal until it is finished, stands still, or the person leaves. */

import type { Shell } from "../../cli/commands/shell.ts";
import { run } from "../../cli/run/run.ts";
import { createWatched } from "../../cli/run/watched.ts";
import { createInput } from "../../cli/terminal/input.ts";
import { unguardedStream } from "../../cli/terminal/way-out.ts";
import type { State } from "../../core/state.ts";
import { machine } from "../../lib/machine/index.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { hearSignals, type Signals } from "../home/environment.ts";
import { exit } from "./exit.ts";
import { pathsIn } from "./paths.ts";
import { type OpenShell, using, type Where } from "./shell.ts";
import { openTerminal } from "./terminal.ts";

interface Attending {
  agent: string;
  /** What Ctrl-C means. One that lives in this process is paused. */
  leaving: "pause" | "detach";
  head: string[];
  /** It was there before: what it did is not told again. */
  known?: boolean;
}

/** Finds or makes an agent, and stays with it until it is finished, stands still, or the person leaves. */
export async function stay(where: Where, begin: (shell: Shell) => Promise<Attending>): Promise<number> {
  // What works in this process must be ended in order; what works in the daemon is not ended by leaving a command that still begins.
  const early = where.alone ? hearSignals() : undefined;
  try {
    return await using(where, "now", async (shell) => {
      const begun = await begin(shell);
      const signals = early ?? hearSignals();
      try {
        return await attend(where, shell, signals, begun);
      } finally {
        signals.end();
      }
    });
  } finally {
    early?.end();
  }
}

/** Live for people, every event for programs. */
async function attend(
  where: Where,
  shell: OpenShell,
  signals: Signals,
  { agent, leaving, head, known }: Attending,
): Promise<number> {
  const watched = createWatched(shell.client, agent);
  const { stdin, stdout, env } = process;
  const talks = !where.json && stdin.isTTY === true && stdout.isTTY === true && env.TERM !== "dumb";
  const input = talks ? createInput(stdin, unguardedStream(stdout), signals.interrupt) : undefined;
  const terminal = where.json ? silent(shell) : openTerminal(input);
  shell.noticesTo(terminal);
  try {
    const from: State | undefined = known ? await watched.state() : undefined;
    if (!where.json) terminal.say(head);
    const follow: typeof watched.follow = async function* (after, signal) {
      for await (const some of watched.follow(after, signal)) {
        if (where.json) for (const event of some) shell.write(`${visibleJson(event)}\n`);
        yield some;
      }
    };
    const outcome = await run({
      watched: { ...watched, follow },
      terminal,
      agent,
      ...(from ? { from } : {}),
      now: machine.clock.now,
      stop: signals.heard,
      input,
      ...(where.alone ? {} : { leaving }),
      paths: pathsIn(where.home),
    });
    if (outcome === "paused") return signals.exitCode();
    return outcome === "stuck" ? exit.waiting : exit.done;
  } finally {
    input?.close();
    shell.noticesTo(shell.terminal);
  }
}

/** What a view says goes nowhere: programs read the events. */
export function silent({ terminal }: Shell): Shell["terminal"] {
  return { ...terminal, live: false, say: () => undefined, board: () => undefined, end: () => undefined };
}
