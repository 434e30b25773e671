/** `agiraph trust`: a person's word that the agents of a home which lies in a project may work. Returns the exit code. */
import { existsSync, lstatSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { clean } from "../../cli/terminal/text.ts";
import { machine } from "../../lib/machine/index.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { ensureDaemon } from "../daemon/ensure.ts";
import { findDaemon } from "../daemon/find.ts";
import { stopDaemon } from "../daemon/stop.ts";
import { markDiscovered } from "../home/environment.ts";
import { distrustHome, isTrusted, ownHome, trustHome } from "../home/trust.ts";
import { exit } from "./exit.ts";
import { openTerminal } from "./terminal.ts";

export interface TrustGiven {
  json: boolean;
  remove?: boolean;
}

/** `folder` is a home or a project that has one; `found` is the one that was come upon. */
export async function trust(folder: string | undefined, found: () => string, given: TrustGiven): Promise<number> {
  const home = folder === undefined ? found() : homeIn(resolve(folder));
  if (resolve(home) === ownHome()) throw new Problem("invalid", `${home} is your own home; it is always trusted`);
  markDiscovered(home);
  const running = await findDaemon(home);
  if (given.remove) {
    distrustHome(home);
    if (running) await stopDaemon(home, running);
  } else {
    trustHome(home);
    // It began when nothing was allowed.
    if (running?.untrusted) await ensureDaemon(home);
  }
  const agents = (await machine.files.list(join(home, "agents"))).flatMap(({ name, kind }) =>
    kind === "folder" ? [name] : [],
  );
  const trusted = isTrusted(home);
  if (given.json) process.stdout.write(`${visibleJson({ home, trusted, agents })}\n`);
  else openTerminal().say(words(home, agents, trusted));
  return exit.done;
}

function words(home: string, agents: readonly string[], trusted: boolean): string[] {
  if (!trusted) return [`${home} is no longer trusted; its agents do not run unless you name it with --home.`];
  const names = agents.map(clean).join(", ");
  return [
    `${home} is now trusted: ${agents.length ? `its agents may run (${names})` : "it has no agents yet"}.`,
    `Its providers, tools, skills and MCP servers are used only if you name it: --home ${home}`,
  ];
}

function homeIn(folder: string): string {
  const home =
    basename(folder) === ".agiraph" || !existsSync(join(folder, ".agiraph")) ? folder : join(folder, ".agiraph");
  const there = lstatSync(home, { throwIfNoEntry: false });
  if (there?.isDirectory() && basename(home) === ".agiraph") return home;
  throw new Problem("not_found", `there is no home in ${folder}: it has no .agiraph folder`);
}
