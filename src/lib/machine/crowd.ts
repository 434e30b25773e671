/**
 * Watches how much a jail takes, and ends it as a whole when that is too much: a fork bomb or a leak must not take the machine with it.
 * The kernel's own limit of processes does not bind root, and control groups are not ours to make; what is in a jail can be counted from
 * outside.
 */
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setPriority, totalmem } from "node:os";

const everyMs = 50;
const page = 4096;
export const most = { processes: 512, bytes: Math.min(4 * 2 ** 30, totalmem() / 2) };

/** `first` is the pid of the jail's first process, as we see it. Calls once with the reason. Returns a function that stops watching. */
export function watchCrowd(first: number, tooMuch: (why: string) => void, bounds = most): () => void {
  const processes = `/proc/${first}/root/proc`;
  let measuring = false;
  const stop = () => clearInterval(timer);
  const timer = setInterval(() => {
    // At once, not by a thread: a bomb doubles in a moment, and threads wait long while it does.
    const pids = pidsIn(processes);
    const end = (why: string) => {
      stop();
      hurry(first);
      tooMuch(why);
    };
    if (pids.length > bounds.processes) return end(`it had more than ${bounds.processes} processes`);
    if (measuring) return;
    measuring = true;
    void memoryOf(processes, pids).then((bytes) => {
      measuring = false;
      if (bytes > bounds.bytes) end(`it used more than ${Math.round(bounds.bytes / 2 ** 20)} MiB of memory`);
    });
  }, everyMs);
  timer.unref();
  return stop;
}

/** All others end when the first does, so it must get its turn in a crowd. Only root may ask for that, and only root needs it. */
function hurry(first: number): void {
  try {
    setPriority(first, -20);
  } catch {
    // Not root, or it has ended.
  }
}

function pidsIn(processes: string): string[] {
  try {
    return readdirSync(processes).filter((name) => /^\d+$/.test(name));
  } catch {
    return []; // it is just ending
  }
}

async function memoryOf(processes: string, pids: readonly string[]): Promise<number> {
  let bytes = 0;
  for (const pid of pids) {
    const statm = await readFile(`${processes}/${pid}/statm`, "utf8").catch(() => "");
    const [, resident = 0, shared = 0] = statm.split(" ").map(Number);
    bytes += Math.max(0, resident - shared) * page;
  }
  return bytes;
}
