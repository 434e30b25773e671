/**
 * Declared teams, through the real runtime on the disk with a model that answers at once; and a whole workflow as people run it.
 *
 * kickoff: from the command that starts the run to the first call of the backend. final: from the end of an answer whose last words mention somebody to
 * that one's call. Both are durable on the way; the baseline is one fdatasync of as many bytes, in turns with them. (A message to one who is idle or busy: hop.)
 * command: a team of two that a script plays, from the command to its exit, against the start of Node alone.
 * documents: 50 agents append to 1,000 shared documents at once; every line must be there, and every version once.
 */
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Backend, Part, Request } from "../src/backend/backend.ts";
import { defaultLimits } from "../src/core/limits.ts";
import { createRuntime, type Runtime } from "../src/runtime/runtime.ts";
import type { Team } from "../src/schema/workflow.ts";
import type { Bench, Figure } from "./figure.ts";
import { createHouse } from "./house.ts";
import type { Place } from "./place.ts";
import { inTurns, median, quantile, timed } from "./rounds.ts";

const run = promisify(execFile);
const main = fileURLToPath(new URL("../bin/agiraph.mjs", import.meta.url));
const samples = 200;
const agents = 50;
const as = { actor: "human" };

export const workflow: Bench = {
  name: "workflow",
  about:
    "Declared teams: kickoff and a mention in last words until the backend is called, against one fdatasync; a workflow of two from command to exit, beyond the start of Node; 1,000 documents edited by 50 agents.",
  run: async (place) => [...(await latencies(place)), await command(place), await documents(place)],
};

const pair = (kickoff: string): Team => ({
  workers: ["Rae", "Cody"].map((name) => ({ name, role: "works" })),
  nodes: [],
  stages: [],
  lead: false,
  on_idle: "stay",
  kickoff,
});

async function latencies(place: Place): Promise<Figure[]> {
  const home = place.folder("workflow");
  const model = createModel();
  const limits = { ...defaultLimits, messages_without_effect: 1_000_000 };
  const house = { ...createHouse({ home, backend: () => model.backend }), limits };
  const runtime = createRuntime(house);
  await runtime.start();
  const raw = await open(join(home, "raw"), "a");
  let made = 0;
  const talking = await runtime.create({
    goal: "talk",
    name: "talk",
    model: "bench/instant",
    team: pair("nobody acts"),
  });
  await rest(runtime, talking);

  const found = await inTurns(Math.ceil(samples * Math.max(place.size, 0.1)), {
    async kickoff() {
      const words = `start ${++made}`;
      const agent = await runtime.create({
        ...{ goal: "x", name: `k${made}`, model: "bench/instant", start: false },
        team: pair(`@Rae ${words}`),
      });
      await rest(runtime, agent);
      const called = model.expect(words);
      const at = performance.now();
      await runtime.send(agent, { type: "run.start" }, as);
      const took = (await called) - at;
      await rest(runtime, agent);
      return took;
    },
    async final() {
      const words = `pass on ${++made}`;
      const called = model.expect(`@Cody, ${words}`);
      await runtime.send(talking, { type: "message.post", to: "rae", text: words }, as);
      const took = (await called) - model.answered();
      await rest(runtime, talking);
      return took;
    },
    async sync() {
      await raw.write(bytes);
      return await timed(() => raw.datasync());
    },
  });
  await raw.close();
  await runtime.stop();
  await house.store.close();
  const baseline = median(found.sync);
  const figure = (name: string, times: number[]): Figure => {
    const value = median(times);
    const [p25, p75, p99] = [0.25, 0.75, 0.99].map((part) => quantile(times, part).toFixed(2));
    const ratio = value / baseline;
    const note = `p25 ${p25}, p75 ${p75}, p99 ${p99} ms`;
    return { name, value, unit: "ms", baseline, ratio, goal: "ratio ≤ 3", ok: ratio <= 3, note };
  };
  return [figure("workflow.kickoff.p50", found.kickoff), figure("workflow.final-text.p50", found.final)];
}

/** Nobody works, and everything is written. */
async function rest(runtime: Runtime, agent: string): Promise<void> {
  const { live, projector, running } = runtime.opened(agent)!;
  while (running().size > 0) await new Promise(setImmediate);
  await projector.idle();
  await live.durable();
}

