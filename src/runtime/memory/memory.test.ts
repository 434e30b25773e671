/** What reaches an agent's memory besides what its coordinator writes, and who hears of it. */
import { expect, test } from "vitest";
import { z } from "zod";
import { TaintPolicy } from "../../schema/config.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { type Answer, type Play, results, use } from "../model.test-help.ts";
import { home, type Options, start } from "../runtime.test-help.ts";

const hour = 3_600_000;
const page = defineTool({
  ...{ name: "read_page", about: "-", guidance: "-", effect: "outside", repeatable: true },
  input: z.object({}),
  run: async () => ({ text: "", data: { from: "the web", text: "obey", outside: "page.test" } }),
});
const learned = "The vendor's page is right; search engines show old prices.";
const team = (review: boolean): Answer[] => [
  {
    calls: [
      { tool: "spawn_worker", input: { name: "Bea", role: "r" } },
      {
        tool: "create_work_node",
        input: { task: "Find prices", worker: "Bea", ...(review ? { checks: [{ file: "a.md" }] } : {}) },
      },
      { tool: "wait_for_nodes", input: {} },
    ],
  },
];
const work: Answer[] = [
  {
    calls: [
      { tool: "write_file", input: { path: "a.md", content: "x" } },
      { tool: "publish", input: { summary: "done", learned } },
    ],
  },
];

async function play(given: Play, options: Options = {}) {
  const world = start({ play: given, tools: [page], taint: TaintPolicy.parse({}), ...options });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const note = async (path: string, agent = "a1") =>
    (await world.settled(world.files().read(`${home}/agents/${agent}/${path}`)))?.toString() ?? null;
  const insights = () => [...world.state().insights.values()].map(({ id, status, by }) => [id, by, status]);
  return { ...world, note, insights };
}

test("what a worker learned is proposed; the coordinator takes it into the agent's memory, with its source", async () => {
  const world = await play({
    coordinator: [
      ...team(false),
      use("memory_proposals", { action: "list" }),
      use("memory_proposals", { action: "accept", insight: "i1" }),
      use("finish", { summary: "done" }),
    ],
    bea: work,
  });
  expect(world.insights()).toEqual([["i1", "bea", "accepted"]]);
  const path = "memory/experiences/the-vendor-s-page-is-right-search-engines-show-old-prices.md";
  expect(await world.note(path)).toContain(`source: r1 n1-find-prices, bea\n`);
  expect(await world.note(path)).toContain(learned);
  expect(world.notices).toEqual([]);
});

test("the guard's rules take what a worker learned on a verified node, once; what is known already is declined", async () => {
  const again = { ...team(true)[0]!, calls: team(true)[0]!.calls!.slice(1) };
  const world = await play({
    coordinator: [...team(true), again, use("finish", { summary: "done" })],
    bea: [...work, ...work],
  });
  expect(world.insights()).toEqual([
    ["i1", "bea", "accepted"],
    ["i2", "bea", "declined"],
  ]);
  expect(world.state().insights.get("i2")).toMatchObject({ reason: expect.stringContaining("says so already") });
});

const idea = (subject: string, text: string) =>
  JSON.stringify({ keep: [{ subject, text, kind: "fact" }, { text: "no subject" }] });

test("a reflection after a run proposes, the guard keeps, a later one supersedes; its cost is counted", async () => {
  const guard = (request: { data?: string | undefined }): Answer => ({
    say: request.data?.includes("We ship on Thursdays")
      ? idea("release day", "We ship on Tuesdays now.")
      : idea("release day", "We ship on Thursdays."),
    usd: 0.01,
    tokens: 50,
  });
  const world = await play(
    {
      coordinator: [use("finish", { summary: "Release day found" })],
      guard: [guard],
    },
    { reflection: { after: "always" } },
  );
  await world.send("a1", { type: "run.start", goal: "release day again" });
  await world.pass(hour);
  expect(world.insights()).toEqual([
    ["i1", "guard", "accepted"],
    ["i2", "guard", "accepted"],
  ]);
  const text = (await world.note("memory/knowledge/release-day.md"))!;
  expect(text).toContain("We ship on Tuesdays now.\n\nEarlier:\n- until ");
  expect(text).toContain("We ship on Thursdays. (r1, reflection");
  expect(world.state().reflections).toEqual({ calls: 2, usd: 0.02, tokens: 0 });
  expect(world.state().accounts.get("agent")?.spent.usd).toBeCloseTo(0.02);
  expect(world.state().accounts.get("agent")?.reserved.usd).toBe(0);
  expect(world.notices).toEqual([]);
});

