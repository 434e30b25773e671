/**
 * Programs on this machine. Each runs in a process group of its own and carries its tag in the environment, which children inherit: so a process
 * that escapes the group (setsid) or survives our crash is still found and killed. Finding them by tag needs /proc. In a sandbox the tag is carried
 * by its first process, with which all others end.
 */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { proxyEnv } from "../network/proxy-env.ts";
import type { Exit, Processes, Program, Running } from "../world.ts";
import { crowdBounds, watchCrowd } from "./crowd.ts";
import { foldersOf } from "./installed.ts";
import { findOpenings } from "./openings.ts";
import { isKilled, outOfMemoryKills } from "./out-of-memory.ts";
import { openPorts } from "./ports.ts";
import { type Outside, openProxy } from "./proxy.ts";
import { createProbe } from "./remedy.ts";
import { readablePaths, sandboxArgs } from "./sandbox.ts";
import { startSandbox } from "./sandbox-start.ts";
import { giveToSandbox, takeFromSandbox } from "./sandbox-user.ts";

const variable = "AGIRAPH_TAG";
const graceMs = 2_000;

export const processes = createProcesses();

export function createProcesses(
  options: { outside?: Outside; places?: string[]; bounds?: typeof crowdBounds; kills?: typeof outOfMemoryKills } = {},
): Processes {
  const probe = createProbe(options.places);
  const { kills = outOfMemoryKills } = options;

  /** Resolves once it runs. What it needs outside of its sandbox exists until it has ended. */
  async function launch(program: Program, kind: "run" | "talk"): Promise<Running> {
    const { sandbox, env, folder } = program;
    if (!sandbox) {
      await takeFromSandbox(folder);
      return await start(program, kind, kills);
    }
    const { hosts, ports = [] } = sandbox;
    const needsNetwork = hosts.length + ports.length > 0;
    const found = await probe(needsNetwork);
    if (typeof found === "string") throw new Error(found);
    const admit =
      sandbox.admit && (needsNetwork || typeof (await probe(true)) !== "string") ? sandbox.admit : undefined;
    const ways: { close(): Promise<void> }[] = [];
    const close = async () => {
      for (const way of ways) await way.close();
    };
    try {
      const { unreached } = sandbox;
      const reach = { hosts, ...(admit && { admit }), ...(unreached && { unreached }) };
      const proxy = hosts.length || admit ? await openProxy(reach, options.outside) : undefined;
      if (proxy) ways.push(proxy);
      const bridge = ports.length ? await openPorts(ports) : undefined;
      if (bridge) ways.push(bridge);
      for (const path of [...sandbox.write, ...sandbox.read]) await giveToSandbox(path);
      const closed = await findOpenings(readablePaths(sandbox), sandbox.write);
      const programs = await foldersOf(sandbox.programs ?? [], env.PATH ?? "");
      const extra = { programs, proxy: proxy?.folder, ports: bridge?.folder, closed };
      const args = [...sandboxArgs(found, sandbox, folder, extra), ...program.command];
      const inside = { ...program, command: [found.file, ...args] as Program["command"] };
      const running = await start(
        { ...inside, env: { ...env, ...(proxy && proxyEnv) } },
        kind,
        kills,
        options.bounds ?? crowdBounds,
      );
      return { ...running, exit: running.exit.finally(close) };
    } catch (error) {
      await close();
      throw error;
    }
  }

  return {
    async run(program) {
      const { close, exit } = await launch(program, "run");
      close();
      return await exit;
    },

    start: (program) => launch(program, "talk"),

    sweep: (tag) => endTagged(tag, "SIGKILL"),

    async sandbox(network) {
      const found = await probe(network);
      return typeof found === "string" ? found : null;
    },
  };
}

