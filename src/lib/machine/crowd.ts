/**
 * Watches how much a jail takes, and ends it as a whole when that is too much: a fork bomb or a leak must not take the machine with it.
 * The kernel's own limit of processes stops them but leaves them there, and control groups are not ours to make; what is in a jail can be
 * counted from outside.
 */
import { readdir, readFile } from "node:fs/promises";
import { totalmem } from "node:os";

const everyMs = 150;
const page = 4096;
export const most = { processes: 512, bytes: Math.min(4 * 2 ** 30, totalmem() / 2) };

/** `first` is the pid of the jail's first process, as we see it. Calls once with the reason. Returns a function that stops watching. */
export function watchCrowd(first: number, tooMuch: (why: string) => void, bounds = most): () => void {
  let busy = false;
  const timer = setInterval(async () => {
    if (busy) return;
    busy = true;
    const why = await judge(`/proc/${first}/root/proc`, bounds).catch(() => null); // it is just ending
    busy = false;
    if (!why) return;
    clearInterval(timer);
    tooMuch(why);
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

async function judge(processes: string, bounds: typeof most): Promise<string | null> {
  const pids = (await readdir(processes)).filter((name) => /^\d+$/.test(name));
  if (pids.length > bounds.processes) return `it had more than ${bounds.processes} processes`;
  const sizes = await Promise.all(
    pids.map(async (pid) => {
      const statm = await readFile(`${processes}/${pid}/statm`, "utf8").catch(() => "");
      const [, resident = 0, shared = 0] = statm.split(" ").map(Number);
      return Math.max(0, resident - shared) * page;
    }),
  );
  const used = sizes.reduce((sum, size) => sum + size, 0);
  return used > bounds.bytes ? `it used more than ${Math.round(bounds.bytes / 2 ** 20)} MiB of memory` : null;
}