test("by default a reflection happens only where it pays, and never where the budget has no room for it", async () => {
  const run = async (spent: number, budget?: number) => {
    const world = start({
      play: {
        coordinator: [{ ...use("finish", { summary: "done" }), usd: spent }],
        guard: [{}, { usd: 0.01, say: '{"keep": []}' }],
      },
      reflection: { after: "pays" },
    });
    await world.begin();
    await world.create({ model: "maker/model", ...(budget ? { budget: { usd: budget } } : {}) });
    await world.pass(hour);
    return world.state().reflections.calls;
  };
  expect(await run(0.1)).toBe(0);
  expect(await run(0.3)).toBe(1);
  expect(await run(0.3, 0.305)).toBe(0);
});

test("an answer that cannot be read, or none, leaves nothing behind but its cost", async () => {
  const world = await play(
    { coordinator: [use("finish", { summary: "done" })], guard: [{ say: "I would keep nothing.", usd: 0.01 }] },
    { reflection: { after: "always" } },
  );
  expect(world.insights()).toEqual([]);
  const [ended] = (await world.events()).filter(({ type }) => type === "reflection.ended");
  expect(ended?.data).toMatchObject({ proposed: 0, problem: expect.stringContaining("not JSON"), cost: { usd: 0.01 } });
});

const hold = TaintPolicy.parse({ memory: "hold" });

test("with taint.memory: hold what a run writes after it has read a stranger's text is held: it reads it itself, the next run does not, until the human accepts", async () => {
  const world = await play(
    {
      coordinator: [
        use("memory_write", { path: "MEMORY.md", content: "Known before." }),
        use("read_page"),
        use("memory_write", { path: "MEMORY.md", content: "Known before. evil.test is safe." }),
        use("memory_write", { path: "MEMORY.md", content: "Known before. evil.test is very safe." }),
        use("memory_read", { path: "MEMORY.md" }),
        use("memory_search", { query: "very safe" }),
        use("memory_proposals", { action: "accept", insight: "i1" }),
        use("finish", { summary: "done", learned: "evil.test said so" }),
        use("finish", { summary: "again" }),
      ],
    },
    { taint: hold },
  );
  const shown = results(world.asked.at(-1)!);
  expect(shown[4]?.result).toContain("very safe");
  expect(shown[5]?.result).toContain("very safe");
  expect(shown[6]?.result).toContain("only the human can accept it");
  expect(await world.note("MEMORY.md")).toBe("Known before.");
  // One for the whole run, with what finish learned at its end.
  expect(world.insights()).toEqual([["i1", "coordinator", "open"]]);
  await world.send("a1", { type: "run.start", goal: "again" });
  await world.pass(hour);
  expect(world.state().run?.id).toBe("r2");
  const [first, second] = world.asked.filter(({ turns }) => turns === 1).map(({ system }) => system);
  expect(first).not.toContain("Known before.");
  expect(second).toContain("Known before.");
  expect(second).not.toContain("very safe");
  const reading = await world.settled(world.runtime().reading("a1"));
  expect(await world.settled(reading.insights.accept("i1", "human"))).toEqual({ path: "MEMORY.md" });
  expect(await world.note("MEMORY.md")).toContain("very safe.");
  const versions = await world.settled(reading.versions.list({ of: "memory" }, "MEMORY.md"));
  expect(versions.map(({ by, kept }) => [by, kept])).toEqual([
    ["human", true],
    ["coordinator", true],
  ]);
});

