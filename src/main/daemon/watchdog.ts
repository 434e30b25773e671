/**
 * Watches from a thread of its own that the loop turns (watchdog-thread.ts), and does something about whoever stops it.
 *
 * Whoever is about to work on what others wrote says so (World.working): whose work, which tool, how many bytes. When the loop stands, what is under
 * way then is in the log, and the work that began last is held to be the cause. An agent that is the cause twice is paused, and the human must move.
 * A loop that is dead ends the process; whoever keeps it running, or the next command, starts it anew, and a turn that was interrupted too often
 * pauses its agent (core/turn/turn.ts). While nothing is under way both threads sleep.
 * Not here: what keeps the loop from standing still at all; each reader of foreign text has its own bounds.
 */
import { Worker } from "node:worker_threads";
import type { Work } from "../../lib/world.ts";
import type { Log } from "./log.ts";
import { logPath } from "./log.ts";
import { type Beat, createShared, type Stall, writeNote } from "./watchdog-note.ts";

export interface WatchdogOptions {
  home: string;
  log: Log;
  /** An agent has stopped the loop this often; `words` say what it did. */
  pause(agent: string, words: string): Promise<void>;
  limits?: Partial<Pick<Beat, "lookMs" | "stallMs" | "deadMs">>;
}

export interface Watchdog {
  /** Says what is about to be worked on; the answer says that it is over. */
  working(work: Work): () => void;
  close(): Promise<void>;
}

const limits = { lookMs: 250, stallMs: 1_000, deadMs: 30_000 };
const beatMs = 100;
/** It is watched for so long after the last work: what a work has begun may go on a little. */
const lingerMs = 2_000;
/** So many stalls of one agent are one too many, within this time. */
const mostStalls = 2;
const windowMs = 10 * 60_000;
const mostTold = 20;

export function createWatchdog({ home, log, pause, limits: given }: WatchdogOptions): Watchdog {
  const shared = createShared();
  const flags = new Int32Array(shared, 0, 2);
  const workerData: Beat = { shared, logPath: logPath(home), ...limits, ...given };
  let thread: Worker | undefined;

  /** With the first work: a daemon that only listens needs none. */
  function begin(): void {
    thread = new Worker(program, { workerData, execArgv: [], stdout: true, stderr: true });
    thread.unref();
    thread.on("error", (error) => log.line(`the watchdog ended: ${error}`));
    thread.on("message", (stall: Stall) => void heard(stall).catch((error) => log.line(`watchdog: ${error}`)));
  }

  /** The newest last. Of thousands, as many as can be told: this is done for every request. */
  const works = new Map<Work, string>();
  const told: Work[] = [];
  let timer: NodeJS.Timeout | undefined;
  let quietSince = 0;
  let closed = false;
  /** What was written down when; a stall is told after it is over. */
  let newest: Work | undefined;
  const stalls = new Map<string, number[]>();

  function arm(): void {
    if (timer || closed) return;
    if (!thread) begin();
    timer = setInterval(turn, beatMs).unref();
    Atomics.add(flags, 1, 1);
    Atomics.store(flags, 0, 1);
    Atomics.notify(flags, 0);
  }

  function turn(): void {
    Atomics.add(flags, 1, 1);
    Atomics.notify(flags, 1);
    if (works.size > 0) quietSince = 0;
    else if (quietSince === 0) quietSince = performance.now();
    else if (performance.now() - quietSince > lingerMs) {
      clearInterval(timer);
      timer = undefined;
      Atomics.store(flags, 0, 0);
    }
  }

  function note(): void {
    if (!told.length) told.push(...[...works.keys()].slice(-mostTold));
    const words = told
      .map((work) => works.get(work))
      .reverse()
      .join("; ");
    writeNote(shared, words || (newest ? `nothing; the last operation was ${inWords(newest)}` : ""));
  }

  async function heard({ ms, running }: Stall): Promise<void> {
    log.line(`the event loop was blocked for ${Math.round(ms)} ms; in progress: ${running}`);
    const agent = agentIn(running);
    if (agent === undefined) return;
    const now = performance.now();
    const times = [...(stalls.get(agent) ?? []).filter((at) => now - at < windowMs), now];
    stalls.set(agent, times);
    if (times.length < mostStalls) return;
    stalls.delete(agent);
    log.line(`${agent} has blocked the event loop ${times.length} times and is paused`);
    await pause(
      agent,
      `it blocked the daemon ${times.length} times, most recently for ${Math.round(ms)} ms: ${running}`,
    );
  }

  return {
    working(work) {
      works.set(work, inWords(work));
      told.push(work);
      if (told.length > mostTold) told.shift();
      newest = work;
      note();
      arm();
      return () => {
        works.delete(work);
        const at = told.lastIndexOf(work);
        if (at >= 0) told.splice(at, 1);
        note();
      };
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await thread?.terminate();
    },
  };
}

const inWords = ({ agent, what, bytes }: Work): string =>
  `${agent === undefined ? "" : `agent ${agent}: `}${what}${bytes === undefined ? "" : ` (${numbers.format(bytes)} bytes)`}`;

const numbers = new Intl.NumberFormat("en-US");

/** Of the work that began last. */
const agentIn = (running: string): string | undefined =>
  /^(?:nothing; the last was )?agent ([^:\s]{1,64}): /.exec(running)?.[1];

/** Beside this file, as it is here or as it was built. */
const program = new URL(
  import.meta.url.endsWith(".ts") ? "./watchdog-thread.ts" : "./watchdog-thread.mjs",
  import.meta.url,
);
