import { expect, test } from "vitest";
import { z } from "zod";
import { BackendError } from "../backend/backend.ts";
import { defineTool } from "../toolkit/tool.ts";
import { type Asked, mail, type Play, results, use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const hour = 3_600_000;

/** Tools that write down each time they are really run, with the key of the call. */
function outsideTools() {
  const done: string[] = [];
  const outside = (name: string, repeatable: boolean) =>
    defineTool({
      name,
      about: "-",
      guidance: "-",
      effect: "outside",
      repeatable,
      input: z.object({}),
      async run(_input, { key }) {
        done.push(`${name} ${key}`);
        return `${name} done`;
      },
    });
  return { done, tools: [outside("poke", false), outside("measure", true)] };
}

const busy: Play = {
  coordinator: [
    {
      say: "I begin.",
      calls: [
        { tool: "poke" },
        { tool: "send_message", input: { to: "human", content: "hello" } },
        { tool: "measure" },
        { tool: "write_file", input: { path: "a.md", content: "A" } },
      ],
    },
    use("finish", { summary: "done" }),
  ],
};

/** An agent whose run is about to start; the test says when it dies. */
async function begun(options: Parameters<typeof start>[0]) {
  const world = start(options);
  await world.begin();
  await world.create({ start: false });
  void world.runtime().send("a1", { type: "run.start" });
  return world;
}

/** Every tool call has exactly one result, directly after the line that asked for it. */
function expectPaired(asked: readonly Asked[]): void {
  for (const { lines } of asked) {
    const wanted = lines.flatMap((line) =>
      line.role === "assistant" ? ["answer", ...line.calls.map((call) => call.id)] : [],
    );
    const found = lines.flatMap((line) =>
      line.role === "assistant" ? ["answer"] : line.role === "tool" ? [line.call] : [],
    );
    expect(found).toEqual(wanted);
  }
}

/** Where it dies, and how often at least it comes by before the run is over. */
const phases: [point: string, least: number][] = [
  ["turn.started", 2],
  ["turn.streaming", 5],
  ["turn.heard", 2],
  ["turn.answered", 2],
  ["tool.started", 5],
  ["tool.ran", 4],
  ["tool.ended", 4],
  ["log.appended", 7],
  ["log.synced", 7],
];
const endings = [
  [1, "kill"],
  [2, "power"],
  [3, "power"],
  [4, "power"],
] as const;

test.each(phases)("a process that dies at %s goes on with the same turn", async (point, least) => {
  for (const [seed, how] of endings)
    for (let nth = 1; ; nth++) {
      const { done, tools } = outsideTools();
      const world = start({ play: busy, tools, seed });
      await world.begin();
      const created = world.runtime().create({ goal: "go", name: "a1", model: "m" }, { key: "k" });
      created.catch(() => undefined);
      if (!(await world.dies(point, nth, how))) {
        expect(nth).toBeGreaterThan(least);
        break;
      }
      await world.restart(how);
      // Who was not told that the agent is there asks again.
      expect(await world.create({ goal: "go", model: "m" }, { key: "k" })).toBe("a1");
      await world.until(() => world.state().agent?.status === "completed");
      await world.pass(1_000);

      const pokes = done.filter((one) => one.startsWith("poke"));
      expect(pokes.length).toBeLessThanOrEqual(1);
      expect(new Set(done.filter((one) => one.startsWith("measure")))).toEqual(
        new Set(["measure a1/r1/coordinator.1/c3"]),
      );
      expect(world.state().channel.map((message) => message.text)).toEqual(["hello"]);
      expect(String(world.sim.disk.peek("/home/agents/a1/runs/r1/_output.md"))).toBe("done\n");
      expect(String(world.sim.disk.peek("/home/agents/a1/runs/r1/scratch/a.md"))).toBe("A");
      expectPaired(world.asked);
      for (const one of world.asked) expect(mail(one)).toEqual(["go"]);
      expect([...new Set(world.asked.map((one) => one.turns))]).toEqual([1, 2]);
      const last = results(world.asked.at(-1)!);
      expect(last.map((one) => one.call)).toEqual(["c1", "c2", "c3", "c4"]);
      expect(last.slice(1).map((one) => one.outcome)).toEqual(["ok", "ok", "ok"]);
      if (last[0]!.outcome === "ok") expect(pokes).toHaveLength(1);
      else
        expect(last[0]).toMatchObject({
          outcome: "unknown",
          result: expect.stringContaining("Check before repeating"),
        });
    }
});

const unknown = { outcome: "unknown", result: expect.stringMatching(/^Outcome unknown: poke was started/) };

test.each([
  ["turn.answered", 1, { outcome: "ok", result: "poke done" }],
  ["tool.started", 0, unknown],
  ["tool.ran", 1, unknown],
])(
  "a tool that must not be repeated and was interrupted at %s ran %i times, and the model is told the truth",
  async (point, times, result) => {
    const { done, tools } = outsideTools();
    const world = await begun({ play: { coordinator: [use("poke")] }, tools });
    expect(await world.dies(point, 1, "kill")).toBe(true);
    await world.restart("kill");
    await world.pass(hour);
    expect(done).toHaveLength(times);
    expect(results(world.asked.at(-1)!)).toMatchObject([result]);
  },
);

test("a tool that may be repeated is run again with the same key", async () => {
  const { done, tools } = outsideTools();
  const world = await begun({ play: { coordinator: [use("measure")] }, tools });
  expect(await world.dies("tool.ran")).toBe(true);
  await world.restart();
  await world.pass(hour);
  expect(done).toEqual(["measure a1/r1/coordinator.1/c1", "measure a1/r1/coordinator.1/c1"]);
  expect(results(world.asked.at(-1)!)).toEqual([{ call: "c1", outcome: "ok", result: "measure done" }]);
});

test("what a tool changed in the log is changed once, though the tool is run twice", async () => {
  const calls = [
    { tool: "spawn_worker", input: { name: "Ann", role: "r" } },
    { tool: "create_work_node", input: { task: "t", worker: "ann" } },
    { tool: "send_message", input: { to: "human", content: "hello" } },
    { tool: "ask_human", input: { question: "well?" } },
  ];
  for (let nth = 1; nth <= 4; nth++) {
    const world = await begun({ play: { coordinator: [{ calls }], ann: [{ seconds: 500 }] } });
    expect(await world.dies("tool.ran", nth)).toBe(true);
    await world.restart();
    await world.pass(100_000);
    expect([...world.state().participants.keys()]).toEqual(["human", "coordinator", "ann"]);
    expect([...world.state().nodes.keys()]).toEqual(["n1-t"]);
    expect(world.state().channel).toHaveLength(1);
    expect([...world.state().questions.keys()]).toEqual(["q1"]);
    const turn = world.state().participants.get("coordinator");
    expect(turn).toMatchObject({ turn: undefined, wait: { for: "question", question: "q1" } });
  }
});

test("a call that was lost in a crash is made again and charged twice, in the same turn", async () => {
  const world = await begun({ play: { coordinator: [{ usd: 0.25, say: "hello" }] } });
  expect(await world.dies("turn.heard")).toBe(true);
  await world.restart();
  await world.pass(hour);
  expect(world.asked.map((one) => one.turns)).toEqual([1, 1]);
  expect(world.state().accounts.get("agent")).toMatchObject({ spent: { usd: 0.5 }, reserved: { usd: 0 } });
});

test("a recorded answer is not asked for again", async () => {
  const world = await begun({ play: { coordinator: [{ usd: 0.25, ...use("write_plan", { content: "p" }) }] } });
  expect(await world.dies("tool.ended", 1, "kill")).toBe(true);
  await world.restart("kill");
  await world.pass(hour);
  expect(world.asked.map((one) => one.turns)).toEqual([1, 2]);
  expect(world.state().accounts.get("agent")).toMatchObject({ spent: { usd: 0.25 } });
});

test("a turn that kills the process again and again pauses its agent, and the human can let it go on", async () => {
  const world = await begun({ play: { coordinator: [{ say: "boom" }] } });
  for (let n = 0; n < 4; n++) {
    expect(await world.dies("turn.streaming")).toBe(true);
    await world.restart();
  }
  await world.pass(hour);
  expect(world.asked).toHaveLength(4);
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: { code: "recovery", next_mover: "human", message: "coordinator.1 was interrupted 3 times" },
  });
  await world.send("a1", { type: "agent.resume" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(5);
  expect(mail(world.asked.at(-1)!)).toEqual(["test the runtime"]);
});

test("a turn that finished the run and was interrupted is over; the next message begins a new one", async () => {
  const world = await begun({ play: { coordinator: [use("finish", { summary: "done" }), { say: "welcome" }] } });
  expect(await world.dies("tool.ran")).toBe(true);
  await world.restart();
  await world.pass(1_000);
  expect(world.state().agent?.status).toBe("completed");
  expect(world.state().participants.get("coordinator")).toMatchObject({ turn: undefined });
  await world.send("a1", { type: "message.post", text: "thanks" });
  await world.pass(hour);
  expect(world.asked.map((one) => [one.turns, mail(one).at(-1)])).toEqual([
    [1, "test the runtime"],
    [2, "thanks"],
  ]);
  expect(world.state().agent?.status).toBe("active");
});

/** A log that ends with the end of its run, as an earlier version could leave it: today a command is in the log whole or not at all. */
async function endsWithItsRun() {
  const world = await begun({ play: { coordinator: [use("finish", { summary: "done" })] } });
  await world.pass(hour);
  await world.settled(world.runtime().stop());
  const log = "/home/agents/a1/events.jsonl";
  const lines = String(world.sim.disk.peek(log)).split("\n");
  const cut = lines.findIndex((line) => line.includes('"agent.completed"'));
  expect(lines[cut - 1]).toContain('"run.completed"');
  const last = lines[cut - 1]!.replace(',"more":true}', "}");
  world.sim.disk.put(log, `${[...lines.slice(0, cut - 1), last].join("\n")}\n`);
  world.sim.disk.put("/home/agents/a1/snapshot.json", null);
  return { world, asked: world.asked.length };
}

test("what follows from the last fact is made good when the agent is opened, though nobody sends anything", async () => {
  const { world, asked } = await endsWithItsRun();
  await world.restart();
  await world.pass(1_000);
  expect(world.state().agent?.status).toBe("completed");
  expect(world.asked).toHaveLength(asked);
});

test("an agent that is opened before the process lets anyone work is made good when it does", async () => {
  const { world } = await endsWithItsRun();
  await world.restart("power", async () => {
    expect(await world.runtime().read("a1", ({ agent }) => agent?.status)).toBe("active");
  });
  await world.pass(1_000);
  expect(world.state().agent?.status).toBe("completed");
});

test("an orderly stop in the middle of a turn does not count as a crash of it", async () => {
  const world = start({ play: { coordinator: [{ seconds: 1_000, say: "long" }] } });
  await world.begin();
  await world.create();
  for (let n = 0; n < 8; n++) {
    await world.pass(1_000);
    await world.settled(world.runtime().stop());
    await world.restart("kill");
  }
  await world.pass(hour);
  expect(world.asked.map((one) => one.outcome)).toEqual([...Array(8).fill("aborted"), "answered"]);
  expect(world.state().agent?.status).toBe("active");
});

test("a message that was acknowledged just before the end is read after it", async () => {
  const world = start({ play: {} });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  const { length } = world.asked;
  await world.send("a1", { type: "message.post", text: "hello" });
  await world.restart();
  await world.pass(hour);
  expect(world.asked.slice(length).map((one) => mail(one).at(-1))).toContain("hello");
  expect(mail(world.asked.at(-1)!)).toEqual(["test the runtime", "hello"]);
});

test("a retry that was waited for is still waited for after a restart", async () => {
  const flaky = (_request: unknown, attempt: number) =>
    attempt === 1 ? { error: new BackendError("transient", "slow down", 600_000) } : {};
  const world = start({ play: { coordinator: [flaky] } });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  await world.restart();
  await world.pass(500_000);
  expect(world.asked).toHaveLength(1);
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
  expect(world.asked[1]!.at - world.asked[0]!.at).toBeGreaterThanOrEqual(600_000);
});