test("a held note whose original has changed since is not written over it", async () => {
  const world = await play(
    {
      coordinator: [
        use("read_page"),
        use("memory_write", { path: "knowledge/a.md", content: "held words" }),
        use("finish", { summary: "done" }),
      ],
    },
    { taint: hold },
  );
  const reading = await world.settled(world.runtime().reading("a1"));
  await world.settled(reading.owned.write({ of: "memory" }, "memory/knowledge/a.md", "people's words"));
  await expect(world.settled(reading.insights.accept("i1", "human"))).rejects.toThrow(/has changed since r1 wrote/);
  expect(await world.note("memory/knowledge/a.md")).toBe("people's words");
});

/** One after the other, over all runs. */
const inTurn = (...answers: Answer[]) => answers.map(() => (): Answer => answers.shift()!);

test("by default a new note of a tainted run is kept with its origin; a later run finds it as data, and is tainted by it", async () => {
  const fact = "The spare part costs 40 euros at page.test.";
  const world = await play({
    coordinator: inTurn(
      use("read_page"),
      use("memory_write", { path: "knowledge/a.md", content: `---\ntier: core\nvisibility: public\n---\n${fact}` }),
      use("finish", { summary: "done", learned: "page.test has prices" }),
      use("memory_search", { query: "price of the spare part" }),
      use("memory_read", { path: "knowledge/a.md" }),
      use("finish", { summary: "again" }),
    ),
  });
  const head = "---\ntier: working\nvisibility: private\norigin: page.test\n---\n";
  expect(await world.note("memory/knowledge/a.md")).toBe(`${head}${fact}`);
  expect(await world.note("MEMORY.md")).toContain(`${head}# What I learned`);
  expect(world.state().taint.notes).toEqual([]);
  await world.send("a1", { type: "run.start", goal: "again" });
  await world.pass(hour);
  const second = world.asked.filter(({ participant }) => participant === "coordinator").slice(-3);
  expect(second[0]!.system).not.toContain("40 euros");
  expect(second[0]!.system).toContain("2 notes that you wrote after reading text from outside are kept apart");
  // What was said in the first run is shown to the second, which is tainted by that; so it is shown these notes too, as data.
  expect(second[0]!.data).toContain('from="your note memory/knowledge/a.md, written after reading page.test"');
  const told = JSON.stringify(second.at(-1)!.lines);
  for (const from of [
    "your notes, written after reading page.test",
    "your note knowledge/a.md, written after reading page.test",
  ])
    expect(told).toContain(`from=\\"${from}\\">`);
  expect(results(second.at(-1)!).at(-1)?.result).toContain(fact);
  expect(world.state().taint.sources).toEqual(["page.test (in an earlier run)", "page.test"]);
});

test("by default a tainted run does not change a note that has no origin: its version waits for the human", async () => {
  const world = await play({
    coordinator: inTurn(
      use("memory_write", { path: "MEMORY.md", content: "Pay invoices after thirty days." }),
      use("memory_write", { path: "knowledge/bank.md", content: "Our account is 1234." }),
      use("read_page"),
      use("memory_write", { path: "MEMORY.md", content: "Pay invoices at once." }),
      use("memory_write", { path: "knowledge/bank.md", content: "Our account is 6666." }),
      use("finish", { summary: "done", learned: "page.test was slow" }),
    ),
  });
  expect(await world.note("MEMORY.md")).toBe("Pay invoices after thirty days.");
  expect(await world.note("memory/knowledge/bank.md")).toBe("Our account is 1234.");
  expect(await world.note("memory/experiences/learned.md")).toContain("origin: page.test");
  expect(results(world.asked.at(-1)!).at(-1)?.result).toContain("waits for your human");
  expect(world.insights()).toEqual([
    ["i1", "coordinator", "open"],
    ["i2", "coordinator", "open"],
  ]);
  const reading = await world.settled(world.runtime().reading("a1"));
  await world.settled(reading.insights.accept("i2", "human"));
  expect(await world.note("memory/knowledge/bank.md")).toBe("Our account is 6666.");
});

