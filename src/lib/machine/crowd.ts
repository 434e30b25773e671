/**
 * Resource limits of a sandbox: watches its memory and processes, and kills it as a whole when that is too much: a fork bomb or a leak must not
 * take the machine with it. We cannot create cgroups, but what is in a sandbox can be counted from outside.
 *
 * Memory is what its processes use that is not backed by a file: private and shared, resident and swapped. First shared memory counts in full for
 * each process, which is quick to read; only when that is too much it is read exactly (PSS). Processes are read one after the other: while some
 * come or go, their shares change between two reads and the sum may be wrong. So a sum counts at once if no process came or went meanwhile, and
 * otherwise only if it is too much again and again.
 * Not covered: shared memory that is not mapped at the moment (a memfd that was only written, pages that were released). The sandbox is the OOM
 * killer's first choice.
 */
import { readdirSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setPriority, totalmem } from "node:os";

const everyMs = 50;
export const crowdBounds = { processes: 512, bytes: Math.min(4 * 2 ** 30, totalmem() / 2) };

/** `first` is the pid of the sandbox's first process, as we see it. Calls once with the reason. Returns a function that stops watching. */
export function watchCrowd(first: number, tooMuch: (why: string) => void, bounds = crowdBounds): () => void {
  const processes = `/proc/${first}/root/proc`;
  let measuring = false;
  const stop = () => clearInterval(timer);
  const timer = setInterval(() => {
    // Synchronous, not on a thread: a fork bomb doubles in a moment, and threads wait long while it does.
    const pids = pidsIn(processes);
    const end = (why: string) => {
      stop();
      hurry(first);
      tooMuch(why);
    };
    if (pids.length > bounds.processes) return end(`it had more than ${bounds.processes} processes`);
    if (measuring) return;
    measuring = true;
    void isOver(bounds.bytes, processes).then((over) => {
      measuring = false;
      if (over) end(`it used more than ${Math.round(bounds.bytes / 2 ** 20)} MiB of memory`);
    });
  }, everyMs);
  timer.unref();
  return stop;
}

/** All others end when the first does, so it must be scheduled in a crowd. Only root may ask for that, and only root needs it. */
function hurry(first: number): void {
  try {
    setPriority(first, -20);
  } catch {
    // Not root, or it has ended.
  }
}

function pidsIn(processes: string): string[] {
  try {
    // Until it is set up it still sees our /proc.
    if (statSync(processes).dev === statSync("/proc").dev) return [];
    return readdirSync(processes).filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // it is just ending
  }
}

/** How often it is read while processes come and go. One that never settles is still ended within a moment. */
const readings = 4;

async function isOver(bytes: number, processes: string): Promise<boolean> {
  const read = (path: string) => readFile(`${processes}/${path}`, "utf8").catch(() => "");
  for (let reading = 1; reading <= readings; reading++) {
    const before = pidsIn(processes);
    if ((await memoryOf(read, before, bytes)) <= bytes) return false;
    if (pidsIn(processes).join() === before.join()) return true;
  }
  return true;
}

/** `read` reads a file of the sandbox's /proc; undefined if it cannot. Exact only if it is more than `enough`. */
export async function memoryOf(read: Read, pids: readonly string[], enough: number): Promise<number> {
  let most = 0;
  for (const pid of pids) most += await fullOf(read, pid);
  if (most <= enough) return most;
  let exact = 0;
  // On a kernel without this file, and for a process that hides it, shared memory counts in full: as it is now, for one that has just ended reports
  // nothing either.
  for (const pid of pids) exact += sumOf(await read(`${pid}/smaps_rollup`), shares) ?? (await fullOf(read, pid));
  return exact;
}

type Read = (path: string) => Promise<string>;

/** Including all shared memory. */
const fullOf = async (read: Read, pid: string): Promise<number> => sumOf(await read(`${pid}/status`), full) ?? 0;

const full = /^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm;
const shares = /^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$/gm;

/** Bytes in these fields of a text; undefined if it has none. */
function sumOf(text: string, fields: RegExp): number | undefined {
  const found = [...text.matchAll(fields)].map(([, kilobytes]) => Number(kilobytes) * 1024);
  return found.length ? found.reduce((all, one) => all + one, 0) : undefined;
}
