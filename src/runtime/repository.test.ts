/** Agents that work on a real git repository, through the real runtime: from two writers to a merge that the user asked for. */
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mergedThrough } from "../core/file/unmerged.ts";
import { defaultLimits } from "../core/limits.ts";
import type { State } from "../core/state.ts";
import { createEmbedded } from "../engine/embedded.ts";
import { machine } from "../lib/machine/index.ts";
import type { World } from "../lib/world.ts";
import { createFilesStore } from "../store/file-store.ts";
import { tools } from "../tool/index.ts";
import { createRepositoryFolder, emptyRoom, git, photograph, writeFiles } from "../workspace/workspaces.test-help.ts";
import { type Asked, createModel, type Play, results, use } from "./model.test-help.ts";
import { createRuntime, type NewAgent, type Runtime } from "./runtime.ts";

const agent = "a1";

async function place(kind: "repository" | "folder" = "repository") {
  const room = await emptyRoom();
  const folder = join(room, "user");
  await (kind === "repository" ? createRepositoryFolder(folder) : writeFiles(folder));
  return { room, folder, home: join(room, "home"), before: await photograph(folder) };
}

interface Lived {
  runtime: Runtime;
  asked: Asked[];
  notices: string[];
  state(): State;
  until(what: (state: State) => boolean): Promise<void>;
}

async function live(home: string, play: Play, given: Partial<World> = {}): Promise<Lived> {
  const world: World = { ...machine, ...given };
  const asked: Asked[] = [];
  const notices: string[] = [];
  const runtime = createRuntime({
    home,
    world,
    store: createFilesStore({ home, files: world.files }),
    engine: createEmbedded({ clock: world.clock }),
    limits: defaultLimits,
    tools,
    backend: () => createModel(play, asked, world.clock),
    snapshotEvery: 1_000,
    notice: (_agent, { message }) => notices.push(message),
  });
  await runtime.start();
  onTestFinished(() => runtime.stop());
  const state = () => runtime.opened(agent)!.live.state();
  return { runtime, asked, notices, state, until };

  async function until(what: (state: State) => boolean): Promise<void> {
    for await (const _ of runtime.follow(agent, 0, AbortSignal.timeout(60_000))) if (what(state())) return;
  }
}

const create = (runtime: Runtime, folder: string, given: Partial<NewAgent> = {}) =>
  runtime.create({ goal: "change it", name: agent, model: "scripted/test", folder, ...given });
const isDone = ({ run }: State) => run?.status === "completed";

const node = (worker: string, task = "change", more: object = {}) => ({
  tool: "create_work_node",
  input: { task, name: worker, worker, ...more },
});
const spawn = (name: string) => ({ tool: "spawn_worker", input: { name } });
const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const publish = { tool: "publish", input: { summary: "done" } };

/** Two writers change the same line; the second is resolved by a third node. */
const conflict: Play = {
  coordinator: [
    { calls: [spawn("Ann"), spawn("Bob"), node("Ann"), node("Bob"), { tool: "wait_for_nodes" }] },
    {
      calls: [
        { tool: "merge", input: { node: "n1" } },
        { tool: "merge", input: { node: "n2" } },
      ],
    },
    { calls: [{ tool: "wait_for_nodes", input: { node_ids: ["n3"] } }] },
    use("merge", { node: "n3", message: "Both greetings" }),
    use("finish", { summary: "merged" }),
  ],
  ann: [
    { calls: [write("b/c.txt", "ann\n"), write("ann.txt", "1\n"), publish] },
    { calls: [write("b/c.txt", "both\n"), publish] },
  ],
  bob: [
    { calls: [write("b/c.txt", "bob\n"), write("bob.txt", "2\n"), publish] },
    { calls: [write("b/c.txt", "both\n"), publish] },
  ],
};