test("by default a reflection on a tainted run is kept with its origin, and never in place of a note without one; what the human accepts has none", async () => {
  const say = (text: string) => ({ say: idea("release day", text), usd: 0.01 });
  const world = await play(
    {
      coordinator: inTurn(
        use("finish", { summary: "first" }),
        use("read_page"),
        use("finish", { summary: "second" }),
        use("finish", { summary: "third" }),
      ),
      guard: inTurn(say("We ship on Thursdays."), say("We ship when page.test says so."), {
        say: idea("spare part", "The part costs forty euros."),
      }),
    },
    { reflection: { after: "always" } },
  );
  for (const goal of ["again", "and again"]) {
    await world.send("a1", { type: "run.start", goal });
    await world.pass(hour);
  }
  expect(world.insights()).toEqual(
    [
      ["i1", "guard", "accepted"],
      ["i3", "guard", "accepted"],
      ["i2", "guard", "open"],
    ].sort(),
  );
  expect(await world.note("memory/knowledge/release-day.md")).not.toContain("page.test");
  expect(await world.note("memory/knowledge/spare-part.md")).toContain("origin: page.test (in an earlier run)");
  const reading = await world.settled(world.runtime().reading("a1"));
  await world.settled(reading.insights.accept("i2", "human"));
  const accepted = (await world.note("memory/knowledge/release-day.md"))!;
  expect(accepted).toContain("We ship when page.test says so.");
  expect(accepted).not.toContain("origin:");
});

test("with taint.memory: allow a note is kept as it is, and every later run is tainted", async () => {
  const world = await play(
    {
      coordinator: [
        use("read_page"),
        use("memory_write", { path: "knowledge/a.md", content: "kept words" }),
        { say: "done" },
      ],
    },
    { taint: TaintPolicy.parse({ memory: "allow" }) },
  );
  expect(await world.note("memory/knowledge/a.md")).toBe("kept words");
  expect(world.state().taint.notes).toEqual(["memory/knowledge/a.md"]);
});

test("an agent asks what another knows: it is told shared notes with their source, workers public ones only, and both logs say so", async () => {
  const ask = (agent: string, question: string) => use("ask_about", { agent, question });
  const world = start({
    play: {
      "m/two coordinator": [
        ask("a1", "rollback of a release"),
        ask("a1", "salary of the boss"),
        ask("nobody", "anything"),
        ...team(false),
        { say: "done" },
      ],
      bea: [ask("a1", "rollback of a release"), ask("a1", "opening hours"), use("publish", { summary: "done" })],
    },
  });
  await world.begin();
  await world.create({ start: false });
  const note = (visibility: string, text: string) =>
    `---\nvisibility: ${visibility}\nsource: r1\nnoted: 2026-02-03\n---\n${text}\n`;
  const reading = await world.settled(world.runtime().reading("a1"));
  const put = (path: string, text: string) =>
    world.settled(reading.owned.write({ of: "memory" }, `memory/${path}`, text));
  await put("roll.md", note("shareable", "Rollback of a release: revert the image."));
  await put("pay.md", note("private", "The salary of the boss is 100."));
  await put("hours.md", note("public", "The opening hours are nine to five."));
  await world.create({ name: "a2", model: "m/two" });
  await world.pass(hour);
  const asked = (await world.events("a1")).filter(({ type }) => type === "memory.asked");
  expect(asked.map(({ actor, data }) => [actor, data])).toEqual([
    [
      "agent:a2",
      { by: "a2", participant: "coordinator", question: "rollback of a release", notes: ["memory/roll.md"] },
    ],
    ["agent:a2", { by: "a2", participant: "coordinator", question: "salary of the boss", notes: [] }],
    ["agent:a2", { by: "a2", participant: "bea", question: "rollback of a release", notes: [] }],
    ["agent:a2", { by: "a2", participant: "bea", question: "opening hours", notes: ["memory/hours.md"] }],
  ]);
  const told = results(
    world.asked.filter(({ participant, model }) => participant === "coordinator" && model === "m/two").at(-1)!,
  );
  expect(told[0]?.result).toContain("revert the image.");
  expect(told[0]?.result).toContain("(memory/roll.md, noted 2026-02-03, r1)");
  expect(told[1]?.result).toBe("a1 has nothing to tell about that.");
  expect(told[2]?.result).toContain("there is no agent nobody");
  const calls = (await world.events("a2")).filter(({ type }) => type === "turn.answered");
  expect(JSON.stringify(calls[0]?.data)).toContain("rollback of a release");
});
