import { expect, test } from "vitest";
import { results } from "../runtime/model.test-help.ts";
import { home, start } from "../runtime/runtime.test-help.ts";

const hour = 3_600_000;
const write = (path: string, content: string) => ({ tool: "memory_write", input: { path, content } });
const read = (path: string) => ({ tool: "memory_read", input: { path } });
const search = (query: string) => ({ tool: "memory_search", input: { query } });
const todo = (action: string, text?: string) => ({ tool: "todo", input: { action, text } });

async function told(...calls: { tool: string; input: unknown }[]) {
  const world = start({ play: { coordinator: [{ calls }] } });
  await world.begin();
  await world.create();
  await world.pass(hour);
  return { world, said: results(world.asked[1]!).map((one) => [one.outcome, one.result]) };
}

const textOf = async (world: ReturnType<typeof start>, path: string) => {
  const found = await world.settled(world.files().read(`${home}/agents/a1/${path}`));
  return found && String(found);
};

test("a coordinator writes, reads and searches its agent's memory", async () => {
  const { world, said } = await told(
    read("index.md"),
    write("knowledge/chips.md", "# Chips\n\nThe H100 draws 700 watts (source: data sheet)."),
    read("knowledge/chips.md"),
    read("knowledge/other.md"),
    search("how many watts"),
    search("elephants"),
    write("knowledge/chips.md", "# Chips\n\nThe H100 draws 700 watts (source: data sheet)."),
  );
  expect(said).toEqual([
    ["ok", "There is no index.md yet. Your memory is empty."],
    ["ok", "Wrote memory/knowledge/chips.md (55 characters)."],
    ["ok", "# Chips\n\nThe H100 draws 700 watts (source: data sheet)."],
    ["error", "There is no note knowledge/other.md. Your notes:\n- memory/knowledge/chips.md (55 bytes)"],
    [
      "ok",
      "Searched by words only.\n\n## memory/knowledge/chips.md › Chips\n# Chips\n\nThe H100 draws 700 watts (source: data sheet).",
    ],
    ["ok", "Nothing in your memory fits. Searched by words only."],
    ["ok", "memory/knowledge/chips.md says that already."],
  ]);
  expect(await textOf(world, "memory/knowledge/chips.md")).toContain("700 watts");
  const recorded = (await world.events()).filter(({ type }) => type === "memory.written");
  expect(recorded).toEqual([
    expect.objectContaining({
      actor: "coordinator",
      cause: expect.stringMatching(/coordinator\.1\/.*\/memory#/),
      data: {
        participant: "coordinator",
        path: "memory/knowledge/chips.md",
        outcome: "created",
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    }),
  ]);
});

test("a worker has a memory of its own and sees nothing of the agent's", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            write("MEMORY.md", "only for the agent"),
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "create_work_node", input: { task: "work" } },
          ],
        },
      ],
      ann: [
        { calls: [read("MEMORY.md"), search("agent"), write("memory.md", "of ann"), read("../../../../MEMORY.md")] },
      ],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const ann = world.asked.filter((one) => one.participant === "ann");
  expect(results(ann[1]!).map((one) => one.result)).toEqual([
    "There is no note MEMORY.md. Your memory is empty.",
    "Nothing in your memory fits. Searched by words only.",
    "Wrote memory.md (6 characters).",
    expect.stringContaining("leaves your memory"),
  ]);
  expect(await textOf(world, "runs/r1/workers/ann/memory.md")).toBe("of ann");
  expect(await textOf(world, "MEMORY.md")).toBe("only for the agent");
});

test("a secret is refused and its value is not repeated", async () => {
  const key = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
  const { world, said } = await told(write("a.md", `line\n${key}`), todo("add", `use ${key}`));
  for (const [outcome, text] of said) {
    expect(outcome).toBe("error");
    expect(text).toContain("looks like a secret (GitHub token)");
    expect(text).not.toContain(key);
  }
  expect(said[0]![1]).toContain("line 2");
  expect(await textOf(world, "memory/a.md")).toBe(null);
});

test("the list of things to do grows, shrinks, and keeps what people wrote", async () => {
  const { world, said } = await told(
    todo("list"),
    todo("add", "call  Maria\nabout it"),
    todo("add", "Call Maria about it"),
    todo("add", "pay the rent"),
    todo("done", "rent"),
    todo("done", "2"),
    todo("done", "a"),
    todo("done", "nothing"),
    todo("add"),
    todo("list"),
  );
  expect(said.map(([, text]) => text)).toEqual([
    "Nothing is open.",
    "Added.\n1. call Maria about it",
    "That is open already.\n1. call Maria about it",
    "Added.\n1. call Maria about it\n2. pay the rent",
    "Done: pay the rent\n1. call Maria about it\n(1 done)",
    "Was done already: pay the rent\n1. call Maria about it\n(1 done)",
    "Done: call Maria about it\nNothing is open.\n(2 done)",
    'nothing on your list is "nothing"; say the number:\nNothing is open.\n(2 done)',
    "add needs a text: what to do",
    "Nothing is open.\n(2 done)",
  ]);
  expect(await textOf(world, "TODO.md")).toBe("# To do\n\n- [x] call Maria about it\n- [x] pay the rent\n");
});

test("a process that dies after a note was written and before it was answered writes it once, says so once and finds it", async () => {
  for (const [point, how] of [
    ["memory.written", "kill"],
    ["memory.written", "power"],
    ["tool.ran", "power"],
  ] as const) {
    const world = start({
      play: {
        coordinator: [
          { calls: [write("2026-01-01.md", "the walrus came")] },
          { calls: [search("walrus"), read("2026-01-01.md")] },
        ],
      },
    });
    await world.begin();
    const creating = world.runtime().create({ goal: "g", name: "a1", model: "scripted/test" });
    creating.catch(() => undefined);
    expect(await world.dies(point, 1, how)).toBe(true);
    await world.restart(how);
    await world.pass(hour);
    const last = world.asked.at(-1)!;
    expect(results(last).map((one) => one.result)).toEqual([
      "memory/2026-01-01.md says that already.",
      expect.stringContaining("## memory/2026-01-01.md › 2026-01-01 › 00:00"),
      "# 2026-01-01\n\n## 00:00\n\nthe walrus came\n",
    ]);
    const recorded = (await world.events()).filter(({ type }) => type === "memory.written");
    expect(recorded.map(({ data }) => "path" in data && data.path)).toEqual(["memory/2026-01-01.md"]);
  }
});

test("whoever overwrites what a person changed is told to read it first", async () => {
  const world = start({
    play: {
      coordinator: [
        { calls: [write("MEMORY.md", "one")] },
        { seconds: 60, calls: [write("MEMORY.md", "two"), read("MEMORY.md"), write("MEMORY.md", "by hand and two")] },
      ],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(10_000);
  await world.settled(world.files().write(`${home}/agents/a1/MEMORY.md`, "by hand"));
  await world.pass(hour);
  expect(
    results(world.asked.at(-1)!)
      .map((one) => one.result)
      .slice(1),
  ).toEqual([
    "MEMORY.md has changed since you last read it; read it, then write the full new text",
    "by hand",
    "Replaced MEMORY.md (15 characters).",
  ]);
  expect(await textOf(world, "MEMORY.md")).toBe("by hand and two");
});
