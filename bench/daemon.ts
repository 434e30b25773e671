/**
 * The daemon as a process of its own: how soon it listens, how soon it answers again after kill -9 in a home with a long history, and what it
 * costs while a hundred agents are parked in it. Every start is of the program itself, from bin/.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { leanFlags } from "../src/main/daemon/ensure.ts";
import type { Bench, Figure } from "./figure.ts";
import { agent, createHistory } from "./history.ts";
import { populate } from "./idle.ts";
import { repository } from "./place.ts";
import { saveSnapshot } from "./replay.ts";
import { inTurns, median, pause, quantile, timed } from "./rounds.ts";

const starts = 11;
const program = join(repository, "bin", "agiraph.mjs");

export const daemon: Bench = {
  name: "daemon",
  about:
    "agiraph up: from its start to listening, beyond Node's own start; from kill -9 to the next answer; a hundred parked agents.",
  async run(place) {
    const empty = place.folder("empty");
    const events = Math.round(1_000_000 * place.size);
    const long = place.folder("long");
    const history = await createHistory(long);
    history.extend(events, 0);
    await saveSnapshot(long);
    const agents = Math.round(100 * Math.max(place.size, 0.1));
    const parked = place.folder("parked");
    writeFileSync(join(parked, "config.yaml"), "model: none/none\n");
    await populate(parked, agents);
    if (process.platform !== "win32") execFileSync("sync");
    return [...(await listening(empty, long, events)), await back(long, events), ...(await idle(parked, agents))];
  },
};

async function listening(empty: string, long: string, events: number): Promise<Figure[]> {
  /** Of a machine that others use, the processor's time says more than the clock's. */
  const spent: number[] = [];
  const toListen = async (home: string) => {
    const started = await start(home);
    if (process.platform === "linux") spent.push(cpuTicks(started.child.pid!) * 10);
    await kill(started);
    return started.listening;
  };
  const found = await inTurns(starts, {
    empty: () => toListen(empty),
    long: () => toListen(long),
    node: () => timed(() => spawnSync(process.execPath, ["-e", "0"])),
  });
  const node = median(found.node);
  const figure = (name: string, times: number[], where: string): Figure => {
    const value = median(times) - node;
    const note = `Median of ${starts} starts ${where}, of ${median(times).toFixed(0)} ms in all; p75 ${quantile(times, 0.75).toFixed(0)} ms; ${median(spent)} ms of processor time, Node's own included.`;
    return { name, value, unit: "ms", baseline: node, ratio: null, goal: "< 300 ms", ok: value < 300, note };
  };
  return [
    figure("daemon.listen", found.empty, "in an empty home"),
    figure("daemon.listen.long", found.long, `in a home with ${events} events`),
  ];
}

/** The API, not only the port: an agent is asked for with the token. */
async function back(home: string, events: number): Promise<Figure> {
  const times: number[] = [];
  const health: number[] = [];
  const spent: number[] = [];
  let running = await start(home);
  await ask(running.home, `/agents/${agent}`);
  for (let round = 0; round < 7; round++) {
    const began = performance.now();
    await kill(running);
    running = await start(home);
    await ask(home, "/health");
    health.push(performance.now() - began);
    await ask(home, `/agents/${agent}`);
    times.push(performance.now() - began);
    if (process.platform === "linux") spent.push(cpuTicks(running.child.pid!) * 10);
  }
  await kill(running);
  const value = median(times);
  const note = `From kill -9 of one to the state of the agent with ${events} events from the next; /health after ${median(health).toFixed(0)} ms; slowest ${quantile(times, 1).toFixed(0)} ms; ${median(spent)} ms of processor time.`;
  return {
    name: "daemon.back",
    value,
    unit: "ms",
    baseline: null,
    ratio: null,
    goal: "< 1000 ms",
    ok: value < 1000,
    note,
  };
}

async function idle(home: string, agents: number): Promise<Figure[]> {
  const running = await start(home);
  while ((await ask<{ status: string }>(home, "/health")).status !== "ready") await pause(50);
  await pause(3_000);
  const { pid } = running.child;
  const [sizes, ticks, began] = [logSizes(home), cpuTicks(pid!), performance.now()];
  await pause(10_000);
  const cpu = ((cpuTicks(pid!) - ticks) * 1000) / (performance.now() - began);
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
  const quiet = logSizes(home) === sizes;
  await kill(running);
  return [
    {
      name: "daemon.idle.memory",
      value: rss,
      unit: "MB",
      baseline: null,
      ratio: null,
      goal: "≤ 150 MB",
      ok: rss <= 150,
      note: `Resident, 13 s after ${agents} parked agents were taken back; their logs ${quiet ? "did not grow: nobody was asked anything" : "GREW"}.`,
    },
    {
      name: "daemon.idle.cpu",
      value: cpu,
      unit: "% of a core",
      baseline: null,
      ratio: null,
      goal: "< 1 %",
      ok: cpu < 1 && quiet,
      note: "Over ten seconds.",
    },
  ];
}

interface Started {
  child: ChildProcess;
  home: string;
  /** Milliseconds from its start. */
  listening: number;
}

function start(home: string): Promise<Started> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, [...leanFlags, program, "--home", home, "up", "--port", "0"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout!.on("data", (text) => {
      if (String(text).includes("listening at")) resolve({ child, home, listening: performance.now() - began });
    });
    child.on("exit", (code) => reject(new Error(`the daemon ended with ${code}`)));
  });
}

function kill({ child }: Started): Promise<void> {
  return new Promise((resolve) => {
    child.on("exit", () => resolve());
    child.kill("SIGKILL");
  });
}

async function ask<T>(home: string, path: string): Promise<T> {
  const { port, token } = JSON.parse(readFileSync(join(home, "daemon.json"), "utf8"));
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** Hundredths of a second, by all of its threads. */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

const logSizes = (home: string): string =>
  readdirSync(join(home, "agents"))
    .map((name) => statSync(join(home, "agents", name, "events.jsonl")).size)
    .join();