test("two writers, a conflict that becomes a node, a merge: the user's repository changes only when the user says so", async () => {
  const { folder, home, before } = await place();
  const { runtime, state, until, asked, notices } = await live(home, conflict);
  await create(runtime, folder);
  await until(isDone);
  const told = results(asked.filter(({ participant }) => participant === "coordinator").at(-1)!).map(
    ({ result }) => result,
  );
  expect(told.join("\n")).toContain(
    "Not merged: it conflicts with what was merged before, in b/c.txt. n3-merge-n2-bob was created",
  );
  expect(notices).toEqual([]);
  expect(await photograph(folder)).toEqual(before);
  const { nodes, workspace } = state();
  expect([...nodes.values()].map((one) => one.status)).toEqual(["completed", "completed", "completed"]);
  const n1 = nodes.get("n1-ann");
  expect(n1).toMatchObject({
    change: { branch: "agiraph/a1/n1-ann", added: 2, removed: 1, files: [{ path: "ann.txt" }, { path: "b/c.txt" }] },
  });
  const published = join(home, "agents/a1/runs/r1/nodes/n1-ann/published");
  expect(Object.keys(await photograph(published)).sort()).toEqual([
    "ann.txt",
    "b/c.txt",
    "changes.patch",
    "manifest.json",
  ]);
  expect(JSON.parse(await readFile(join(published, "manifest.json"), "utf8"))).toMatchObject({
    change: { branch: "agiraph/a1/n1-ann" },
  });

  const { checkouts } = await runtime.reading(agent);
  const { into, commit } = await checkouts.handOver({ as: "branch", name: "work" });
  expect([into, commit]).toEqual(["work", workspace!.integration]);
  const log = await git(folder, "log", "--format=%s %an", "--first-parent", "work");
  expect(log.split("\n")).toEqual(["done", "done", "first"].map((said) => expect.stringContaining(said)).concat(""));
  await checkouts.handOver({ as: "merge" });
  expect(await readFile(join(folder, "b/c.txt"), "utf8")).toBe("both\n");
  expect(await git(folder, "status", "--porcelain")).toBe("");
  const patch = await checkouts.handOver({ as: "patch", name: "all.patch" });
  expect(await readFile(patch.into, "utf8")).toContain("+both");
  expect(state().workspace!.handovers.map(({ as }) => as)).toEqual(["branch", "merge", "patch"]);
});

const isNotPart = "What was published there is not part of the result.";

test("what was published and not merged is named in the answer, to the coordinator and in the log, also with --merge auto", async () => {
  const { folder, home } = await place();
  const { runtime, state, until, asked } = await live(home, {
    coordinator: [
      { calls: [spawn("Ann"), spawn("Bob"), node("Ann"), node("Bob"), { tool: "wait_for_nodes" }] },
      use("merge", { node: "n1" }),
      use("finish", { summary: "All done." }),
      { say: "seen" },
    ],
    ann: [{ calls: [write("ann.txt", "1\n"), publish] }],
    bob: [{ calls: [write("bob.txt", "2\n"), publish] }],
  });
  await create(runtime, folder, { merge: "auto" });
  await until(isDone);
  const answer = `All done.\n\nThe changes were merged into main. Not merged: n2-bob. ${isNotPart}`;
  expect(state().run).toMatchObject({ status: "completed", summary: answer, unmerged: ["n2-bob"] });
  expect(await readFile(join(home, "agents/a1/runs/r1/_output.md"), "utf8")).toContain(answer);
  await expect(stat(join(folder, "bob.txt"))).rejects.toThrow("ENOENT");
  await runtime.send(agent, { type: "message.post", text: "and?" }, { actor: "human" });
  await until(() => asked.filter(({ participant }) => participant === "coordinator").length === 4);
  const told = results(asked.filter(({ participant }) => participant === "coordinator").at(-1)!);
  expect(told.at(-1)?.result).toContain(`Not merged: n2-bob. ${isNotPart}`);
});

test.each(["repository", "folder"] as const)(
  "in a %s, a node that was resolved through another is merged through it",
  async (kind) => {
    const { folder, home } = await place(kind);
    const { runtime, state, until } = await live(home, conflict);
    await create(runtime, folder);
    await until(isDone);
    expect(state().run).toMatchObject({ summary: "merged" });
    expect(state().run).not.toHaveProperty("unmerged");
    expect([...mergedThrough(state())].sort()).toEqual([
      ["n1-ann", "n1-ann"],
      ["n2-bob", "n3-merge-n2-bob"],
      ["n3-merge-n2-bob", "n3-merge-n2-bob"],
    ]);
  },
);

