/**
 * What an agent costs that does nothing: many agents, each with a small run behind it, opened from the disk by a process of its own
 * (idle-process.ts). A third has completed its run, a third waits for the human's answer, a third has said its word and rests.
 */
import { execFileSync, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createScripted } from "../src/backend/scripted.ts";
import { createRuntime } from "../src/runtime/runtime.ts";
import type { Bench, Figure } from "./figure.ts";
import { createHouse } from "./house.ts";
import type { Idle } from "./idle-process.ts";
import { pause } from "./rounds.ts";
import { unsynced } from "./unsynced.ts";

export const idle: Bench = {
  name: "idle",
  about:
    "Ten thousand agents, made through the runtime's API and opened from the disk by one process, none with anything to do; against the same process without agents.",
  async run(place) {
    const agents = Math.round(10_000 * place.size);
    const home = place.folder("idle");
    const began = performance.now();
    await populate(home, agents);
    const seconds = (performance.now() - began) / 1000;
    if (process.platform !== "win32") execFileSync("sync"); // what was made without syncs must not slow the opening
    const empty = await live(place.folder("empty"));
    const full = await live(home);
    if (full.open !== agents) throw new Error(`${full.open} agents were opened instead of ${agents}`);
    const mb = (bytes: number) => bytes / 2 ** 20;
    const memory: Figure = {
      name: "idle.memory",
      value: mb(full.rss),
      unit: "MB",
      baseline: mb(empty.rss),
      ratio: full.rss / empty.rss,
      goal: "≤ 300 MB",
      ok: mb(full.rss) <= 300,
      note: `Resident, as it stands after ${full.seconds.toFixed(1)} s of opening and coming to rest; ${mb(full.collected).toFixed(0)} MB after a full collection (${mb(empty.collected).toFixed(0)} without agents): ${((full.heap - empty.heap) / agents / 1024).toFixed(1)} KB of heap per agent. Making them took ${seconds.toFixed(0)} s.`,
    };
    const cpu: Figure = {
      name: "idle.cpu",
      value: full.cpu,
      unit: "% of a core",
      baseline: empty.cpu,
      ratio: null,
      goal: "< 1 %",
      ok: full.cpu < 1,
      note: "Over five seconds.",
    };
    const files: Figure = {
      name: "idle.files",
      value: full.files,
      unit: "open files",
      baseline: empty.files,
      ratio: full.files / empty.files,
      goal: null,
      ok: true,
    };
    return [memory, cpu, files];
  },
};

/** Agents at rest, each with a small run behind it. */
export async function populate(home: string, agents: number): Promise<void> {
  const first = {
    say: "One step first.",
    calls: [
      { tool: "write_plan", input: { content: "# Plan\n\n1. Look at what there is.\n2. Say what is missing." } },
      { tool: "send_message", input: { to: "human", content: "I have begun; the plan is written." } },
    ],
  };
  const ends = {
    completed: {
      calls: [{ tool: "finish", input: { summary: "Nothing is missing. The three parts fit together as they are." } }],
    },
    waiting: { calls: [{ tool: "ask_human", input: { question: "Shall I look at the second part as well?" } }] },
    resting: { say: "That is all for now." },
  };
  const kinds = Object.keys(ends) as (keyof typeof ends)[];
  const script = (kind: keyof typeof ends) =>
    createScripted({ participants: { coordinator: [first, ends[kind]] } }, unsynced.clock);
  const backends = new Map<string, ReturnType<typeof createScripted>>(kinds.map((kind) => [kind, script(kind)]));
  const house = createHouse({ home, world: unsynced, backend: (model) => backends.get(model)! });
  const runtime = createRuntime(house);
  await runtime.start();
  const atRest = async (agent: string) => {
    while (runtime.opened(agent)!.running().size > 0) await pause(1);
    await runtime.opened(agent)!.projector.idle();
  };
  for (let n = 0; n < agents; n += 100) {
    const some = Array.from({ length: Math.min(100, agents - n) }, (_, k) => n + k);
    await Promise.all(
      some.map(async (k) => {
        const goal = `Look at part ${k} of the system and say what is missing`;
        await atRest(await runtime.create({ name: `part-${k}`, goal, model: kinds[k % kinds.length]! }));
      }),
    );
  }
  await runtime.stop();
  await house.store.close();
}

function live(home: string): Promise<Idle> {
  return new Promise((resolve, reject) => {
    const program = fileURLToPath(new URL("idle-process.ts", import.meta.url));
    const child = spawn(process.execPath, ["--expose-gc", program, home], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (part) => (output += part));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(JSON.parse(output) as Idle) : reject(new Error(`the idle process ended with ${code}`)),
    );
  });
}
