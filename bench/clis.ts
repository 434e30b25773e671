/**
 * What we add to an agent CLI: the real program in our sandbox, with our tools and our gateway, against the same program started bare; both ask the
 * same model on loopback, in turns. Nothing is measured where the program is not installed (npm run clis) or there is no sandbox.
 *
 * One task: from its start until it is done and the program is gone. Memory: the most that all processes of it took together, as each counts what
 * it shares (PSS), with what our own process grew by. Abort: from the human's stop until no process of it is left.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { installedCli } from "../scripts/clis.ts";
import { claudeCode } from "../src/driver/clis/claude-code.ts";
import { machine } from "../src/lib/machine/index.ts";
import { type House, openHouse } from "../src/main/house/house.ts";
import { type FakeModel, script, startModel } from "../test/clis/model.ts";
import type { Bench, Figure } from "./figure.ts";
import { inTurns, median, pause, quantile, ratioOf, timed } from "./rounds.ts";

const rounds = 7;
const together = 8;
const model = "claude-sonnet-4-5";
const key = "sk-for-the-bench";

export const clis: Bench = {
  name: "clis",
  about:
    "Claude Code on one short task: driven by us (sandbox, MCP, gateway), against the bare program; one at a time, eight at once, and stopped in the middle.",
  async run(place) {
    const file = installedCli("claude");
    if (!file || (await machine.processes.sandbox(true))) return [];
    const fake = await startModel();
    // Not in /tmp: a sandbox has one of its own.
    const root = mkdtempSync("/var/tmp/agiraph-bench-");
    const house = await open(root, file, fake);
    try {
      return await compare(house, fake, { root, file }, Math.ceil(rounds * Math.max(place.size, 0.4)));
    } finally {
      await house.close();
      await fake.close();
      rmSync(root, { recursive: true, force: true });
    }
  },
};

async function open(root: string, file: string, fake: FakeModel): Promise<House> {
  const path = join(root, "home");
  mkdirSync(path);
  mkdirSync(join(root, "user"));
  writeFileSync(join(path, "config.yaml"), JSON.stringify({ embeddings: "off" }));
  const env = {
    PATH: `${dirname(file)}:${process.env.PATH}`,
    HOME: join(root, "user"),
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: fake.url,
  };
  const house = await openHouse({ path, env, notice: (agent, { message }) => console.error(agent, message) });
  await house.runtime.start();
  return house;
}

async function compare(
  house: House,
  fake: FakeModel,
  where: { root: string; file: string },
  times: number,
): Promise<Figure[]> {
  const task = `Say that you are done. ${script({ say: "Done." })}`;
  let made = 0;

  /** An agent that Claude Code drives; resolves when its turn has ended. */
  async function ours(): Promise<void> {
    const agent = await create(task);
    await ended(agent);
    await house.runtime.send(agent, { type: "agent.archive" }, { actor: "human" });
  }

  function create(goal: string): Promise<string> {
    const given = { goal, name: `b${++made}`, model: `claude-code/${model}` };
    return house.runtime.create(given, { actor: "human" });
  }

  async function ended(agent: string): Promise<void> {
    const { live } = house.runtime.opened(agent)!;
    const one = () => live.state().participants.get("coordinator");
    const isOver = () => {
      const now = one();
      return now?.kind !== "human" && now !== undefined && now.turns > 0 && !now.turn;
    };
    while (!isOver()) await pause(2);
    if (live.state().agent?.status !== "active") throw new Error(`the agent is ${live.state().agent?.status}`);
  }

  const bare = () => runBare(task, fake, where, ++made);
  const all = (one: () => Promise<void>) => Promise.all(Array.from({ length: together }, one));

  const found = await inTurns(times, {
    ours: () => timed(ours),
    bare: () => timed(bare),
    memoryOurs: () => peak(ours),
    memoryBare: () => peak(bare),
    abort: async () => {
      const asked = fake.asked.length;
      const agent = await create(`Think long. ${script({ hang: true })}`);
      while (fake.asked.length === asked) await pause(2);
      return await timed(async () => {
        await house.runtime.send(agent, { type: "agent.stop" }, { actor: "human" });
        while (descendants().length) await pause(5);
      });
    },
  });
  const eight = await inTurns(2, { ours: () => timed(() => all(ours)), bare: () => timed(() => all(bare)) });

  const difference = (a: number[], b: number[]) => median(a.map((value, round) => value - b[round]!));
  const spread = (times: number[], unit: string) =>
    `p25 ${quantile(times, 0.25).toFixed(0)}, p75 ${quantile(times, 0.75).toFixed(0)} ${unit}`;
  const more = (name: string, a: number[], b: number[], unit: string, most: number): Figure => ({
    name,
    value: difference(a, b),
    unit,
    baseline: median(b),
    ratio: median(a) / median(b),
    goal: `< ${most} ${unit} more`,
    ok: difference(a, b) < most,
    note: `The median of the rounds' differences; ours ${spread(a, unit)}, bare ${spread(b, unit)}. The ratio is of the whole.`,
  });
  const { value: ratio, scatter } = ratioOf(eight.ours, eight.bare);
  return [
    more("clis.overhead", found.ours, found.bare, "ms", 100),
    more("clis.memory", found.memoryOurs, found.memoryBare, "MB", 20),
    {
      name: "clis.eight",
      value: median(eight.ours),
      unit: "ms",
      baseline: median(eight.bare),
      ratio,
      goal: "ratio ≤ 1.3",
      ok: ratio <= 1.3,
      note: `Eight at once, until the last has ended; ${scatter}.`,
    },
    {
      name: "clis.abort",
      value: median(found.abort),
      unit: "ms",
      baseline: null,
      ratio: null,
      goal: "< 1000 ms",
      ok: median(found.abort) < 1_000,
      note: `From the human's stop until no process is left; ${spread(found.abort, "ms")}.`,
    },
  ];
}

