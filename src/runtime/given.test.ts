/** What an agent is made with and keeps: its tools, its window, the folder it may read. */
import { expect, test } from "vitest";
import { z } from "zod";
import type { Problem } from "../schema/problem.ts";
import { defineTool, type Tool } from "../toolkit/tool.ts";
import { type Play, results, use } from "./model.test-help.ts";
import { type Options, start } from "./runtime.test-help.ts";
import type { NewAgent } from "./runtime.ts";

const hour = 3_600_000;
const folder = "/srv/shop";

async function played(play: Play, given: Partial<NewAgent>, options: Partial<Options> = {}) {
  const world = start({ play, ...options });
  await world.begin();
  for (const [path, text] of Object.entries(project)) {
    await world.settled(world.files().makeDir(path.slice(0, path.lastIndexOf("/"))));
    await world.settled(world.files().write(path, text));
  }
  await world.create(given);
  await world.pass(hour);
  return world;
}

const project = {
  [`${folder}/README.md`]: "# Shop\nsells chips\n",
  [`${folder}/src/price.ts`]: "export const price = 4;\n",
  [`${folder}/.git/HEAD`]: "chips in git\n",
  [`${folder}/src/node_modules/x/index.js`]: "chips of others\n",
  "/srv/secret.txt": "chips for nobody\n",
};

const refused = (job: Promise<unknown>) =>
  job.then(
    () => "nothing was refused",
    ({ code, message }: Problem) => `${code}: ${message}`,
  );

const team = {
  calls: [
    { tool: "spawn_worker", input: { name: "Ann" } },
    { tool: "create_work_node", input: { task: "look", worker: "Ann" } },
  ],
};

const strange = (name: string, rest: Partial<Tool>): Tool =>
  defineTool({
    name,
    about: "Does something somewhere else.",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    ...rest,
    input: z.object({}),
    run: async () => "done",
  });

/** In the prompt of its last turn or one call away from it. */
async function callable(world: Awaited<ReturnType<typeof played>>, who: string): Promise<string[]> {
  const turns = (await world.events()).filter((event) => event.type === "turn.started");
  const { tools, further = [] } = turns.findLast(({ data }) => data.participant === who && data.context)!.data.context!;
  return [...tools, ...further];
}

test("the tools that an agent was given are those of its workers too; what changes only the log and what nobody works without is always there", async () => {
  const tools = [strange("alarm", {}), strange("far_note", { effect: "state", alias: "mcp.far.note" })];
  const world = await played(
    { coordinator: [team, { say: "ok" }], ann: [{ say: "hm" }] },
    { tools: ["read_file"] },
    { tools },
  );
  const of = (who: string) => world.asked.find(({ participant }) => participant === who)!;
  for (const who of ["coordinator", "ann"]) {
    const names = await callable(world, who);
    expect(names).toEqual(expect.arrayContaining(["read_file", "send_message", "memory_write", "check_messages"]));
    for (const name of ["write_file", "list_files", "alarm", "far_note"]) expect(names).not.toContain(name);
    expect(of(who).system).not.toContain("## write_file");
  }
  expect(await callable(world, "coordinator")).toContain("finish");
  expect(await callable(world, "ann")).toEqual(expect.arrayContaining(["publish", "decline"]));
});

test("a tool that an agent was not given cannot be called, nor given to a worker, by whatever name", async () => {
  const calls = [
    { tool: "write_file", input: { path: "a.md", content: "x" } },
    { tool: "spawn_worker", input: { name: "Ann", tools: ["write_file"] } },
    { tool: "spawn_worker", input: { name: "Bea", tools: ["read_file"] } },
  ];
  const world = await played({ coordinator: [{ calls }, { say: "ok" }] }, { tools: ["read_file"] });
  const [write, ann, bea] = results(world.asked[1]!);
  expect(write!.outcome).toBe("error");
  expect(ann).toMatchObject({ outcome: "error", result: expect.stringContaining("there is no tool write_file") });
  expect(bea!.outcome).toBe("ok");
  expect(world.sim.disk.peek("/home/agents/a1/runs/r1/scratch/a.md")).toBeFalsy();
});

test("an agent that was not given bash runs no programs", async () => {
  const worker = { name: "Prog", type: "autonomous", agent_command: "prog" };
  const calls = [
    { tool: "spawn_worker", input: worker },
    { tool: "create_work_node", input: { task: "run", worker: "Prog" } },
  ];
  const why = async (tools: string[]) => {
    const world = await played(
      { coordinator: [{ calls }] },
      { tools },
      { tools: [strange("bash", {})], allowed: { prog: "command:true" } },
    );
    return JSON.stringify(
      (await world.events()).filter(({ type }) => type === "turn.failed" || type === "node.failed"),
    );
  };
  expect(await why([])).toContain("this agent cannot run programs");
  expect(await why(["bash"])).not.toContain("this agent cannot run programs");
});

test("an empty list leaves what nobody works without, and it stays so after a restart, a pause and a new run", async () => {
  const world = await played(
    { coordinator: [{ say: "one" }, { say: "two" }] },
    { tools: [], context_window: 50_000, folder },
  );
  await world.send("a1", { type: "agent.pause" });
  await world.restart();
  await world.send("a1", { type: "agent.resume" });
  await world.send("a1", { type: "agent.stop" });
  await world.send("a1", { type: "run.start" });
  await world.pass(hour);
  const names = await callable(world, "coordinator");
  expect(world.asked.at(-1)!.turns).toBe(1);
  expect(names).toEqual(expect.arrayContaining(["finish", "write_plan"]));
  expect(names).not.toContain("read_file");
  expect(world.state().agent).toMatchObject({ tools: [], context_window: 50_000, folder, status: "active" });
});