test.each([
  ["repository", undefined],
  ["folder", ["n1-ann"]],
] as const)("in a %s, what a merged node continued is named unless the result has it: %s", async (kind, unmerged) => {
  const { folder, home } = await place(kind);
  const { runtime, state, until } = await live(home, {
    coordinator: [
      { calls: [spawn("Ann"), spawn("Bob"), spawn("Cid"), node("Ann"), node("Cid"), { tool: "wait_for_nodes" }] },
      { calls: [node("Bob", "go on", { base: "n1" }), { tool: "wait_for_nodes" }] },
      use("merge", { node: "n2" }),
      use("merge", { node: "n3" }),
      use("finish", { summary: "done" }),
    ],
    ann: [{ calls: [write("ann.txt", "1\n"), publish] }],
    bob: [{ calls: [write("bob.txt", "2\n"), publish] }],
    cid: [{ calls: [write("cid.txt", "3\n"), publish] }],
  });
  await create(runtime, folder);
  await until(isDone);
  expect(state().run).toHaveProperty("status", "completed");
  expect((state().run as { unmerged?: string[] }).unmerged).toEqual(unmerged);
  const { checkouts } = await runtime.reading(agent);
  await checkouts.handOver({ as: "merge" });
  const isThere = (await readdir(folder)).includes("ann.txt");
  expect(isThere).toBe(unmerged === undefined);
});

test("a coordinator that never looked at the files finishes without a checkout of its own, and its answer has all that was merged", async () => {
  const { folder, home } = await place();
  const { runtime, state, until } = await live(home, conflict);
  await create(runtime, folder);
  await until(isDone);
  expect([...state().workspaces.keys()].sort()).toEqual(["n1-ann", "n2-bob", "n3-merge-n2-bob"]);
  const published = await photograph(join(home, "agents/a1/runs/r1/published"));
  expect(Object.keys(published)).toEqual(expect.arrayContaining(["ann.txt", "b/c.txt", "changes.patch"]));
  const manifest = JSON.parse(await readFile(join(home, "agents/a1/runs/r1/published/manifest.json"), "utf8"));
  const { base, integration } = state().workspace!;
  expect(manifest.change).toMatchObject({ base, commit: integration });
});

test("a folder without git is worked on in the same way", async () => {
  const { folder, home, before } = await place("folder");
  const { runtime, until } = await live(home, conflict);
  await create(runtime, folder);
  await until(isDone);
  expect(await photograph(folder)).toEqual(before);
  const { checkouts } = await runtime.reading(agent);
  await checkouts.handOver({ as: "merge" });
  expect(await readFile(join(folder, "b/c.txt"), "utf8")).toBe("both\n");
  expect(await readFile(join(folder, "bob.txt"), "utf8")).toBe("2\n");
});

test("a coordinator that works alone changes a checkout too, and finishing merges it", async () => {
  const { folder, home, before } = await place();
  const play = {
    coordinator: [
      {
        calls: [
          { tool: "edit_file", input: { path: "a.txt", old: "5\n", new: "five\n" } },
          { tool: "finish", input: { summary: "done" } },
        ],
      },
    ],
  };
  const { runtime, until, state } = await live(home, play);
  await create(runtime, folder);
  await until(isDone);
  expect(await photograph(folder)).toEqual(before);
  const { base, integration } = state().workspace!;
  const { checkouts } = await runtime.reading(agent);
  expect(await checkouts.diff(base, integration!)).toMatchObject({ files: [{ path: "a.txt", added: 1, removed: 1 }] });
});

