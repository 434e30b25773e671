/**
 * The daemon of a home, for every command that is a client: found, or started in the background. Two who start it at once get the same one:
 * the home's lock decides, and the loser's process ends by itself.
 *
 * One of another version is replaced if nobody works in it; otherwise it is used, and the person is told.
 */

import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { shellLine } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";
import { lastLines } from "../actions/logs.ts";
import { refusalOf, wasDiscovered } from "../home/environment.ts";
import { makeHome } from "../home/trust.ts";
import { binPath } from "../installation/bin-path.ts";
import { version } from "../installation/version.ts";
import { askDaemon, findDaemon, type RunningDaemon } from "./find.ts";
import { logPath } from "./log.ts";
import { stopDaemon } from "./stop.ts";

export interface Ensured {
  url: string;
  token: string;
  pid: number;
  /** It was not there before. */
  started: boolean;
}

export interface EnsureOptions {
  port?: number;
  tell?(line: string): void;
}

const patienceMs = 20_000;

export async function ensureDaemon(home: string, options: EnsureOptions = {}): Promise<Ensured> {
  const { tell = (line) => void process.stderr.write(`${line}\n`) } = options;
  const running = await findDaemon(home);
  // What it was refused when it began may be allowed by now.
  if (running?.untrusted && !refusalOf(home)) await stopDaemon(home, running);
  else if (running && (running.version === version() || !(await replaced(home, running, tell))))
    return { url: running.url, token: running.token, pid: running.pid, started: false };
  const { url, token, pid } = await start(home, options.port);
  return { url, token, pid, started: true };
}

/** The same for whoever makes agents work: it has what is set here (hand-over.ts). */
export async function ensureWorking(
  home: string,
  { quiet, ...options }: EnsureOptions & { quiet?: boolean } = {},
): Promise<Ensured> {
  const daemon = await ensureDaemon(home, options);
  const tell = (line: string) => void (quiet || process.stderr.write(`agiraph: ${line}\n`));
  // One that was started just now was started with it.
  if (!daemon.started) await (await import("./hand-over.ts")).handOver(home, daemon, tell);
  return daemon;
}

async function replaced(home: string, running: RunningDaemon, tell: (line: string) => void): Promise<boolean> {
  const said = `the daemon is version ${running.version}, this is ${version()}`;
  const busy = await askDaemon<{ working: number }>(running, "/status");
  if (busy?.working !== 0) {
    tell(`agiraph: ${said}; it is busy and keeps running. To replace it: ${shellLine("down")}`);
    return false;
  }
  tell(`agiraph: ${said}; replacing it, because it is idle`);
  await stopDaemon(home, running);
  return true;
}

async function start(home: string, port: number | undefined): Promise<RunningDaemon> {
  const log = openLog(home);
  const args = ["--home", home, "up", "--quiet", ...(wasDiscovered(home) ? ["--plain"] : [])];
  if (port !== undefined) args.push("--port", String(port));
  const child = spawn(process.execPath, [...leanFlags, binPath(), ...args], {
    cwd: home,
    detached: true,
    stdio: ["ignore", log, log],
  });
  let ended: string | undefined;
  child.on("error", (error) => {
    ended = error.message;
  });
  child.on("exit", (code, signal) => {
    if (code !== 0) ended = signal ? `ended by ${signal}` : `exit code ${code}`;
  });
  child.unref();
  closeSync(log);
  const until = performance.now() + patienceMs;
  for (;;) {
    const found = await findDaemon(home);
    if (found) return found;
    if (ended !== undefined || performance.now() > until) {
      const last = lastLines(home, 8).map((line) => `\n  ${line}`);
      const why = ended ?? `no answer after ${patienceMs / 1000} s`;
      throw new Problem("unreachable", `the daemon did not start (${why}). Its log says:${last.join("")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What Node itself says when it dies goes where everything goes; all else is written by the log. */
function openLog(home: string): number {
  try {
    makeHome(home);
    return openSync(logPath(home), "a", 0o600);
  } catch (error) {
    throw new Problem(
      "storage_failed",
      `cannot use ${home} as the home: ${(error as Error).message}. Choose another with --home or AGIRAPH_HOME`,
    );
  }
}

/** For a process that mostly rests: a small nursery saves 30 MB, and folding a log is as fast with it. */
export const leanFlags: readonly string[] = ["--max-semi-space-size=4"];
