/**
 * `agiraph up`: the daemon in the foreground, until a signal ends it. One per home: if it runs already, that is said and all is well.
 *
 * The first signal ends it in order within ten seconds, the second at once; nothing that we started survives either. Light until it listens.
 */

import { statSync } from "node:fs";
import { flushCompileCache } from "node:module";
import type { Home } from "../../home/lock.ts";
import { commandRef } from "../../lib/command-line.ts";
import { clock } from "../../lib/machine/clock.ts";
import { Problem } from "../../schema/problem.ts";
import { exit } from "../actions/exit.ts";
import { startDaemon } from "./daemon.ts";
import { readDaemonFile } from "./daemon-file.ts";
import { findDaemon, isAlive, type RunningDaemon } from "./find.ts";
import { holdHome } from "./hold-home.ts";
import { createLog, type Log, secretsIn } from "./log.ts";
import type { OutsideOptions } from "./outside.ts";
import { showWindow } from "./window.ts";

export interface UpOptions {
  port: number;
  version: string;
  plain: boolean;
  /** Nobody watches: everything goes to the log. */
  quiet: boolean;
  /** Say how a browser comes in. */
  window: boolean;
  outside: OutsideOptions;
}

export async function up(home: string, { port, version, plain, quiet, window, outside }: UpOptions): Promise<number> {
  assertPrivate(home);
  const signals = hearSignals();
  const held = await holdOrFind(home);
  if ("url" in held) {
    process.stdout.write(`already running at ${held.url} (pid ${held.pid})\n`);
    if (outside.listen !== undefined || outside.proxy !== undefined)
      throw new Problem(
        "wrong_state",
        `its network options cannot be changed while it runs; run ${commandRef("down")}, then start it with these options`,
      );
    if (window) await showWindow(home, held);
    return exit.done;
  }
  let watched = !quiet;
  process.stdout.on("error", () => {
    watched = false; // whoever watched is gone; the log goes on
  });
  const echo = (line: string) => void (watched && process.stdout.write(`${line}\n`));
  const log = createLog({ home, now: clock.now, secrets: secretsIn(process.env), echo });
  if (quiet) takeOutput(log);
  watchFaults(log, signals.end);
  const daemon = await startDaemon({ home: held, version, port, env: process.env, plain, log, outside }).catch(
    (error) => ({
      error,
    }),
  );
  if ("error" in daemon) {
    await held.release();
    return said(log, daemon.error);
  }
  if (window) void showWindow(home, daemon).then(() => process.stdout.write("  stop with Ctrl-C; nothing is lost\n\n"));
  signals.second(async () => {
    log.line("second signal: exiting at once");
    const [{ processes }, { programTag }] = await Promise.all([
      import("../../lib/machine/processes.ts"),
      import("../../home/layout.ts"),
    ]);
    for (const tag of [programTag(home), `mcp/${programTag(home)}`]) await processes.sweep(tag);
  });
  const failed = await Promise.race([
    signals.heard,
    daemon.ready.then(
      () => {
        flushCompileCache(); // a killed process would not, and the next start would be slow again
        return signals.heard;
      },
      (error) => ({ error: error as unknown }),
    ),
  ]);
  if (typeof failed === "string") log.line(`${failed}: ending`);
  await daemon.close();
  if (typeof failed !== "string") return said(log, failed.error);
  log.line("ended");
  return signals.faulty() ? exit.problem : exit.done;
}

/** Whoever else could write there could take the place of daemon.json and of everything. */
function assertPrivate(home: string): void {
  const found = statSync(home, { throwIfNoEntry: false });
  if (found && process.platform !== "win32" && found.mode & 0o022)
    throw new Problem("forbidden", `${home} is writable by other users; run chmod go-w ${home} first`);
}

/** The home, or whoever serves it. A daemon that has just begun or is about to end is waited for. */
async function holdOrFind(home: string): Promise<Home | RunningDaemon> {
  const began = clock.mono();
  for (;;) {
    const running = await findDaemon(home);
    if (running) return running;
    try {
      return await holdHome(home);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "home_locked") throw error;
      const { pid } = (await readDaemonFile(home)) ?? {};
      const patience = pid !== undefined && (await isAlive(pid)) ? 15_000 : 2_000;
      if (clock.mono() - began > patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

interface Signals {
  /** The name of the first one. */
  heard: Promise<string>;
  /** What to do at once, before the process ends, when another comes. */
  second(act: () => Promise<void>): void;
  /** As if a signal had come, because of a fault. */
  end(): void;
  faulty(): boolean;
}

const atOnceMs = 1_000;

function hearSignals(): Signals {
  const numbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 };
  const heard = Promise.withResolvers<string>();
  let count = 0;
  let faulty = false;
  let act = async (): Promise<void> => undefined;
  for (const [name, number] of Object.entries(numbers))
    process.on(name, () => {
      heard.resolve(name);
      if (++count < 2) return;
      const leave = () => process.exit(128 + number);
      setTimeout(leave, atOnceMs);
      act().then(leave, leave);
    });
  return {
    heard: heard.promise,
    second: (given) => {
      act = given;
    },
    end() {
      faulty = true;
      heard.resolve("internal error");
    },
    faulty: () => faulty,
  };
}

/** What is thrown where nobody catches it is told; after an exception nobody knows what holds, so the daemon ends in order. */
function watchFaults(log: Log, end: () => void): void {
  const words = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.on("unhandledRejection", (error) => log.line(`fault: unhandled rejection: ${words(error)}`));
  process.on("uncaughtException", (error) => {
    log.line(`fault: ${words(error)}`);
    end();
  });
}

/** Whatever else is written by libraries and tools goes the same way as everything. */
function takeOutput(log: Log): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      const text = String(typeof chunk === "string" ? chunk : Buffer.from(chunk)).trimEnd();
      if (text) log.line(text);
      const done = rest.findLast((one) => typeof one === "function") as (() => void) | undefined;
      if (done) process.nextTick(done);
      return true;
    }) as typeof stream.write;
  }
}

/** A daemon that cannot start says why in its log, because that may be all that is left of it. */
function said(log: Log, error: unknown): number {
  if (error instanceof Problem) throw error; // main says it, by way of the log if nobody watches
  log.line(`cannot start: ${error instanceof Error ? error.stack : String(error)}`);
  return exit.problem;
}