async function command(place: Place): Promise<Figure> {
  const folder = place.folder("workflow-command");
  const script = join(folder, "pair.yaml");
  const steps =
    "participants:\n  rae: [{ say: '@cody, mend it.' }, { say: Good. }]\n  cody: [{ say: '@rae, mended.' }]\n";
  writeFileSync(script, steps);
  const agent = (name: string) => `  ${name}: { model: scripted/${script}, role: works }\n`;
  const file = join(folder, "w.yaml");
  writeFileSync(file, `agents:\n${agent("rae")}${agent("cody")}kickoff: "@rae please look."\n`);
  let times = 0;
  const found = await inTurns(Math.max(3, Math.round(10 * place.size)), {
    async workflow() {
      const home = join(folder, `home-${++times}`);
      mkdirSync(home);
      writeFileSync(join(home, "config.yaml"), 'embeddings: "off"\n');
      const env = { ...process.env, AGIRAPH_HOME: home, AGIRAPH_SCRIPTS: folder };
      const args = [main, "--alone", "workflow", "run", file];
      let said = "";
      const took = await timed(async () => {
        said = (await run(process.execPath, args, { env })).stdout;
      });
      if (!said.includes("mended")) throw new Error(`the workflow did not run: ${said}`);
      return took;
    },
    node: () => timed(async () => void (await run(process.execPath, ["--eval", "0"]))),
  });
  const [value, baseline] = [median(found.workflow), median(found.node)];
  const beyond = value - baseline;
  return {
    ...{ name: "workflow.command", value, unit: "ms", baseline, ratio: value / baseline },
    ...{ goal: "≤ 1000 ms beyond Node's start", ok: beyond <= 1_000 },
    note: `${beyond.toFixed(0)} ms beyond the start of Node, from the sources, in a new home, three turns of a script.`,
  };
}

async function documents(place: Place): Promise<Figure> {
  const count = Math.max(50, Math.round(1_000 * place.size));
  const home = place.folder("workflow-documents");
  const nameOf = (n: number) => `d${n % count}.md`;
  const each = Math.ceil((2 * count) / agents);
  let turns = 0;
  const backend: Backend = {
    worst: () => ({ usd: 0, tokens: 0 }),
    async *call({ participant, lines }: Request): AsyncGenerator<Part> {
      const line = lines.at(-1);
      const isAsked = line?.role === "inbox" && line.entries.some(({ text }) => text.includes("append"));
      const me = Number(participant.slice(1)) - 1;
      turns++;
      for (let n = 0; isAsked && n < each; n++) {
        // Two agents meet in each document, at about the same time.
        const input = {
          name: nameOf(Math.floor(me / 2) * each * 2 + (me % 2 ? each * 2 - 1 - n : n)),
          content: `${participant} ${n}\n`,
        };
        yield { type: "call", id: `c${n}`, tool: "document_append", input };
      }
      yield { type: "end", cost: { usd: 0, tokens: 0 } };
    },
  };
  const limits = { ...defaultLimits, workers_per_run: agents, concurrency: agents };
  const house = { ...createHouse({ home, backend: () => backend, snapshotEvery: 10_000 }), limits };
  const runtime = createRuntime(house);
  await runtime.start();
  const workers = Array.from({ length: agents }, (_, n) => ({ name: `W${n + 1}`, role: "writes" }));
  const team: Team = { ...pair("nobody acts"), workers };
  const agent = await runtime.create({ goal: "write", name: "docs", model: "bench/instant", team });
  await rest(runtime, agent);
  const wall = await timed(async () => {
    await runtime.send(agent, { type: "message.post", to: "*", text: "append" }, as);
    await rest(runtime, agent);
  });
  const { live } = runtime.opened(agent)!;
  let lines = 0;
  let versions = 0;
  for (const { sha256, version } of live.state().documents.values()) {
    lines += String(await house.store.getBlob(agent, sha256)).split("\n").length - 1;
    versions += version;
  }
  const lost = each * agents - lines + Math.abs(versions - lines);
  await runtime.stop();
  await house.store.close();
  return {
    ...{
      name: "workflow.documents.lost",
      value: lost,
      unit: "updates",
      baseline: null,
      ratio: null,
      goal: "0",
      ok: lost === 0,
    },
    note: `${each * agents} appends to ${live.state().documents.size} documents by ${agents} agents at once, ${turns} turns, ${(wall / (each * agents)).toFixed(2)} ms each on the wall.`,
  };
}

/** As many as a kickoff or a hop writes. */
const bytes = Buffer.alloc(620, "a");

/** Passes on what it is told to, and says when it is called with words that are expected. */
function createModel() {
  const expected = new Map<string, (at: number) => void>();
  let answered = 0;
  const backend: Backend = {
    worst: () => ({ usd: 0, tokens: 0 }),
    async *call({ lines }: Request): AsyncGenerator<Part> {
      const at = performance.now();
      const last = lines.at(-1);
      const texts = last?.role === "inbox" ? last.entries.map(({ text }) => text) : [];
      for (const [words, hear] of expected) {
        if (!texts.some((text) => text.includes(words))) continue;
        expected.delete(words);
        hear(at);
      }
      const passed = texts.find((text) => text.startsWith("pass on"));
      if (passed) yield { type: "text", text: `@Cody, ${passed}` };
      if (passed) answered = performance.now();
      yield { type: "end", cost: { usd: 0, tokens: 0 } };
    },
  };
  return {
    backend,
    answered: () => answered,
    expect: (words: string) => new Promise<number>((resolve) => expected.set(words, resolve)),
  };
}
