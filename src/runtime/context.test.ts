import { expect, test } from "vitest";
import { BackendError, type Request } from "../backend/backend.ts";
import { type Answer, type Play, use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const hour = 3_600_000;

async function played(play: Play, options: Partial<Parameters<typeof start>[0]> = {}) {
  const world = start({ play, ...options });
  await world.begin();
  await world.create();
  await world.pass(hour);
  return world;
}

const note = (n: number): Answer => use("write_file", { path: `${n}.md`, content: `note ${n}` });
const notes = (count: number, tokens?: number): Answer[] =>
  Array.from({ length: count }, (_, n) => ({ ...note(n + 1), ...(tokens === undefined ? {} : { tokens }) }));
const assistants = ({ lines }: Request): number => lines.filter((line) => line.role === "assistant").length;

test("each request is the one before it and something more", async () => {
  const { asked } = await played({ coordinator: [...notes(10), { say: "done" }] });
  expect(asked).toHaveLength(11);
  expect(asked[0]!.system).toContain("A careful colleague");
  for (const [n, request] of asked.entries()) {
    expect(request.system).toBe(asked[0]!.system);
    expect(request.tools).toEqual(asked[0]!.tools);
    if (n) expect(request.lines.slice(0, asked[n - 1]!.lines.length)).toEqual(asked[n - 1]!.lines);
  }
});

test("a new agent is itself from its first turn on", async () => {
  const { asked } = await played({ coordinator: [...notes(2), { say: "done" }] });
  for (const { system } of asked) expect(system).toContain("A careful colleague");
});

test("a worker is shown its spec in the same words whether or not the file was there in time", async () => {
  const node = { name: "Report", task: "write it", acceptance: "it is short", worker: "Ann" };
  const { asked } = await played({
    coordinator: [
      {
        calls: [
          { tool: "spawn_worker", input: { name: "Ann" } },
          { tool: "create_work_node", input: node },
        ],
      },
    ],
    ann: notes(2),
  });
  const shown = asked.filter(({ participant }) => participant === "ann");
  expect(shown.length).toBeGreaterThan(1);
  for (const { system } of shown) expect(system).toContain("# Report\n\nwrite it\n\n## Done means\n\nit is short");
});

test("what people write into goal and soul is what the next turn is shown", async () => {
  const world = await played({ coordinator: [{ say: "one" }, { say: "two" }] });
  expect(world.asked[0]!.system).toContain("test the runtime");
  world.sim.disk.edit("/home/agents/a1/GOAL.md", "grow tomatoes\n");
  world.sim.disk.edit("/home/agents/a1/SOUL.md", "You speak in short sentences.\n");
  await world.send("a1", { type: "message.post", text: "go on" });
  await world.pass(hour);
  expect(world.asked[1]!.system).toContain("grow tomatoes");
  expect(world.asked[1]!.system).toContain("You speak in short sentences.");
  expect(world.asked[1]!.system).not.toContain("test the runtime");
});

test("a turn's bill says what its call was shown, part by part", async () => {
  const world = await played({ coordinator: [{ say: "one" }] });
  const started = (await world.events()).find((event) => event.type === "turn.started");
  const { bill } = (started as { data: { bill: Record<string, number> } }).data;
  expect(Object.keys(bill)).toEqual(expect.arrayContaining(["rules", "tools", "goal", "schemas", "note"]));
  expect(bill.rules).toBeGreaterThan(bill.goal!);
});

test("at three quarters of the window there is a turn to write down what must survive, and then only the last turns are shown", async () => {
  const world = await played(
    {
      coordinator: [
        ...notes(5, 100),
        { ...note(6), tokens: 80_000 },
        note(7),
        { ...note(8), tokens: 300 },
        { say: "done" },
      ],
    },
    { window: 100_000 },
  );
  const [, , , , , sixth, flush, after] = world.asked;
  expect(sixth!.note).not.toContain("nearly full");
  expect(flush!.note).toContain("nearly full");
  expect(assistants(flush!)).toBe(6);
  expect(after!.note).toContain("Your conversation was shortened: 4 earlier turns");
  expect(assistants(after!)).toBe(3);
  expect(after!.system).toContain("- 7.md");
  expect(world.asked.at(-1)!.note).not.toContain("shortened");
  expect(world.state().participants.get("coordinator")).toMatchObject({ shortened: { times: 1 } });
  const kept = String(world.sim.disk.peek("/home/agents/a1/runs/r1/workers/coordinator/conversation-1.jsonl"));
  expect(kept.match(/"content":"note \d/g)).toHaveLength(7);
});

test("a request that the provider refuses as too large is made smaller, in the same turn, with the word to write down", async () => {
  const tooLarge = (request: Request): Answer =>
    assistants(request) > 3 ? { error: new BackendError("overflow", "prompt is too long") } : note(7);
  const world = await played({ coordinator: [...notes(6), tooLarge, { say: "done" }] }, { window: 100_000 });
  const tries = world.asked.filter((request) => request.turns === 7);
  expect(tries.length).toBeGreaterThan(1);
  expect(tries[1]!.note).toContain("nearly full");
  expect(assistants(tries[1]!)).toBeLessThan(assistants(tries[0]!));
  expect(world.state().participants.get("coordinator")).toMatchObject({ shortened: { times: 1, turn: 7 }, turns: 8 });
});

test("a request that stays too large however small pauses the agent and says why", async () => {
  const never = { error: new BackendError("overflow", "prompt is too long") };
  const world = await played({ coordinator: [...notes(4), never] }, { window: 100_000 });
  expect(world.state().agent).toMatchObject({ status: "paused", reason: { code: "limit.context" } });
});

test("a crash in the turn for writing down leads to the same end", async () => {
  for (const point of ["turn.started", "turn.answered", "tool.ran", "log.synced"]) {
    const world = start({
      play: { coordinator: [...notes(5, 100), { ...note(6), tokens: 80_000 }, note(7), { say: "done" }] },
      window: 100_000,
    });
    await world.begin();
    await world.create();
    await world.until(() => world.asked.some((request) => request.turns === 7));
    await world.dies(point);
    await world.restart("kill");
    await world.pass(hour);
    expect(world.state().participants.get("coordinator"), point).toMatchObject({
      shortened: { times: 1, turn: 7 },
      turns: 8,
    });
  }
});

test("an answer that was cut at its longest is gone on with, and the model is told", async () => {
  const world = await played({ coordinator: [{ say: "a long", stop: "length" }, { say: " story" }] });
  expect(world.asked).toHaveLength(2);
  expect(world.asked[1]!.note).toContain("cut off");
});

test("an answer that the provider paused is asked for again at once", async () => {
  const world = await played({ coordinator: [{ say: "searching", stop: "paused" }, { say: "found" }] });
  expect(world.asked).toHaveLength(2);
});

test("a refusal is a visible end with the model's words, not silence", async () => {
  const world = await played({ coordinator: [{ say: "I cannot help with that.", stop: "refused" }] });
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: { code: "refused", message: "the model refused to answer: I cannot help with that." },
  });
});

test("a worker that is asked once gets no tools and what others published, and its answer is the result", async () => {
  const spawn = (name: string, more = {}) => ({ tool: "spawn_worker", input: { name, role: "writes", ...more } });
  const node = (task: string, more = {}) => ({ tool: "create_work_node", input: { task, name: task, ...more } });
  const play: Play = {
    coordinator: [
      {
        calls: [
          spawn("Ann"),
          spawn("Bea", { single_inference: true }),
          node("collect", { worker: "Ann" }),
          node("sum", { worker: "Bea", refs: { data: "n1-collect/data.csv" } }),
          { tool: "wait_for_nodes" },
        ],
      },
      { say: "done" },
    ],
    ann: [
      {
        calls: [
          { tool: "write_file", input: { path: "data.csv", content: "1\n2\n" } },
          use("publish", { summary: "two numbers" }).calls![0]!,
        ],
      },
    ],
    bea: [{ say: "The sum is 3." }],
  };
  for (const point of [undefined, "turn.answered", "publish.renamed", "publish.ready"]) {
    const world = start({ play });
    await world.begin();
    await world.create();
    await world.until(() => world.asked.some(({ participant }) => participant === "bea"));
    if (point) {
      await world.dies(point);
      await world.restart("kill");
    }
    await world.pass(hour);
    const bea = world.asked.find(({ participant }) => participant === "bea")!;
    expect(bea.tools).toEqual([]);
    expect(bea.data).toContain("1\n2\n");
    expect(bea.system).not.toContain("1\n2\n");
    expect(world.state().nodes.get("n2-sum")).toMatchObject({ status: "completed", summary: "The sum is 3." });
    const published = "/home/agents/a1/runs/r1/nodes/n2-sum/published/result.md";
    expect(String(world.sim.disk.peek(published))).toBe("The sum is 3.\n");
    expect(world.asked.filter(({ participant }) => participant === "bea")).toHaveLength(1);
  }
});

test("the log says once what a prompt is made of, and again when that changes", async () => {
  const world = await played({ coordinator: [...notes(3), use("spawn_worker", { name: "Ann" }), { say: "done" }] });
  const turns = (await world.events()).filter((event) => event.type === "turn.started");
  const known = turns.map(({ data }) => data.context);
  expect(known.map((context) => context !== undefined)).toEqual([true, false, false, false, true]);
  const soul = known[0]!.parts.find(({ name }) => name === "soul")!;
  expect(soul).toMatchObject({ source: "SOUL.md", value: "always" });
  expect(soul.tokens).toBeGreaterThan(10);
  expect(known[0]!.parts.some(({ name }) => name === "team")).toBe(false);
  expect(known[4]!.parts.find(({ name }) => name === "team")).toMatchObject({ source: "the log" });
});
