/** The tools that read and write files, as participants use them; the disk is simulated. Links and races: test/files.test.ts. */
import { expect, test } from "vitest";
import { type Answer, type Play, results, use } from "../runtime/model.test-help.ts";
import { start } from "../runtime/runtime.test-help.ts";

const hour = 3_600_000;
const run = "/home/agents/a1/runs/r1";
const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const read = (path: string, rest = {}) => ({ tool: "read_file", input: { path, ...rest } });
const edit = (path: string, old: string, next: string, rest = {}) => ({
  tool: "edit_file",
  input: { path, old, new: next, ...rest },
});
const list = (path?: string) => ({ tool: "list_files", input: path === undefined ? {} : { path } });
const search = (query: string, path?: string) => ({ tool: "search_files", input: { query, ...(path && { path }) } });
const ref = (ref_name: string, path?: string) => ({ tool: "read_ref", input: { ref_name, ...(path && { path }) } });
type Call = NonNullable<Answer["calls"]>[number];

/** What the coordinator is told about these calls, one after the other; `edits` are made by hand before. */
async function told(calls: Call[], edits: Record<string, string | Buffer> = {}) {
  const world = start({ play: { coordinator: [{ calls }] } });
  await world.begin();
  for (const [path, content] of Object.entries(edits)) world.sim.disk.edit(`${run}/${path}`, content);
  await world.create();
  await world.pass(hour);
  const second = world.asked.find((one) => one.participant === "coordinator" && one.turns === 2)!;
  return { world, results: results(second), texts: results(second).map((one) => one.result) };
}

