/** `agiraph status`, and what is shown when nothing was asked: who is here, what needs you, what can be done next. */

import type { z } from "zod";
import type { systemRoutes } from "../../api/system.ts";
import { clean } from "../../cli/terminal/text.ts";
import { commandRef, shellLine, showCommands } from "../../lib/command-line.ts";
import { money } from "../../lib/text/amounts.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import { ensureWorking } from "../daemon/ensure.ts";
import { askDaemon, findDaemon, type RunningDaemon } from "../daemon/find.ts";
import { version } from "../installation/version.ts";
import { exit } from "./exit.ts";

type Status = z.infer<(typeof systemRoutes)["status"]["answer"]>;

/** Exit code 1 if it does not run. */
export async function status(home: string, json: boolean): Promise<number> {
  const found = await findDaemon(home);
  const now = found && (await askDaemon<Status>(found, "/status"));
  if (!found || !now) {
    const said = json
      ? visibleJson({ running: false, home })
      : `not running (home ${home}); start it: ${shellLine("up -d")}`;
    process.stdout.write(`${said}\n`);
    return exit.problem;
  }
  const lines = json
    ? [visibleJson({ running: true, url: found.url, ...now })]
    : [...statusLines(found, now), `home     ${home}`];
  process.stdout.write(`${lines.join("\n")}\n`);
  return exit.done;
}

/** Without a command. */
export async function showWelcome(home: string): Promise<number> {
  const { started, ...daemon } = await ensureWorking(home);
  const now = await askDaemon<Status>(daemon, "/status");
  if (!now) throw new Problem("unreachable", `the daemon at ${daemon.url} does not answer; see ${commandRef("logs")}`);
  const lines = [
    ...statusLines({ ...daemon, version: now.version }, now, started ? "started" : "running"),
    "",
    ...nextSteps(now),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
  return exit.done;
}

type About = Pick<RunningDaemon, "url" | "pid" | "version">;

function statusLines(found: About, now: Status, how = "running"): string[] {
  const counts = Object.entries(now.agents).map(([name, count]) => `${count} ${name}`);
  const { starting } = now;
  const { usd, tokens } = now.spent_today;
  return [
    `daemon   ${how} at ${found.url} (pid ${found.pid})`,
    `since    ${now.started_at}`,
    ...(starting?.agents ? [`         starting: ${starting.done} of ${starting.agents} agents are loaded`] : []),
    `version  ${now.version}${now.version === version() ? "" : `; this is ${version()}; stop the other with: ${shellLine("down")}`}`,
    `agents   ${counts.join(", ") || "none yet"}`,
    ...(now.config_problem
      ? [`config   ${clean(now.config_problem)}; the previous settings apply until it is fixed`]
      : []),
    ...(now.untrusted ? [`trust    ${clean(showCommands(now.untrusted))}`] : []),
    ...now.faults.map(({ agent, message }) => `         ${agent} cannot be opened: ${clean(showCommands(message))}`),
    `inbox    ${now.needs_you ? `${now.needs_you} waiting for you` : "nothing needs you"}${now.unread ? `, ${now.unread} unread` : ""}`,
    `today    ${money(usd)}, ${tokens} tokens`,
  ];
}

function nextSteps(now: Status): string[] {
  const steps: [string, string][] = [
    ...(now.needs_you ? [[shellLine("inbox"), "what needs you"] as [string, string]] : []),
    [shellLine('run "…"'), "start an agent with a goal"],
    [shellLine("demo"), "watch a small scripted team; needs no API key"],
    [shellLine("open"), "open the page in your browser"],
    [shellLine("status"), "show this again"],
    [shellLine("down"), "stop the daemon"],
  ];
  const width = Math.max(...steps.map(([line]) => line.length));
  return ["Next:", ...steps.map(([line, does]) => `  ${line.padEnd(width)}   ${does}`)];
}
