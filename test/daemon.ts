/** A real daemon in a home of its own, for tests: started as people start it, asked over HTTP, and gone at the end whatever happened. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterThisTest } from "../src/lib/cleanup.test-help.ts";
import { bin, homeServer } from "./built.ts";
import { type Ended, plainEnv, root } from "./program.ts";

const children = new Set<ChildProcess>();
const homes = new Set<string>();

/** At the end of the test that is under way: a hook of this module would count for the first file that imports it, and for no other. */
function sweepLater(): void {
  afterThisTest(() => {
    for (const child of children) child.kill("SIGKILL");
    // Also one that waited for the home and would get it now.
    for (const home of homes)
      for (const pid of spawnSync("pgrep", ["-f", "--", `--home ${home} up`], { encoding: "utf8" }).stdout.split("\n"))
        if (pid) end(Number(pid));
    homes.clear();
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // it is gone
  }
}

export interface DaemonJson {
  pid: number;
  started_at: string;
  host: string;
  port: number;
  token: string;
  version: string;
}

export function daemonFile(home: string): DaemonJson | undefined {
  const path = join(home, "daemon.json");
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as DaemonJson) : undefined;
}

/** Whatever `up -d` left there is ended after the test. */
export function clearLater(home: string): string {
  sweepLater();
  homes.add(home);
  return home;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ended>;
  /** All it said so far. */
  said(): string;
  /** Resolves when it said this. */
  until(text: string | RegExp): Promise<void>;
}

export function start(home: string, args: string[], env: Record<string, string> = {}): Running {
  const own = { ...plainEnv(), AGIRAPH_HOME: home };
  const child = spawn(process.execPath, [bin, ...args], { cwd: root, env: { ...own, ...env } });
  sweepLater();
  children.add(child);
  let [out, err] = ["", ""];
  const waiting = new Set<() => void>();
  child.stdout!.on("data", (bytes) => {
    out += bytes;
    for (const look of waiting) look();
  });
  child.stderr!.on("data", (bytes) => {
    err += bytes;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => {
      children.delete(child);
      resolve({ code, out, err });
    });
  });
  const until = (text: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (typeof text === "string" ? out.includes(text) : text.test(out)) resolve();
      };
      waiting.add(look);
      look();
      void ended.then(() => reject(new Error(`it ended without saying ${text}:\n${out}${err}`)));
    });
  return { child, ended, until, said: () => out };
}

export interface Asked {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at it as it is
  body: any;
}

/** Of the daemon that daemon.json names. */
export async function ask(
  home: string,
  what: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Asked> {
  const { port, token } = daemonFile(home)!;
  const [method, path] = what.split(" ") as [string, string];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", ...more };
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...given });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

/** Started in the foreground, and ready. */
export async function upAndReady(home: string, env: Record<string, string> = {}): Promise<Running> {
  const daemon = start(home, ["up", "--port", "0"], env);
  await daemon.until("ready in");
  return daemon;
}

/**
 * The same daemon in this process, at a port of its own, until the test is over: for tests of what it serves. A process for each of them costs more
 * than what most of them do with it. Never send a signal to the pid in its daemon.json: that is the test itself.
 */
export async function serveHere(home: string, env: Record<string, string> = {}): Promise<void> {
  const { serveHome }: typeof import("./home-server.ts") = await import(homeServer);
  afterThisTest(await serveHome(home, { ...plainEnv(), AGIRAPH_HOME: home, ...env }));
}
