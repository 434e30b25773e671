/** The shell that a command of the terminal works with: a client of the daemon, or of this process with --alone. */
import type { Shell } from "../../cli/commands/shell.ts";
import { createClient } from "../../client/index.ts";
import { machine } from "../../lib/machine/index.ts";
import { ensureDaemon, ensureWorking } from "../daemon/ensure.ts";
import { exit } from "./exit.ts";
import { openTerminal } from "./terminal.ts";

export interface Where {
  home: string;
  json: boolean;
  /** Without the daemon: this process does the work, and it ends with it. */
  alone: boolean;
}

/** Whether agents work because of a command: later, when it is over, or while it stays with them. */
type Works = "later" | "now";

export interface OpenShell extends Shell {
  /** Notices of the house go to this terminal from now on. */
  noticesTo(terminal: Shell["terminal"]): void;
  close(): Promise<void>;
}

async function open({ home, json, alone }: Where, works?: Works): Promise<OpenShell> {
  const terminal = openTerminal();
  const shell = { terminal, json, now: machine.clock.now, write: (text: string) => void process.stdout.write(text) };
  if (!alone) {
    const { url, token } = await (works ? ensureWorking(home, { quiet: json }) : ensureDaemon(home));
    const client = createClient({ url, token });
    return { ...shell, client, later: false, noticesTo: () => undefined, close: async () => undefined };
  }
  let heard = terminal;
  // What a program reads is on stdout alone.
  const say = (lines: readonly string[]) =>
    json ? void process.stderr.write(lines.map((line) => `${line}\n`).join("")) : heard.say(lines);
  const { client, close } = await (await import("./alone.ts")).openAlone({ home, works: works === "now", say });
  const noticesTo = (to: Shell["terminal"]) => {
    heard = to;
  };
  return { ...shell, client, later: works !== "now", noticesTo, close };
}

export async function using<T>(
  where: Where,
  works: Works | undefined,
  act: (shell: OpenShell) => Promise<T>,
): Promise<T> {
  const shell = await open(where, works);
  try {
    return await act(shell);
  } finally {
    await shell.close();
  }
}

/** Does one thing and ends. */
export const once =
  <Given extends unknown[]>(act: (shell: Shell, ...given: Given) => Promise<unknown>, works?: Works) =>
  async (where: Where, ...given: Given): Promise<number> => {
    await using(where, works, (shell) => act(shell, ...given));
    return exit.done;
  };