test("a worker merges what it gave to others, and nobody else's; a conflict goes to its author with its checks, or to whom it names", async () => {
  const { folder, home } = await place();
  const merge = (node: string, more: object = {}) => ({ tool: "merge", input: { node, ...more } });
  const checks = [{ file: "b/c.txt", matches: "^(walt|ann|bob|both)" }];
  const { runtime, state, until, asked } = await live(home, {
    coordinator: [
      { calls: [...["Walt", "Ann", "Bob", "Zed"].map(spawn), node("Walt"), { tool: "wait_for_nodes" }] },
      { calls: [node("Zed"), { tool: "wait_for_nodes", input: { node_ids: ["n6", "n7"] } }] },
      use("finish", { summary: "done" }),
    ],
    walt: [
      {
        calls: [
          node("Ann", "a", { checks }),
          node("Bob", "b", { checks }),
          node("Ann", "c", { checks }),
          { tool: "wait_for_nodes" },
        ],
      },
      { calls: [merge("n2"), merge("n3"), merge("n4", { worker: "Walt" })] },
      { calls: [{ tool: "wait_for_nodes", input: { node_ids: ["n5"] } }] },
      { calls: [merge("n5"), publish] },
      { calls: [write("b/c.txt", "both, and c\n"), publish] },
    ],
    ann: [{ calls: [write("b/c.txt", "ann\n"), publish] }, { calls: [write("b/c.txt", "bob's c\n"), publish] }],
    bob: [{ calls: [write("b/c.txt", "bob\n"), publish] }, { calls: [write("b/c.txt", "both\n"), publish] }],
    zed: [{ calls: [merge("n2"), merge("n5")] }, { calls: [publish] }],
  });
  await create(runtime, folder);
  await until(isDone);
  const { nodes } = state();
  expect([...nodes.values()].map((one) => [one.id, one.status, "worker" in one && one.worker, one.checks])).toEqual([
    ["n1-walt", "completed", "walt", undefined],
    ["n2-ann", "completed", "ann", checks],
    ["n3-bob", "completed", "bob", checks],
    ["n4-ann", "completed", "ann", checks],
    ["n5-merge-n3-bob", "completed", "bob", checks],
    ["n6-merge-n4-ann", "completed", "walt", checks],
    ["n7-zed", "completed", "zed", undefined],
  ]);
  const told = results(asked.filter(({ participant }) => participant === "zed").at(-1)!).map(({ result }) => result);
  expect(told.slice(0, 2)).toEqual([
    expect.stringContaining("n2-ann is not yours"),
    expect.stringContaining("n5-merge-n3-bob is not yours"),
  ]);
});

test("what a cancelled worker had is saved and can be looked at", async () => {
  const { folder, home } = await place();
  const { runtime, until, state } = await live(home, {
    coordinator: [
      { calls: [spawn("Ann"), node("Ann"), { tool: "check_messages", input: { wait: true } }] },
      use("cancel_node", { node_id: "n1", reason: "no more" }),
      use("finish", { summary: "over" }),
    ],
    ann: [
      {
        calls: [
          write("half.txt", "half\n"),
          { tool: "send_message", input: { to: "coordinator", content: "half" } },
          { tool: "ask_human", input: { question: "?" } },
        ],
      },
    ],
  });
  await create(runtime, folder);
  await until(isDone);
  await runtime.opened(agent)!.settled();
  expect(state().nodes.get("n1-ann")).toMatchObject({ status: "cancelled" });
  expect(state().workspaces.get("n1-ann")?.kept).toMatchObject({ files: 1, added: 1 });
});

test("what the user has not committed, and what others do meanwhile, is not seen; a scratch node has an empty folder", async () => {
  const { folder, home } = await place();
  await writeFile(join(folder, "a.txt"), "not committed\n");
  const { runtime, until, asked, state } = await live(home, {
    coordinator: [
      {
        calls: [
          spawn("Ann"),
          node("Ann", "report", { workspace: "scratch" }),
          { tool: "read_file", input: { path: "a.txt" } },
          { tool: "wait_for_nodes" },
        ],
      },
      use("finish", { summary: "over" }),
    ],
    ann: [{ calls: [{ tool: "list_files" }, write("report.md", "r\n"), publish] }],
  });
  await create(runtime, folder);
  await until(isDone);
  const [read] = results(asked.filter(({ participant }) => participant === "coordinator")[1]!).filter(
    ({ call }) => call === "c3",
  );
  expect(read?.result).toContain("1\n2\n3");
  expect(state().nodes.get("n1-ann")).toMatchObject({ status: "completed", files: [{ path: "report.md" }] });
  await until(({ scratches }) => scratches.has("n1-ann"));
  expect([...state().workspaces.keys()]).toEqual(["r1"]);
});

