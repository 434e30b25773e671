/**
 * Programs on this machine. Each runs in a process group of its own and carries its tag in the environment, which children inherit: so what
 * escapes the group (setsid) or survives a crash of ours is still found and ended. Finding them by tag needs /proc.
 */
import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import type { Processes } from "../world.ts";

const variable = "AGIRAPH_TAG";
const graceMs = 2_000;

export const processes: Processes = {
  run({ command: [file, ...args], tag, folder, env, input, signal, output: most }) {
    return new Promise((resolve, reject) => {
      const child = spawn(file, args, {
        cwd: folder,
        env: { ...env, [variable]: tag },
        detached: true,
        stdio: ["pipe", "pipe", "pipe"],
      });
      const kept = createTail(most);
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", kept.add);
      child.stdin.on("error", () => undefined); // it ended before it read everything
      child.stdin.end(input);
      let force: NodeJS.Timeout | undefined;
      const stop = () => {
        end(-child.pid!, "SIGTERM");
        force = setTimeout(() => void endTagged(`${tag}\0`, "SIGKILL"), graceMs);
      };
      child.on("spawn", () => (signal.aborted ? stop() : signal.addEventListener("abort", stop, { once: true })));
      child.on("error", reject);
      child.on("close", async (code) => {
        signal.removeEventListener("abort", stop);
        clearTimeout(force);
        if (signal.aborted) await endTagged(`${tag}\0`, "SIGKILL");
        resolve({ code, output: kept.text() });
      });
    });
  },

  sweep: (tag) => endTagged(tag, "SIGKILL"),
};

/** Ends whoever carries a tag beginning with this, or exactly this if it ends in a zero; returns how many. */
async function endTagged(tag: string, signal: NodeJS.Signals): Promise<number> {
  const found = await tagged(tag);
  for (const pid of found) end(pid, signal);
  return found.length;
}

async function tagged(tag: string): Promise<number[]> {
  const names = await readdir("/proc").catch(() => []);
  const pids = names.map(Number).filter((pid) => pid > 1 && pid !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => ""); // gone, or not ours to read
      return `\0${environment}`.includes(`\0${variable}=${tag}`) ? [pid] : [];
    }),
  );
  return found.flat();
}

function end(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Keeps the beginning and the end of a long output. */
function createTail(most: number) {
  let head = "";
  let tail = "";
  let left = 0;
  return {
    add(text: string) {
      const room = Math.max(0, most / 2 - head.length);
      head += text.slice(0, room);
      tail += text.slice(room);
      if (tail.length > most / 2) {
        left += tail.length - most / 2;
        tail = tail.slice(-most / 2);
      }
    },
    text: () => (left ? `${head}\n[… ${left} characters left out …]\n${tail}` : head + tail),
  };
}