/** The program as anyone would start it, in the same mode, with a key and the model's address. */
async function runBare(
  task: string,
  fake: FakeModel,
  { root, file }: { root: string; file: string },
  nth: number,
): Promise<void> {
  const workspace = join(root, `bare-${nth}`);
  const home = join(workspace, "home");
  const { command, env, files, folders } = claudeCode.launch({
    ...{ file, model, system: "", workspace, home, path: `${process.env.PATH}`, asks: false },
    login: { state: "key", variable: "ANTHROPIC_API_KEY", secret: key },
  });
  for (const folder of [home, ...(folders ?? [])]) mkdirSync(folder, { recursive: true });
  for (const given of files) if ("text" in given) writeFileSync(given.path, given.text);
  const [binary, ...args] = command;
  const child: ChildProcess = spawn(binary, args, {
    cwd: workspace,
    env: { ...env, ANTHROPIC_BASE_URL: fake.url },
    stdio: ["pipe", "ignore", "inherit"],
  });
  child.stdin!.end(`${JSON.stringify({ type: "user", message: { role: "user", content: task } })}\n`);
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`the bare program ended with ${code}`);
}

/** Megabytes: the most that everything we started took at once while this was done, and what we grew by. */
async function peak(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let [most, isOver] = [0, false];
  const done = work().finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const children = descendants().reduce((sum, pid) => sum + pssOf(pid), 0);
    most = Math.max(most, children + Math.max(0, process.memoryUsage.rss() - before));
    await pause(20);
  }
  await done;
  return most / 2 ** 20;
}

/** Every process below this one. */
function descendants(): string[] {
  const children = new Map<string, string[]>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const parent = contentOf(`/proc/${pid}/stat`).split(") ").at(-1)?.split(" ")[1];
    if (parent) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const below = (pid: string): string[] => (children.get(pid) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(String(process.pid));
}

const pssOf = (pid: string): number =>
  1024 * Number(/^Pss:\s+(\d+)/m.exec(contentOf(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);

/** Empty for a process that has just ended. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