test.each(["repository", "folder"] as const)(
  "a checkout of a %s that was lost or damaged while nobody looked comes back as it was saved, and its worker is told",
  async (kind) => {
    const { folder, home } = await place(kind);
    const scratch = join(home, "agents/a1/runs/r1/scratch");
    const ask = (question: string) => use("ask_human", { question });
    const play: Play = {
      coordinator: [
        { calls: [write("a.txt", "one\n"), write("b/new.txt", "two\n")] },
        ask("Damage it"),
        ask("Delete it"),
        use("finish", { summary: "over" }),
      ],
    };
    const answer = async (lived: Lived, question: string) => {
      await lived.runtime.send(agent, { type: "question.answer", question, answer: "done" }, { actor: "human" });
    };
    const first = await live(home, play);
    await create(first.runtime, folder);
    await first.until(({ questions, workspaces }) => questions.has("q1") && workspaces.get("r1")?.kept?.files === 2);
    await (await first.runtime.reading(agent)).checkouts.idle();
    await first.runtime.stop();
    await rm(join(scratch, "b/new.txt"));
    await rm(join(scratch, "run.sh"));

    const second = await live(home, play);
    await answer(second, "q1");
    await second.until(({ questions }) => questions.has("q2"));
    expect(await readFile(join(scratch, "b/new.txt"), "utf8")).toBe("two\n");
    await second.runtime.stop();
    await rm(scratch, { recursive: true });

    const third = await live(home, play);
    await answer(third, "q2");
    await third.until(isDone);
    expect(await photograph(scratch)).toMatchObject(await photograph(join(home, "agents/a1/runs/r1/published"), "b"));
    expect((await stat(join(scratch, "run.sh"))).mode & 0o100).toBe(0o100);
    expect(await readFile(join(scratch, "a.txt"), "utf8")).toBe("one\n");
    const told = third.asked.at(-1)!.lines.flatMap((line) => (line.role === "inbox" ? line.entries : []));
    expect(told.map(({ text }) => text).join("\n")).toMatch(
      /Some of your files were missing or broken\. .*b\/new\.txt, run\.sh\.[\s\S]*Your files were gone\./,
    );
  },
);

test("with merge: auto the user's branch has the result when the run is finished; what is in the way is told with the answer", async () => {
  const edit = { tool: "edit_file", input: { path: "a.txt", old: "5\n", new: "five\n" } };
  const play = { coordinator: [{ calls: [edit, { tool: "finish", input: { summary: "done" } }] }] };
  for (const local of [false, true]) {
    const { folder, home } = await place();
    if (local) await writeFile(join(folder, "a.txt"), "mine\n");
    const { runtime, until, state } = await live(home, play);
    await create(runtime, folder, { merge: "auto" });
    await until(isDone);
    const { run, workspace } = state();
    const summary = run?.status === "completed" ? run.summary : "";
    expect(summary).toMatch(
      local
        ? /^done\n\nThe changes were not merged .*local changes .*a\.txt/
        : /^done\n\nThe changes were merged into main\.$/,
    );
    expect(workspace!.handovers).toHaveLength(local ? 0 : 1);
    expect(await readFile(join(folder, "a.txt"), "utf8")).toContain(local ? "mine" : "five");
  }
});