test("what is written is read back; of a long file parts are shown and how to go on is said", async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index + 1}`).join("\n");
  const { texts } = await told([
    write("notes/a.md", "grüße 🌍\n"),
    read("notes/a.md"),
    read("./notes/a.md"),
    write("long", long),
    read("long"),
    read("long", { offset: 19_999 }),
    read("long", { offset: 3, limit: 2 }),
    read("long", { offset: 30_000 }),
    write("wide", "x".repeat(60_000)),
    read("wide"),
    write("empty", ""),
    read("empty"),
    read("wide", { column: 50_001 }),
    read("wide", { column: 60_001 }),
  ]);
  expect(texts[1]).toBe("grüße 🌍\n");
  expect(texts[2]).toBe(texts[1]);
  expect(texts[4]!.length).toBeLessThan(50_200);
  expect(texts[4]).toMatch(/^line 1\n[\s\S]*\[lines 1 to (\d+) of 20000; go on with offset \d+\]$/);
  expect(texts[5]).toBe("line 19999\nline 20000\n[lines 19999 to 20000 of 20000]");
  expect(texts[6]).toBe("line 3\nline 4\n[lines 3 to 4 of 20000; go on with offset 5]");
  expect(texts[7]).toBe("long has 20000 lines; line 30000 is not there");
  expect(texts[9]).toMatch(/^x{50000}\n\[line 1 of 1, characters 1 to 50000; go on with offset 1 and column 50001\]$/);
  expect(texts[12]).toMatch(/^x{10000}\n\[lines 1 to 1 of 1\]$/);
  expect(texts[13]).toBe("line 1 of wide has 60000 characters");
  expect(texts[11]).toBe("empty is empty.");
});

test("a binary file is told as such, with its size", async () => {
  const { texts } = await told([read("a.bin"), read("latin"), edit("a.bin", "x", "y")], {
    "scratch/a.bin": Buffer.from([1, 0, 2]),
    "scratch/latin": Buffer.from([0xe9, 0x20]),
  });
  expect(texts[0]).toBe("a.bin is binary (3 bytes) and cannot be shown as text; use bash to look at it.");
  expect(texts[1]).toContain("latin is binary (2 bytes)");
  expect(texts[2]).toBe("a.bin is binary and cannot be edited as text");
});

test("a file that is not there is refused with what is there", async () => {
  const { results } = await told([
    write("a.md", "x"),
    write("d/b.md", "x"),
    read("c.md"),
    read("d/c.md"),
    read("no/c.md"),
    read("d"),
  ]);
  expect(results.slice(2).map(({ outcome, result }) => [outcome, result])).toEqual([
    ["error", 'there is no file "c.md"; your scratch has a.md, d/'],
    ["error", 'there is no file "d/c.md"; d has b.md'],
    ["error", 'there is no file "no/c.md"; no is empty or does not exist'],
    ["error", '"d" is a folder, not a file; list_files shows what is in it'],
  ]);
});

test("an edit needs its text exactly once, and says how often and where it is otherwise", async () => {
  const { texts, world } = await told([
    write("a.ts", "one\n  two = 1;\nthree\none\n"),
    edit("a.ts", "two = 1", "two = $&"),
    edit("a.ts", "one", "1"),
    edit("a.ts", "    two = $&;", "x"),
    edit("a.ts", "nothing like it", "x"),
    edit("a.ts", "one", "one"),
    edit("a.ts", "one", "1", { all: true }),
    write("dos", "a\r\nb\r\n"),
    edit("dos", "a\nb", "x"),
    edit("gone", "a", "b"),
  ]);
  expect(texts.slice(1)).toEqual([
    "Replaced it in a.ts, line 2.",
    "old occurs 2 times in a.ts (lines 1, 4); add lines around it until it occurs once, or set all",
    'old does not occur in a.ts. Like its first line is only:\n2: "  two = $&;"\nCompare the white space and the lines after it.',
    "old does not occur in a.ts. No line is like its first one; read the file again.",
    "old and new are the same; there is nothing to change",
    "Replaced 2 occurrences in a.ts.",
    "Wrote dos (6 characters).",
    "old does not occur in dos. It does with the file's line ends, which are \\r\\n.",
    'there is no file "gone"; your scratch has a.ts, dos',
  ]);
  expect(String(world.sim.disk.peek(`${run}/scratch/a.ts`))).toBe("1\n  two = $&;\nthree\n1\n");
});

test("lists go down to the bottom, are sorted, and end somewhere", async () => {
  const many = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`scratch/many/f${String(index).padStart(3, "0")}`, "x"]),
  );
  const { texts } = await told([list(), list("many"), list("deep/"), list("deep/no"), list(".")], {
    ...many,
    "scratch/deep/er/b.md": "12345",
    "scratch/a.md": "1",
  });
  expect(texts[0]).toMatch(/^a\.md {2}1 bytes\ndeep\/\ndeep\/er\/\ndeep\/er\/b\.md {2}5 bytes\nmany\/\nmany\/f000/);
  expect(texts[0]).toContain("[105 more; list a folder of it]");
  expect(texts[1]).toContain("[100 more; list a folder of it]");
  expect(texts[2]).toBe("deep/er/\ndeep/er/b.md  5 bytes");
  expect(texts[3]).toMatch(/^there is no folder "deep\/no"\. Allowed: relative paths are your scratch/);
  expect(texts[4]).toBe(texts[0]);
});

test("searching finds text in any case and patterns, says where, and is bounded", async () => {
  const { texts } = await told(
    [
      search("ALPHA"),
      search("/^al.ha$/"),
      search("/^AL/i"),
      search("/(/"),
      search("/^(a+)+$/", "bomb"),
      search("a.pha"),
      search("x", "many"),
      search("alpha", "no"),
      search("alpha", "d"),
    ],
    {
      "scratch/a.md": "first\nalpha\n",
      "scratch/d/b.md": "Alphabet\n",
      "scratch/bin": Buffer.from([0, ...Buffer.from("alpha")]),
      "scratch/bomb": `${"a".repeat(50)}!`,
      "scratch/many": "x\n".repeat(500),
      "documents/plan.md": "the alpha plan",
    },
  );
  expect(texts[0]).toBe("a.md:2: alpha\nd/b.md:1: Alphabet\ndocuments/plan.md:1: the alpha plan");
  expect(texts[1]).toBe("a.md:2: alpha");
  expect(texts[2]).toBe("a.md:2: alpha\nd/b.md:1: Alphabet");
  expect(texts[3]).toContain("Invalid regular expression");
  expect(texts[4]).toContain("takes too long");
  expect(texts[5]).toBe("No line matches a.pha.");
  expect(texts[6]!.split("\n")).toHaveLength(101);
  expect(texts[6]).toContain("[400 more lines match; narrow the query or the path]");
  expect(texts[7]).toContain("there is no no;");
  expect(texts[8]).toBe("d/b.md:1: Alphabet");
});

const escapes: [path: string, why: string][] = [
  ["../../../../daemon.json", "leaves its folder by .."],
  ["published/../../x", "leaves its folder by .."],
  ["memory/../../../x", "leaves its folder by .."],
  ["published/n1/../../x", "leaves its folder by .."],
  ["/etc/passwd", "is not relative"],
  ["~/.ssh/id", "is not relative"],
  ["a\\b", "has a backslash"],
  ["a\nb", "invisible character"],
  ["a//b", "has an empty step"],
];
test.each(escapes)("the path %j is refused by every tool, with what is allowed", async (path, why) => {
  const { results, world } = await told([
    read(path),
    write(path, "x"),
    edit(path, "a", "b"),
    list(path),
    search("x", path),
  ]);
  for (const { outcome, result } of results) {
    expect(outcome).toBe("error");
    expect(result).toContain(why);
    expect(result).toContain("Allowed: relative paths are your scratch; you can read published/NODE/…");
  }
  expect(world.sim.disk.paths().filter((one) => /\/(x|b|id|passwd)$/.test(one))).toEqual([]);
});

/** Ann makes n1 and publishes; Bea then does her calls in n2, which has refs to it. */
async function team(bea: Call[], coordinator: Call[] = []) {
  const play: Play = {
    coordinator: [
      {
        calls: [
          { tool: "spawn_worker", input: { name: "Ann" } },
          { tool: "spawn_worker", input: { name: "Bea" } },
          { tool: "create_work_node", input: { task: "first", worker: "ann" } },
          {
            tool: "create_work_node",
            input: {
              task: "second",
              worker: "bea",
              depends_on: ["n1-first"],
              refs: { one: "n1-first/a.md", all: "n1-first" },
            },
          },
          { tool: "create_work_node", input: { task: "third", depends_on: ["n2-second"] } },
          { tool: "write_plan", input: { content: "the plan" } },
          write("mine.md", "the coordinator's"),
          { tool: "wait_for_nodes", input: { node_ids: ["n2-second"] } },
        ],
      },
      { calls: coordinator },
    ],
    ann: [
      { calls: [write("a.md", "alpha"), write("d/b.md", "beta"), use("publish", { summary: "two files" }).calls![0]!] },
    ],
    bea: [{ calls: [write("draft.md", "draft"), ...bea] }, use("publish", { summary: "done" })],
  };
  const world = start({ play });
  await world.begin();
  world.sim.disk.edit("/home/agents/a1/SOUL.md", "the soul");
  world.sim.disk.edit("/home/agents/a1/memory/index.md", "remembered");
  for (const who of ["ann", "bea"]) world.sim.disk.edit(`${run}/workers/${who}/notebook.md`, `notes of ${who}`);
  await world.create();
  await world.pass(hour);
  const of = (who: string, turn: number, skip: number) =>
    results(world.asked.find((one) => one.participant === who && one.turns === turn)!).slice(skip);
  return { world, bea: of("bea", 2, 1), coordinator: coordinator.length ? of("coordinator", 3, 8) : [] };
}

test("a worker reads what is published, the run's texts and its own; not what others are working on, and not the agent's home", async () => {
  const calls = [
    "published/n1-first/a.md",
    "nodes/n1-first/published/d/b.md",
    "_plan.md",
    "_spec.md",
    "workers/bea/notebook.md",
    "nodes/n2-second/scratch/draft.md",
    "workers/ann/notebook.md",
    "nodes/n1-first/scratch/a.md",
    "published/n3-third/x",
    "published/n9/x",
    "SOUL.md",
    "memory/index.md",
    "mine.md",
    "events.jsonl",
  ];
  const { bea } = await team(calls.map((path) => read(path)));
  const [ok, refused] = [bea.slice(0, 6), bea.slice(6)];
  expect(ok.map((one) => one.outcome)).toEqual(Array(6).fill("ok"));
  expect(ok.map((one) => one.result.trim().split("\n")[0])).toEqual([
    "alpha",
    "beta",
    "the plan",
    expect.any(String),
    "notes of bea",
    "draft",
  ]);
  expect(ok[3]!.result).toContain("second");
  expect(refused.map((one) => one.outcome)).toEqual(Array(8).fill("error"));
  const why = refused.map((one) => one.result);
  expect(why[0]).toMatch(/^workers\/ann\/notebook.md belongs to another worker\. Allowed: .*published\/NODE/);
  expect(why[1]).toContain("n1-first is neither your node nor created by you; you can read only published/n1-first/…");
  expect(why[2]).toContain("n3-third is pending and has published nothing");
  expect(why[3]).toContain('there is no node "n9"; nodes: n1-first, n2-second, n3-third');
  for (const text of why.slice(4)) expect(text).toMatch(/^there is no file/);
});

test("the coordinator reads its home and the scratch of the nodes it made", async () => {
  const { coordinator } = await team(
    [],
    [
      read("SOUL.md"),
      read("memory/index.md"),
      read("nodes/n1-first/scratch/a.md"),
      read("nodes/n2-second/_spec.md"),
      list("published"),
      list("published/n1-first"),
      read("_spec.md"),
      read("workers/ann/notebook.md"),
    ],
  );
  expect(coordinator.slice(0, 3).map((one) => one.result)).toEqual(["the soul", "remembered", "alpha"]);
  expect(coordinator[3]!.result).toContain("second");
  expect(coordinator[4]!.result.split("\n")).toContain("published/n1-first/a.md  5 bytes");
  expect(coordinator[5]!.result).toMatch(/published\/n1-first\/d\/b\.md {2}4 bytes/);
  expect(coordinator[6]!.result).toContain("you hold no node, so there is no _spec.md");
  expect(coordinator[7]!.outcome).toBe("error");
});

test("nothing but scratch is written, by whatever name; ./ before a name makes it one of scratch", async () => {
  const views = [
    "_plan.md",
    "documents/a.md",
    "published/n1-first/a.md",
    "_spec.md",
    "workers/bea/notebook.md",
    "nodes/n2-second/scratch/x",
    "_output.md",
  ];
  const { bea, coordinator, world } = await team(
    [
      ...views.map((path) => write(path, "changed")),
      write("./_plan.md", "my own"),
      read("./_plan.md"),
      read("_plan.md"),
      list(),
    ],
    ["SOUL.md", "MEMORY.md", "memory/x.md", "nodes/n1-first/scratch/a.md"].map((path) => write(path, "changed")),
  );
  for (const { outcome, result } of [...bea.slice(0, views.length), ...coordinator]) {
    expect(outcome).toBe("error");
    expect(result).toContain("cannot be written");
  }
  expect(bea[0]!.result).toBe(
    "_plan.md cannot be written: write_plan changes it. ./_plan.md would be a file in your scratch.",
  );
  expect(bea.slice(views.length + 1, views.length + 2)[0]!.result).toBe("my own");
  expect(bea[views.length + 2]!.result).toContain("the plan");
  expect(bea[views.length + 3]!.result).toMatch(/^\.\/_plan\.md {2}6 bytes\ndraft\.md/);
  const changed = world.sim.disk.paths().filter((path) => String(world.sim.disk.peek(path)) === "changed");
  expect(changed).toEqual([]);
});

test("a ref is read by its name: one file, or a node whose files are named", async () => {
  const { bea } = await team([
    ref("one"),
    ref("all"),
    ref("all", "d/b.md"),
    ref("all", "../x"),
    ref("no"),
    ref("one", "x"),
    ref("constructor"),
  ]);
  expect(bea[0]).toMatchObject({ outcome: "ok", result: "alpha" });
  expect(bea[1]!.result).toBe("all is published/n1-first: two files\nFiles (choose one with path): a.md, d/b.md");
  expect(bea[2]!.result).toBe("beta");
  expect(bea[3]!.result).toContain("leaves its folder by ..");
  expect(bea[4]!.result).toBe('n2-second has no ref "no"; it has one, all');
  expect(bea[5]!.outcome).toBe("error");
  expect(bea[6]!.result).toBe('n2-second has no ref "constructor"; it has one, all');
  const { results: alone } = await told([ref("one")]);
  expect(alone[0]!.result).toContain("you hold no node and so have no refs");
});

test("a worker without a node has a scratch of its own, which is neither the coordinator's nor another worker's", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "spawn_worker", input: { name: "Bob" } },
            write("mine.md", "x"),
          ],
        },
      ],
      ann: [{ calls: [write("a.md", "x"), read("mine.md"), list(), read("a.md"), search("x"), read("_spec.md")] }],
      bob: [{ calls: [list(), read("a.md"), read("workers/ann/scratch/a.md")] }],
    },
  });
  await world.begin();
  await world.create();
  await world.send("a1", { type: "message.post", to: "ann", text: "write!" });
  await world.pass(hour);
  await world.send("a1", { type: "message.post", to: "bob", text: "look!" });
  await world.pass(hour);
  const told = (who: string) =>
    results(world.asked.find((one) => one.participant === who && one.turns === 2)!).map(({ result }) => result);
  const [, other, listing, own, match, spec] = told("ann");
  expect(other).toBe('there is no file "mine.md"; your scratch has a.md');
  expect(listing).toContain("a.md  1 bytes");
  expect([own, match]).toEqual(["x", "a.md:1: x"]);
  expect(spec).toContain("you hold no node");
  const [empty, missing, forbidden] = told("bob");
  expect(empty).toContain("Your scratch is empty.");
  expect(missing).toBe('there is no file "a.md"; your scratch is empty or does not exist');
  expect(forbidden).toContain("belongs to another worker");
  expect(world.sim.disk.paths()).toContain(`${run}/workers/ann/scratch/a.md`);
  expect(world.sim.disk.paths()).not.toContain(`${run}/scratch/a.md`);
});