/** With bounds it is a sandbox. Unless it is interactive, both of its outputs are kept. */
function start(
  program: Program,
  kind: "run" | "talk",
  kills: typeof outOfMemoryKills,
  bounds?: typeof crowdBounds,
): Promise<Running> {
  const { command, tag, folder, env, input, signal, output, alone } = program;
  const [file, ...args] = command;
  let unwatch: (() => void) | undefined;
  let sandboxed: number | undefined;
  let ended: string | undefined;
  const before = kills();
  const watch = (first: number) => {
    sandboxed = first;
    unwatch = watchCrowd(
      first,
      (why) => {
        if (!carries(first, tag)) return; // it has just ended, and its pid may have been reused
        ended = why;
        end(first, "SIGKILL"); // all of them end with the first
      },
      bounds,
    );
  };
  const own = { ...env, [variable]: tag };
  const child = bounds
    ? startSandbox(file, args, own, watch)
    : spawn(file, args, { cwd: folder, env: own, detached: true, stdio: "pipe" });
  const [stdin, stdout, stderr] = [child.stdin!, child.stdout!, child.stderr!];
  const kept = createTail(output);
  for (const stream of [stdout, stderr]) stream.setEncoding("utf8");
  for (const stream of kind === "run" ? [stdout, stderr] : [stderr]) stream.on("data", kept.add);
  stdin.on("error", () => undefined); // it ended before it read everything
  if (input) stdin.write(input);
  let force: NodeJS.Timeout | undefined;
  let clearing: Promise<void> | undefined;
  const stop = () => {
    end(-child.pid!, "SIGTERM");
    force = setTimeout(() => void endTagged(`${tag}\0`, "SIGKILL"), graceMs);
  };
  const exit = new Promise<Exit>((resolve) => {
    child.on("exit", () => {
      unwatch?.();
      if (!alone || bounds) return;
      end(-child.pid!, "SIGKILL");
      clearing = clear(`${tag}\0`);
    });
    child.on("close", async (code, by) => {
      signal.removeEventListener("abort", stop);
      clearTimeout(force);
      await clearing;
      if (alone && !bounds) await clear(`${tag}\0`);
      else if (signal.aborted) await endTagged(`${tag}\0`, "SIGKILL");
      if (sandboxed) await gone(sandboxed, `${tag}\0`);
      if (isKilled(code, by) && !signal.aborted && kills() > before)
        ended ??= "the kernel killed it when memory ran out (OOM killer)";
      resolve({ code, output: kept.text(), ...(by && { signal: by }), ...(ended && { ended }) });
    });
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("spawn", () => {
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      resolve({
        write: (text) => void (stdin.writable && stdin.write(text)),
        close: () => void stdin.end(),
        output: stdout,
        exit,
      });
    });
  });
}

/**
 * The first process of a sandbox ends with bubblewrap, after all others of the sandbox. That takes a moment; and if bubblewrap was killed before it
 * could do so, it is killed here.
 */
async function gone(first: number, tag: string): Promise<void> {
  for (let tries = 1; tries < 1_000; tries++) {
    const stat = await readFile(`/proc/${first}/stat`, "utf8").catch(() => "");
    if (!stat || /\) [ZX] /.test(stat)) return;
    if (tries % 50 === 0) await endTagged(tag, "SIGKILL");
    await sleep(1);
  }
}

/** Kills them until none is found twice: a process that is just starting shows its tag a moment later. */
async function clear(tag: string): Promise<void> {
  for (let quiet = 0, tries = 0; quiet < 2 && tries < 100; tries++) {
    quiet = (await endTagged(tag, "SIGKILL")) ? 0 : quiet + 1;
    await sleep(5);
  }
}

/** Signals every process with this tag prefix, or exactly this tag if it ends in a zero byte; returns how many. */
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

function carries(pid: number, tag: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "utf8")}`.includes(`\0${variable}=${tag}\0`);
  } catch {
    return false;
  }
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
    text: () => (left ? `${head}\n[… ${left} characters left out …]\n${tail}` : head + tail).toWellFormed(),
  };
}
