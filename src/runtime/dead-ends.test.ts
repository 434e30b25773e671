/** No state is a dead end: whatever an agent stands still for, what it says is to be done lets it go on. */
import { expect, test } from "vitest";
import { type Backend, BackendError, type Part, type Request } from "../backend/backend.ts";
import { tokensOf } from "../backend/tokens.ts";
import { type WayOut, waysOut } from "../core/agent/pause.ts";
import type { CommandInput } from "../schema/command.ts";
import { start } from "./runtime.test-help.ts";

type Calls = { tool: string; input?: unknown }[];
type Act = (request: Request) => Calls | Error;

type World = ReturnType<typeof start>;
interface Model extends Backend {
  act: Act;
  asked: Request[];
  clock: World["sim"]["time"] | undefined;
}

/** Takes a second for each call. Does what `act` says, which may change; counts what it is really sent, and refuses what is larger than its window. */
function model(window = 200_000): Model {
  const self: Model = {
    window,
    clock: undefined,
    act: () => [{ tool: "finish", input: { summary: "done" } }],
    asked: [],
    most: () => ({ output: 4_000, searches: 0 }),
    worst: ({ allowed }) => ({ usd: 0.1, tokens: allowed?.output ?? 4_000 }),
    async *call(request): AsyncGenerator<Part> {
      self.asked.push(request);
      const input = tokensOf(request);
      await new Promise<void>((resolve) => void self.clock!.after(1_000, resolve));
      if (input > window) throw new BackendError("overflow", `prompt is too long: ${input} tokens`);
      const calls = self.act(request);
      if (calls instanceof Error) throw calls;
      for (const [index, { tool, input = {} }] of calls.entries()) yield { type: "call", id: `c${index}`, tool, input };
      const usage = { model: "test", input, output: 50, cache_read: 0, cache_write: 0, priced: true };
      yield { type: "end", cost: { usd: 0.1, tokens: input }, usage, stop: "done" };
    },
  };
  return self;
}

const hour = 3_600_000;
const finish = () => [{ tool: "finish", input: { summary: "done" } }];
const fails = (error: Error) => async (_world: World, model: Model) => {
  model.act = () => error;
};
const pausedBy =
  (code: string) =>
  async (world: World, model: Model): Promise<void> => {
    model.act = ({ turns }) => [{ tool: "write_plan", input: { content: `${turns}` } }];
    await world.create();
    await world.send("a1", { type: "agent.pause", reason: { code, message: "x", next_mover: "human" } });
  };

/** How an agent comes to stand still, by the real road where there is one. */
const bring: Record<keyof typeof waysOut, (world: World, model: Model) => Promise<unknown>> = {
  human: pausedBy("human"),
  imported: pausedBy("imported"),
  "limit.stall": pausedBy("limit.stall"),
  provider: fails(new BackendError("provider", "the key has no credit")),
  backend: fails(new BackendError("permanent", "no such model")),
  fault: fails(new TypeError("x is not a function")),
  "limit.context": fails(new BackendError("overflow", "prompt is too long")),
  budget: (world) => world.create({ budget: { usd: 0.05 } }),
  async recovery(world) {
    await world.create();
    for (let n = 0; n < 3; n++) {
      await world.dies("turn.streaming");
      await world.restart("kill");
    }
  },
  async setup(world) {
    const team = { workers: [], nodes: [], stages: [], setup: [{ shell: "false" }] };
    await world.create({ team });
  },
  async refused(_world, model) {
    const { call } = model;
    let once = true;
    model.call = async function* (request, signal) {
      for await (const part of call(request, signal)) {
        const isFirst = once;
        once = once && part.type !== "end";
        if (!isFirst) yield part;
        else if (part.type === "end") yield { ...part, stop: "refused" };
      }
    };
  },
  async "limit.turns"(_world, model) {
    model.act = ({ node, turns }) =>
      node
        ? [{ tool: "write_file", input: { path: `f${turns}`, content: "x" } }]
        : turns === 1
          ? [
              { tool: "spawn_worker", input: { name: "Ann", role: "works" } },
              { tool: "create_work_node", input: { task: "work", max_turns: 50 } },
              { tool: "wait_for_nodes" },
            ]
          : finish();
  },
};

