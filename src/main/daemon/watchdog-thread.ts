/**
 * The thread that sees whether the loop of the daemon turns. It sleeps, without any cost, until the main thread says that there is work; then it
 * looks a few times a second whether the beat has changed.
 *
 * What stands with this thread is no stall: a laptop that sleeps, a process that was stopped, a machine that has no time for either. When the loop
 * is dead it writes so to the log by itself, because nobody else can, and ends the process.
 */
import { appendFileSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { type Beat, readNote, type Stall } from "./watchdog-note.ts";

const { shared, lookMs, stallMs, deadMs, logPath } = workerData as Beat;
const flags = new Int32Array(shared, 0, 2);
const [armed, beat] = [0, 1];

let seen = Atomics.load(flags, beat);
let since = performance.now();
let looked = since;
let running = "";

for (;;) {
  if (Atomics.load(flags, armed) === 0) {
    Atomics.wait(flags, armed, 0);
    start();
  }
  Atomics.wait(flags, beat, seen, lookMs);
  const now = performance.now();
  const gap = now - looked;
  looked = now;
  const turned = Atomics.load(flags, beat);
  if (turned !== seen) {
    if (running) tell({ ms: now - since, running });
    seen = turned;
    since = now;
    running = "";
    // It turns: no need to look before it might have stopped.
    Atomics.wait(flags, armed, 1, lookMs);
    looked = performance.now();
  } else if (gap > lookMs + stallMs / 2) start();
  else if (now - since >= deadMs) end(now - since);
  else if (now - since >= stallMs && !running) running = readNote(shared) || "no recorded operation";
}

function start(): void {
  seen = Atomics.load(flags, beat);
  since = performance.now();
  looked = since;
  running = "";
}

function tell(stall: Stall): void {
  parentPort!.postMessage(stall);
}

function end(ms: number): never {
  const line = `the event loop was blocked for ${Math.round(ms / 1000)} s; in progress: ${running}. Exiting for a restart`;
  try {
    appendFileSync(logPath, `${new Date().toISOString()} ${line.replace(/\p{Cc}/gu, " ")}\n`, { mode: 0o600 });
  } catch {
    // A log that cannot be written keeps nobody from ending.
  }
  process.kill(process.pid, "SIGKILL");
  throw new Error("ended");
}
