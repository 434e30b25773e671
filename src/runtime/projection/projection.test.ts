import { expect, test } from "vitest";
import { type Play, use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";

const hour = 3_600_000;
const root = "/home/agents/a1";
const run = `${root}/runs/r1`;
const status = `${run}/nodes/n1-first/_status.md`;

const team: Play = {
  coordinator: [
    {
      calls: [
        { tool: "write_plan", input: { content: "First this, then that." } },
        { tool: "spawn_worker", input: { name: "Ann" } },
        { tool: "create_work_node", input: { task: "do the first", name: "first" } },
        { tool: "create_work_node", input: { task: "do the second", name: "second", refs: { it: "n1-first/a.md" } } },
        { tool: "send_message", input: { to: "human", content: "We have begun." } },
        { tool: "wait_for_nodes" },
      ],
    },
  ],
  ann: [
    { seconds: 10, ...use("ask_human", { question: "which?" }) },
    { seconds: 10, ...use("write_file", { path: "a.md", content: "A" }) },
    { seconds: 10, ...use("publish", { summary: "I made a." }) },
    { seconds: 10_000 },
  ],
};

async function working(options: Parameters<typeof start>[0] = {}) {
  const world = start({ play: team, ...options });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  const text = (path: string): string | null => {
    const found = world.sim.disk.peek(path);
    return found && String(found);
  };
  const list = (folder: string): string[] =>
    world.sim.disk.paths().flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));
  const projections = () => [
    status,
    `${run}/nodes/n1-first/_refs.json`,
    `${run}/nodes/n2-second/_status.md`,
    `${run}/nodes/n2-second/_refs.json`,
    `${run}/workers/ann/history.json`,
    `${run}/_plan.md`,
    `${root}/triggers.json`,
    ...list(`${run}/_messages`).map((name) => `${run}/_messages/${name}`),
  ];
  return { ...world, text, list, projections };
}