const say: CommandInput = { type: "message.post", text: "Take smaller steps." };
const ways: Record<WayOut, CommandInput[][]> = {
  resume: [[{ type: "agent.resume" }]],
  words: [[{ type: "agent.resume" }], [say]],
  budget: [[{ type: "budget.set", scope: { of: "agent" }, limit: { usd: 5 } }, { type: "agent.resume" }]],
  provider: [[{ type: "agent.resume" }]],
};

const cases = Object.entries(waysOut).flatMap(([code, way]) =>
  ways[way].map((steps) => [code as keyof typeof waysOut, steps.map(({ type }) => type).join(", "), steps] as const),
);

test.each(cases)("an agent that is paused by %s goes on with %s", async (code, _name, steps) => {
  const backend = model();
  let isFixed = false;
  const command = async () => ({ code: isFixed ? 0 : 1, output: "" });
  const world = start({ backend, limits: { turns_alone: 4, resumes: 2 }, command });
  backend.clock = world.sim.time;
  await world.begin();
  await bring[code](world, backend);
  if (!world.runtime().opened("a1")) await world.create();
  await world.pass(hour);
  expect(world.state().agent).toMatchObject({ status: "paused", reason: { code, next_mover: "human" } });
  const asked = backend.asked.length;
  isFixed = true;
  backend.act = ({ node }) => (node ? [{ tool: "publish", input: { summary: "made" } }] : finish());
  for (const step of steps) await world.send("a1", step, { actor: "human" });
  await world.pass(hour);
  expect(backend.asked.length).toBeGreaterThan(asked);
  expect(world.state().agent).toMatchObject({ status: "completed" });
});

test("a provider that said until when is asked again by itself", async () => {
  const backend = model();
  const world = start({ backend });
  backend.clock = world.sim.time;
  await world.begin();
  backend.act = () => new BackendError("provider", "quota", 60_000);
  await world.create();
  await world.pass(1_000);
  expect(world.state().agent?.status).toBe("paused");
  backend.act = finish;
  await world.pass(hour);
  expect(world.state().agent).toMatchObject({ status: "completed" });
});

/** Reads each file to its end, by what the results say, and then finishes. */
function reader(files: readonly string[]): Act {
  const read = new Map<string, string>();
  let at = 0;
  let next: Record<string, number> = {};
  return ({ lines }) => {
    const result = lines.findLast((line) => line.role === "tool" && line.tool === "read_file");
    if (result?.role === "tool") {
      const [, offset, column] = /go on with offset (\d+)(?: and column (\d+))?\]/.exec(result.result) ?? [];
      read.set(`${files[at]} ${JSON.stringify(next)}`, result.result);
      next = offset ? { offset: Number(offset), ...(column ? { column: Number(column) } : {}) } : {};
      if (!offset) at++;
    }
    return at < files.length ? [{ tool: "read_file", input: { path: files[at], ...next } }] : finish();
  };
}

test.each([
  ["many lines", "A line of a file that somebody wrote.\n".repeat(1_200)],
  ["one line", "0123456789".repeat(4_500)],
  ["another script", "这是一个很长的文件。\n".repeat(2_000)],
])(
  "in a window of 32,768 tokens files of %s are read in pieces, one after the other, to the end",
  async (_what, text) => {
    const backend = model(32_768);
    const world = start({ backend });
    backend.clock = world.sim.time;
    await world.begin();
    const files = ["a.md", "b.md", "c.md", "d.md"];
    backend.act = reader(files);
    await world.create();
    for (const name of files) world.sim.disk.edit(`/home/agents/a1/runs/r1/scratch/${name}`, text);
    await world.pass(hour);
    expect(world.state().agent).toMatchObject({ status: "completed" });
    const types = (await world.events()).map(({ type }) => type);
    expect(types).toContain("context.shortened");
    expect(types).not.toContain("agent.paused");
  },
);

test("arguments of five megabytes that were refused are not sent back", async () => {
  const backend = model(200_000);
  const world = start({ backend });
  backend.clock = world.sim.time;
  await world.begin();
  const giant = "x".repeat(5_000_000);
  backend.act = ({ turns }) =>
    turns === 1 ? [{ tool: "send_message", input: { to: "nobody", content: giant } }] : finish();
  await world.create();
  await world.pass(hour);
  expect(world.state().agent).toMatchObject({ status: "completed" });
  expect(JSON.stringify(backend.asked[1]!.lines).length, "nor is the conversation shortened for it").toBeLessThan(
    50_000,
  );
});
