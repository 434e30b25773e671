/** The program as people start it: a real process, a real disk, not a terminal. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { machine } from "../src/lib/machine/index.ts";
import type { Event } from "../src/schema/event.ts";
import { bin } from "./built.ts";

const homes: string[] = [];
afterAll(async () => {
  for (const home of homes) await machine.files.remove(home);
});

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), "agiraph-demo-"));
  homes.push(home);
  return home;
}

/** Starts the program; `until` resolves when its output contains a text, `ended` with all it said. */
function start(home: string, ...args: string[]) {
  const child: ChildProcess = spawn(process.execPath, [bin, ...args], { env: { ...process.env, AGIRAPH_HOME: home } });
  let out = "";
  let err = "";
  const waiting: { text: string; go(): void }[] = [];
  child.stdout!.on("data", (bytes) => {
    out += bytes;
    for (const { text, go } of waiting) if (out.includes(text)) go();
  });
  child.stderr!.on("data", (bytes) => {
    err += bytes;
  });
  const ended = new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, out, err }));
  });
  const until = async (text: string) => {
    const said = new Promise<void>((go) => waiting.push({ text, go }));
    await Promise.race([
      said,
      ended.then(() => Promise.reject(new Error(`it ended without saying ${text}:\n${out}${err}`))),
    ]);
  };
  return { child, ended, until };
}

const run = (home: string, agent: string) => join(home, "agents", agent, "runs", "r1");
const outputOf = (home: string, agent: string) => readFile(join(run(home, agent), "_output.md"), "utf8");

async function eventsOf(home: string, agent: string): Promise<Event[]> {
  const text = await readFile(join(home, "agents", agent, "events.jsonl"), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Everything a run made that is not a time: which nodes, what was published, who said what. */
async function resultOf(home: string, agent: string) {
  const events = await eventsOf(home, agent);
  const nodes = events.flatMap(({ type, data }) =>
    type === "node.completed" ? [{ node: data.node, worker: data.worker, files: data.files }] : [],
  );
  const messages = events.flatMap(({ type, data }) =>
    type === "message.posted" ? [`${data.from}: ${data.text}`] : [],
  );
  return {
    nodes: nodes.sort((a, b) => (a.node < b.node ? -1 : 1)),
    messages: messages.sort(),
    output: await outputOf(home, agent),
  };
}

// Most of a demo is waiting: they are played side by side.
test.concurrent("the demo says that it is a simulation, grows a graph and leaves an answer; the next one is demo-2", async () => {
  const home = newHome();
  const first = await start(home, "demo", "--speed", "20").ended;
  expect([first.code, first.err]).toEqual([0, ""]);
  expect(first.out).toMatch(/^Simulation without a model/);
  expect(first.out).not.toMatch(/[\p{Cc}--\n]/v);
  expect(first.out).toContain("n4 Two writers at once, Ada (created by Ben)");
  expect(first.out).toContain(join(run(home, "demo"), "_output.md"));
  for (const line of first.out.split("\n")) if (!line.includes(home)) expect(line.length).toBeLessThanOrEqual(80);

  const output = await outputOf(home, "demo");
  expect(output).toMatch(/^# PostgreSQL/);
  expect(output).toContain("A simulation");
  const events = await eventsOf(home, "demo");
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(first.out).toContain(`${events.length} events`);
  expect(events.filter(({ type }) => type === "node.created")).toHaveLength(8);
  expect(events.filter(({ type, data }) => type === "tool.ended" && data.outcome !== "ok")).toEqual([]);
  expect(events.map(({ type }) => type)).not.toContain("worker.nudged");
  expect(await readdir(join(run(home, "demo"), "nodes", "n7-comparison", "published"))).toEqual([
    "comparison.md",
    "manifest.json",
  ]);

  const second = await start(home, "demo", "--speed", "20").ended;
  expect(second.code).toBe(0);
  expect(second.out).toContain(join(run(home, "demo-2"), "_output.md"));
  expect(await resultOf(home, "demo-2")).toEqual(await resultOf(home, "demo"));
});

test.concurrent("a demo that is interrupted goes on when it is started again, and comes to the same result", async () => {
  const [home, other] = [newHome(), newHome()];
  const whole = start(other, "demo", "--speed", "8").ended;
  for (const moment of ["Ada → Ben: I assume", "n4 Two writers at once, Ada", "◌ pending    n8"]) {
    const { child, until, ended } = start(home, "demo", "--speed", "4");
    await until(moment);
    child.kill("SIGINT");
    const { code, out, err } = await ended;
    expect([code, err]).toEqual([130, ""]);
    expect(out).toContain("Nothing is lost: run the demo again to resume demo.");
    expect(out).not.toContain("The answer");
  }
  const last = await start(home, "demo", "--speed", "20").ended;
  expect([last.code, last.err]).toEqual([0, ""]);
  expect(last.out).toContain("demo, resumed where it stopped");
  expect(last.out).toContain("The answer");
  expect((await whole).code).toBe(0);
  expect(await resultOf(home, "demo")).toEqual(await resultOf(other, "demo"));
  expect(await readdir(join(home, "agents"))).toEqual(["demo"]);
});

test.concurrent("a second process on the same home is told who holds it", async () => {
  const home = newHome();
  const first = start(home, "demo", "--speed", "4");
  await first.until("goal");
  const second = await start(home, "demo").ended;
  expect(second.code).toBe(3);
  expect(second.err).toContain(`${home} is in use by process ${first.child.pid}`);
  first.child.kill("SIGTERM");
  expect((await first.ended).code).toBe(143);
});

test("wrong usage is one line that helps, with exit code 2", async () => {
  const home = newHome();
  const unknown = await start(home, "dmeo").ended;
  expect([unknown.code, unknown.err]).toEqual([2, "agiraph: unknown command 'dmeo' (Did you mean demo?)\n"]);
  const option = await start(home, "demo", "--speed", "0").ended;
  expect(option.code).toBe(2);
  expect(option.err.split("\n")).toHaveLength(2);
  const help = await start(home, "--help").ended;
  expect([help.code, help.err]).toEqual([0, ""]);
  expect(help.out).toContain("Examples:");
  expect(await readdir(home)).toEqual([]);
});

test("a home that cannot be made is one line that says why, with exit code 1", async () => {
  const { code, err } = await start(join(bin, "home"), "demo").ended;
  expect(code).toBe(1);
  expect(err).toMatch(/^agiraph: could not create .*ENOTDIR.*\n$/);
});