test("the plan, the board, the messages and the triggers can be read as files", async () => {
  const world = await working();
  await world.send("a1", {
    type: "trigger.create",
    schedule: { type: "delayed", delay_seconds: 86_400 },
    action: { type: "wake_agent", text: "good morning" },
  });
  await world.pass(100);
  expect(world.text(`${run}/_plan.md`)).toMatch(/^First this, then that\.\n/);
  expect(world.text(status)).toMatch(/^# first\n\nStatus: running\nWorker: ann\n/);
  expect(world.text(`${run}/nodes/n2-second/_status.md`)).toMatch(/^# second\n\nStatus: pending\n/);
  expect(JSON.parse(world.text(`${run}/nodes/n2-second/_refs.json`)!)).toMatchObject({
    refs: { it: "n1-first/a.md" },
    depends_on: ["n1-first"],
  });
  const [message] = world.list(`${run}/_messages`);
  expect(message).toMatch(/^\d{8}-m1\.md$/);
  expect(world.text(`${run}/_messages/${message}`)).toMatch(
    /^From: coordinator\nTo: human\nAt: 2026-.*\n\nWe have begun\.\n/,
  );
  expect(JSON.parse(world.text(`${root}/triggers.json`)!)).toMatchObject({
    triggers: [{ id: "t1", status: "active", next_at: expect.stringMatching(/^2026-01-02/) }],
  });
  expect(JSON.parse(world.text(`${run}/workers/ann/history.json`)!)).toMatchObject({ worker: "Ann", nodes: [] });
  expect(world.notices).toEqual([]);
});

test("a node's status file follows the node through its life", async () => {
  const world = await working();
  expect(world.text(status)).toContain("Status: running");
  await world.pass(10_000);
  expect(world.text(status)).toContain("Status: waiting");
  await world.send("a1", { type: "question.answer", answer: "this" }, { actor: "human" });
  await world.pass(1_000);
  expect(world.state().nodes.get("n1-first")?.status).toBe("running");
  expect(world.text(status)).toContain("Status: running");
  await world.pass(30_000);
  expect(world.text(status)).toMatch(/Status: completed\nEvidence: claimed\nWorker: ann\n\nI made a\./);
  expect(JSON.parse(world.text(`${run}/workers/ann/history.json`)!)).toMatchObject({
    nodes: [{ node: "n1-first", task: "do the first", summary: "I made a." }],
  });
  await world.send("a1", { type: "node.cancel", node: "n2-second", reason: "enough" }, { actor: "human" });
  await world.pass(1_000);
  expect(world.text(`${run}/nodes/n2-second/_status.md`)).toMatch(/Status: cancelled\nWorker: ann\n\nenough/);
});

test("projections that were deleted are made again when the agent is opened", async () => {
  const world = await working();
  await world.pass(60_000);
  const before = world.projections().map((path) => [path, world.text(path)]);
  expect(before.length).toBeGreaterThan(7);
  for (const [, text] of before) expect(text).not.toBeNull();
  for (const path of world.projections()) world.sim.disk.edit(path, null);
  await world.restart();
  await world.pass(1_000);
  expect(before.map(([path]) => [path, world.text(path!)])).toEqual(before);
  expect(world.notices).toEqual([]);
});

test("a message file is made again although another file lies in its folder", async () => {
  const world = await working();
  const [first] = world.list(`${run}/_messages`);
  world.sim.disk.edit(`${run}/_messages/${first}`, null);
  world.sim.disk.edit(`${run}/_messages/notes.txt`, "mine");
  await world.restart();
  await world.pass(1_000);
  expect(world.list(`${run}/_messages`)).toEqual([first, "notes.txt"]);
});

test("a projection that was edited by hand is kept aside, and the human is told", async () => {
  const world = await working();
  await world.pass(60_000);
  for (const path of [status, `${run}/_plan.md`, `${root}/triggers.json`]) world.sim.disk.edit(path, "my own words");
  await world.restart();
  await world.pass(1_000);
  expect(world.text(status)).toContain("Status: waiting");
  expect(world.text(`${run}/_plan.md`)).toContain("First this");
  const kept = world.sim.disk.paths().filter((path) => path.includes(".edited-"));
  expect(kept.map((path) => world.text(path))).toEqual(["my own words", "my own words", "my own words"]);
  expect(world.notices.map((problem) => [problem.code, problem.message]).sort()).toEqual(
    kept.map((path) => {
      const short = path.slice(root.length + 1);
      const message = `${short.replace(/\.edited-.*/, "")} is written by Agiraph and was edited by hand; your version is kept as ${short}`;
      return ["conflict", message];
    }),
  );
});

test("a projection whose last words were changed counts as edited, too", async () => {
  const world = await working();
  const text = world.text(status)!;
  world.sim.disk.edit(status, text.replace("running", "completed"));
  world.sim.disk.edit(
    `${run}/nodes/n1-first/_refs.json`,
    world.text(`${run}/nodes/n1-first/_refs.json`)!.replace("[]", '["n9"]'),
  );
  await world.restart();
  await world.pass(1_000);
  expect(world.text(status)).toBe(text);
  expect(world.notices).toHaveLength(2);
});

test("an edit during work is kept aside as soon as the file is written again", async () => {
  const world = await working();
  world.sim.disk.edit(status, "my own words");
  await world.pass(10_000);
  expect(world.text(status)).toContain("Status: waiting");
  expect(world.notices).toHaveLength(1);
});

test("a folder that was deleted during work is made again", async () => {
  const world = await working();
  await world.settled(world.files().remove(`${run}/_messages`));
  await world.send("a1", { type: "message.post", text: "hello" });
  await world.pass(1_000);
  expect(world.list(`${run}/_messages`)).toEqual([expect.stringMatching(/-m2\.md$/)]);
  expect(world.notices).toEqual([]);
});

test("a projection that cannot be written is reported and stops nobody", async () => {
  const world = await working({
    files: (files) => ({
      ...files,
      async write(path, content, options) {
        if (path === status) throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
        await files.write(path, content, options);
      },
    }),
  });
  expect(world.notices.length).toBeGreaterThan(0);
  for (const problem of world.notices)
    expect(problem.message).toContain("_status.md could not be written: Error: EACCES");
  await world.pass(10_000);
  expect(world.state().nodes.get("n1-first")?.status).toBe("waiting");
});

test("the messages of a second run lie in its own folder, and the first keeps its own", async () => {
  const hi = { calls: [{ tool: "send_message", input: { to: "human", content: "hi" } }] };
  const world = await working({ play: { coordinator: [hi, use("finish", { summary: "done" })] } });
  await world.pass(hour);
  await world.send("a1", { type: "run.start", goal: "again" });
  await world.pass(hour);
  await world.restart("kill");
  await world.pass(1_000);
  expect(world.list(`${root}/runs/r1/_messages`)).toEqual([expect.stringMatching(/-m1\.md$/)]);
  expect(world.list(`${root}/runs/r2/_messages`)).toEqual([expect.stringMatching(/-m2\.md$/)]);
});

const lines = (text: string | null) =>
  (text ?? "")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const growing = [
  `${root}/conversation.jsonl`,
  `${run}/workers/coordinator/conversation.jsonl`,
  `${run}/workers/ann/conversation.jsonl`,
  `${run}/nodes/n1-first/log.jsonl`,
];

test("the thread with the human, each conversation and what happened to a node can be read as files", async () => {
  const world = await working();
  await world.pass(20_000);
  await world.send("a1", { type: "question.answer", answer: "this" }, { actor: "human" });
  await world.pass(60_000);
  const [thread, coordinator, ann, node] = growing.map((path) => lines(world.text(path)));
  expect(thread!.map(({ from, text }) => [from, text])).toEqual([
    ["human", "test the runtime"],
    ["coordinator", "We have begun."],
    ["ann", "which?"],
    ["human", "this"],
  ]);
  expect(coordinator!.slice(0, 3)).toMatchObject([
    { role: "inbox", from: "human", kind: "message", text: "test the runtime" },
    { role: "assistant", turn: "coordinator.1", calls: expect.any(Array) },
    { role: "tool", tool: "write_plan", outcome: "ok" },
  ]);
  expect(ann!.map(({ role, kind, tool }) => kind ?? tool ?? role)).toEqual([
    "assigned",
    "assistant",
    "ask_human",
    "answer",
    "assistant",
    "write_file",
    "assistant",
    "publish",
    "assigned",
  ]);
  expect(node!.map(({ type }) => type)).toEqual(
    expect.arrayContaining(["node.created", "tool.ended", "node.completed"]),
  );
  expect(node!.map(({ seq }) => seq)).toEqual(node!.map(({ seq }) => seq).sort((a, b) => Number(a) - Number(b)));
});

test("what grows line by line is whole after a crash at any time, and made again when it was deleted", async () => {
  const play = { ...team, ann: team.ann!.slice(1) };
  for (const ms of [50, 400, 800, 10_200, 20_300]) {
    const world = await working({ play });
    await world.pass(ms);
    await world.restart("kill");
    await world.pass(60_000);
    const now = growing.map((path) => world.text(path));
    for (const text of now) {
      const seqs = lines(text).map(({ seq }) => seq);
      expect(seqs.length).toBeGreaterThan(1);
      expect(new Set(seqs).size, `killed after ${ms}`).toBe(seqs.length);
    }
    for (const path of growing) world.sim.disk.edit(path, null);
    await world.restart("kill");
    await world.pass(1_000);
    for (const [at, path] of growing.entries())
      expect(world.text(path)?.startsWith(now[at]!), `${path}, killed after ${ms}`).toBe(true);
  }
});

test("a line that a crash tore is made good", async () => {
  const world = await working();
  await world.pass(20_000);
  const [path] = growing;
  const before = world.text(path!)!;
  world.sim.disk.edit(path!, before.slice(0, -7));
  await world.restart("kill");
  await world.pass(1_000);
  expect(world.text(path!)).toBe(before);
});

test("a resource can be read as a file with its title", async () => {
  const keep = use("resource_create", { title: "What they said", content: "word for word" });
  const world = await working({ play: { coordinator: [keep] } });
  const [name] = world.list(`${run}/resources`);
  expect(name).toMatch(/^what-they-said-[0-9a-f]{8}\.txt$/);
  expect(world.text(`${run}/resources/${name}`)).toBe("word for word");
  world.sim.disk.edit(`${run}/resources/${name}`, null);
  await world.restart();
  await world.pass(1_000);
  expect(world.text(`${run}/resources/${name}`)).toBe("word for word");
});

/* What may become of a file that grows while nobody looks, and what is then there. */
const spoiled: [string, (text: string) => string | null][] = [
  ["emptied", () => ""],
  ["cut in the middle of its last line", (text) => text.slice(0, -20)],
  ["ended with a line that is no JSON", (text) => `${text}{"seq": \n`],
  ["ended with a line without a seq", (text) => `${text}{"text":"x"}\n`],
  ["cut back to its first line", (text) => text.slice(0, text.indexOf("\n") + 1)],
  ["deleted", () => null],
];

test.each(spoiled)("a thread that was %s is as it was after the next opening, and goes on", async (_what, spoil) => {
  const world = await working();
  const [path] = growing as [string];
  for (const text of ["short", "x".repeat(6_000), "last"]) await world.send("a1", { type: "message.post", text });
  await world.pass(20_000);
  const before = world.text(path)!;
  expect(lines(before).length).toBeGreaterThan(4);
  world.sim.disk.edit(path, spoil(before));
  await world.restart("kill");
  await world.pass(1_000);
  expect(world.text(path)).toBe(before);
  await world.send("a1", { type: "message.post", text: "y".repeat(40_000) });
  await world.pass(1_000);
  const after = world.text(path)!;
  expect(after.startsWith(before)).toBe(true);
  expect(lines(after)).toHaveLength(lines(before).length + 1);
  await world.restart("kill");
  await world.pass(1_000);
  expect(world.text(path)).toBe(after);
});

test("a folder in the place of a thread is no thread, and disturbs nobody", async () => {
  const world = await working();
  const [path] = growing as [string];
  world.sim.disk.edit(path, null);
  world.sim.disk.edit(`${path}/x`, "x");
  await world.restart("kill");
  await world.pass(1_000);
  await world.send("a1", { type: "message.post", text: "still there?" });
  expect(world.state().channel.at(-1)?.text).toBe("still there?");
});

test("drafts that a killed process left are swept when the agent is opened again; what participants have is theirs", async () => {
  const world = await working();
  const drafts = [
    `${root}/.triggers.json.12-abc.1.tmp`,
    `${run}/_messages/.00000012-m1.md.12-abc.2.tmp`,
    `${run}/nodes/n1-first/._status.md.12.3.tmp`,
    `${run}/workers/ann/.history.json.12-abc.4.tmp`,
  ];
  const theirs = `${run}/nodes/n1-first/scratch/.a.md.12-abc.5.tmp`;
  for (const path of [...drafts, theirs]) world.sim.disk.edit(path, "half");
  await world.pass(1_000);
  await world.restart("kill");
  await world.pass(1_000);
  expect([...drafts, theirs].map((path) => world.sim.disk.peek(path) !== null)).toEqual([
    ...drafts.map(() => false),
    true,
  ]);
});