test("tools that there are not are refused with the names there are, and no agent is made", async () => {
  const world = start();
  await world.begin();
  const said = await refused(world.create({ tools: ["read_file", "reed_file", "rm"] }, { key: "k" }));
  expect(said).toMatch(/^invalid: there is no tool "reed_file", "rm"; tools: .*\bread_file\b.*\bwrite_file\b/);
  expect(world.runtime().agents()).toEqual([]);
  expect(await world.create({ tools: ["read_file"] }, { key: "k" })).toBe("a1");
});

test("whoever asks again with the same key is given its agent, also when a tool is gone since", async () => {
  const options = { tools: [strange("alarm", {})] };
  const world = start(options);
  await world.begin();
  await world.create({ tools: ["alarm"] }, { key: "k" });
  options.tools = [];
  await world.restart();
  expect(await world.create({ tools: ["alarm"] }, { key: "k" })).toBe("a1");
  expect(await refused(world.create({ tools: ["alarm"] }, { key: "other" }))).toContain("invalid");
});

const note = { ...use("memory_write", { path: "memory/a.md", content: "a" }), tokens: 40_000 };

test("the window that an agent was given counts when it is smaller than the model's", async () => {
  const fills = async (given: Partial<NewAgent>, window?: number) => {
    const play = { coordinator: [note, { say: "written" }, { say: "done" }] };
    const world = await played(play, given, window === undefined ? {} : { window });
    return (await world.events()).flatMap((event) => (event.type === "context.filled" ? [event.data.window] : []));
  };
  expect(await fills({ context_window: 50_000 }, 1_000_000)).toEqual([50_000]);
  expect(await fills({ context_window: 50_000 })).toEqual([50_000]);
  expect(await fills({ context_window: 1_000_000 }, 50_000)).toEqual([50_000]);
  expect(await fills({ context_window: 60_000 }, 1_000_000)).toEqual([]);
  expect(await fills({}, 1_000_000)).toEqual([]);
});

const looks = [
  { tool: "list_files", input: { path: "project" } },
  { tool: "read_file", input: { path: "project/src/price.ts" } },
  { tool: "search_files", input: { query: "chips" } },
  { tool: "write_file", input: { path: "project/README.md", content: "x" } },
  { tool: "edit_file", input: { path: "project/README.md", old: "Shop", new: "x" } },
  { tool: "read_file", input: { path: "project/../secret.txt" } },
  { tool: "list_files", input: { path: "project/.git/" } },
  { tool: "write_file", input: { path: "./project/a.md", content: "mine" } },
  { tool: "list_files", input: {} },
];

test("everyone reads the folder as project/…, and nobody writes it", async () => {
  const world = await played(
    { coordinator: [{ calls: [...looks, ...team.calls] }], ann: [{ calls: looks }] },
    { folder },
  );
  for (const who of ["coordinator", "ann"]) {
    const told = results(world.asked.filter(({ participant }) => participant === who)[1]!).map(({ result }) => result);
    expect(told[0]).toBe(
      [
        "project/.git/  (not shown; list it by its path)",
        "project/README.md  19 bytes",
        "project/src/",
        "project/src/node_modules/  (not shown; list it by its path)",
        "project/src/price.ts  24 bytes",
      ].join("\n"),
    );
    expect(told[1]).toContain("export const price = 4;");
    expect(told[2]).toBe("README.md:2: sells chips"); // of its own checkout
    expect(told[3]).toMatch(/project\/README.md cannot be written: .*change the same file in your scratch/);
    expect(told[4]).toMatch(/cannot be written/);
    expect(told[5]).toMatch(/Allowed: .*project\/…/);
    expect(told[6]).toBe("project/.git/HEAD  13 bytes");
    expect(told[8]).toContain("./project/a.md  4 bytes");
  }
  expect(String(world.sim.disk.peek(`${folder}/README.md`))).toBe("# Shop\nsells chips\n");
});

test("the prompt says where the folder is, in the same words at every call; without a folder it says nothing, and project is a name in scratch", async () => {
  const plan = use("write_plan", { plan: "x" });
  const { asked } = await played({ coordinator: [plan, plan, team], ann: [plan, { say: "hm" }] }, { folder });
  for (const { system } of asked) expect(system.split(`a folder of this machine, ${folder}.`)).toHaveLength(2);
  expect(asked.map(({ participant }) => participant)).toEqual(expect.arrayContaining(["coordinator", "ann"]));
  for (const { system } of asked.slice(0, 3)) expect(system).toBe(asked[0]!.system);
  const calls = [
    { tool: "write_file", input: { path: "project/a.md", content: "mine" } },
    { tool: "read_file", input: { path: "project/a.md" } },
  ];
  const without = await played({ coordinator: [{ calls }] }, {});
  expect(without.asked[0]!.system).not.toContain("project folder");
  expect(results(without.asked[1]!).map(({ outcome }) => outcome)).toEqual(["ok", "ok"]);
});