test("work of a run that is over, still under way when the next begins, reaches neither its folders nor its log", async () => {
  const { folder, home } = await place();
  const team = { calls: [spawn("Ann"), node("Ann"), { tool: "wait_for_nodes" }] };
  const finish = use("finish", { summary: "done" });
  const first = await live(home, {
    coordinator: [team, finish],
    ann: [{ calls: [write("first.txt", "1\n"), { tool: "ask_human", input: { question: "?" } }] }],
  });
  await create(first.runtime, folder);
  await first.until(({ questions }) => questions.has("q1"));
  await first.runtime.send(agent, { type: "node.cancel", node: "n1-ann", reason: "enough" }, { actor: "human" });
  await first.until(isDone);
  await first.runtime.stop();
  // Nobody knows any more that all of it was saved: it is looked at when the agent is opened.
  const notes = join(home, "agents", agent, "repository/notes");
  for (const name of await readdir(notes)) if (name.endsWith(".unchanged.json")) await rm(join(notes, name));

  const looks = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const list: World["files"]["list"] = async (path, most) => {
    const found = await machine.files.list(path, most);
    if (path.endsWith("runs/r1/nodes/n1-ann/scratch")) {
      looks.resolve();
      await begun.promise;
    }
    return found;
  };
  const second = await live(
    home,
    {
      coordinator: [team, finish],
      ann: [use("ask_human", { question: "?" }), { calls: [write("second.txt", "2\n"), publish] }],
    },
    { files: { ...machine.files, list } },
  );
  const started = second.runtime.send(agent, { type: "run.start", goal: "again" }, { actor: "human" });
  await looks.promise;
  await started;
  await second.until(({ questions }) => questions.has("q1"));
  begun.resolve();
  await (await second.runtime.reading(agent)).checkouts.idle();
  await second.runtime.send(agent, { type: "question.answer", answer: "yes" }, { actor: "human" });
  await second.until(({ run }) => run?.id === "r2" && run.status === "completed");
  const n1 = second.state().nodes.get("n1-ann");
  expect(n1).toMatchObject({ change: { files: [{ path: "second.txt", status: "added" }] } });
  const restored: string[] = [];
  for await (const events of second.runtime.follow(agent, 0, AbortSignal.timeout(60_000))) {
    for (const event of events) if (event.type === "workspace.restored") restored.push(event.data.workspace);
    if (events.at(-1)?.seq === second.state().seq) break;
  }
  expect(restored).toEqual([]);
});

/** One run has published a node; what is then begun for it is held at a point until the next run has published its own node of the same id. */
async function overtaken(point: string, begin: (runtime: Runtime) => Promise<unknown>) {
  const { folder, home, room } = await place();
  const team = { calls: [spawn("Ann"), node("Ann"), { tool: "wait_for_nodes" }] };
  const reached = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const play: Play = {
    coordinator: [
      team,
      (_, run) => (run === 1 ? use("finish", { summary: "done" }) : use("ask_human", { question: "?" })),
    ],
    ann: [(_, run) => ({ calls: [write(run === 1 ? "first.txt" : "second.txt", "1\n"), publish] })],
  };
  const hold = async (name: string) => {
    if (name !== point) return;
    reached.resolve();
    await begun.promise;
  };
  const lived = await live(home, play, { point: hold });
  const { runtime, until } = lived;
  await create(runtime, folder);
  await until(isDone);
  const job = Promise.allSettled([begin(runtime)]);
  await reached.promise;
  await runtime.send(agent, { type: "run.start", goal: "again" }, { actor: "human" });
  await until(({ questions }) => questions.has("q1"));
  begun.resolve();
  return { ...lived, folder, room, result: (await job)[0]! };
}

test("a handover during which the next run begins is recorded as one of the run whose work it is", async () => {
  const { state, runtime, folder, result } = await overtaken("handed.over", async (runtime) =>
    (await runtime.reading(agent)).checkouts.handOver({ as: "branch", name: "work", node: "n1-ann" }),
  );
  expect(result).toMatchObject({ status: "fulfilled", value: { into: "work" } });
  expect(await git(folder, "show", "work:first.txt")).toBe("1\n");
  expect(state()).toMatchObject({ run: { id: "r2" }, workspace: { handovers: [] } });
  const recorded: unknown[] = [];
  for await (const events of runtime.follow(agent, 0, AbortSignal.timeout(60_000))) {
    for (const event of events) if (event.type === "workspace.handed_over") recorded.push(event.data);
    if (events.at(-1)?.seq === state().seq) break;
  }
  expect(recorded).toMatchObject([{ as: "branch", into: "work", run: "r1" }]);
});

test("a merge during which the next run begins does not reach the integration branch of that run", async () => {
  const { state, result, room } = await overtaken("merge.made", async (runtime) =>
    (await runtime.reading(agent)).checkouts.merge("n1-ann", "coordinator"),
  );
  expect(result).toMatchObject({ status: "rejected", reason: { code: "stale" } });
  expect(state()).toMatchObject({ run: { id: "r2" }, workspace: { integration: null } });
  expect(state().workspaces.get("n1-ann")).not.toHaveProperty("merged");
  const branches = await git(join(room, "home/agents", agent, "repository"), "for-each-ref", "--format=%(refname)");
  expect(branches).not.toContain("integration");
});
