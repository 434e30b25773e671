/** Plain scratches of agents without a folder: saved while they are worked in, and brought back when they were lost. On a simulated disk. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { savedOf } from "../../core/file/workspace.ts";
import { isDraft } from "../../lib/files/draft-name.ts";
import type { Within } from "../../lib/world.ts";
import { defineTool } from "../../toolkit/tool.ts";
import { loadTree } from "../../workspace/folder/tree.ts";
import { type Answer, mail, use } from "../model.test-help.ts";
import { type Options, start } from "../runtime.test-help.ts";

/** A model takes its time; calls that follow at once share a version. */
const write = (path: string, content: string): Answer => ({ ...use("write_file", { path, content }), seconds: 1 });
const scratch = "/home/agents/a1/runs/r1/scratch";

/** As programs write: nothing is synced. */
const lazily = (within: Within): Within => ({
  ...within,
  write: (path, content, options) => within.write(path, content, { ...options, durable: false }),
});

/** The coordinator works alone; `shell` is a command in its scratch. */
async function alone(coordinator: Answer[], more: Partial<Options> = {}) {
  const shell = defineTool({
    name: "shell",
    about: "Runs a command.",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({ path: z.string().optional(), content: z.string().nullable().optional() }),
    async run({ path, content = null }, { run }) {
      if (path) world.sim.disk.put(`${scratch}/${path}`, content);
      await run(["work"]);
      return "done";
    },
  });
  const world = start({ play: { coordinator }, tools: [shell], ...more });
  await world.begin();
  await world.create();
  const kept = async () => (await world.events()).flatMap((event) => (event.type === "workspace.kept" ? [event] : []));
  const restored = async () =>
    (await world.events()).flatMap(({ type, data }) => (type === "workspace.restored" ? [data] : []));
  /** The files of a version, from the blobs alone. */
  async function filesOf(version: string): Promise<Record<string, string>> {
    const get = async (sha256: string) => world.sim.disk.peek(`/home/agents/a1/blobs/${sha256}`);
    const tree = await loadTree({ get, put: () => Promise.reject() }, version);
    const contents = [...tree].map(async ([path, { sha256 }]) => [path, String(await get(sha256))]);
    return Object.fromEntries(await Promise.all(contents));
  }
  function onDisk(): Record<string, string> {
    const isFile = (path: string) => path.startsWith(`${scratch}/`) && !isDraft(path.split("/").at(-1)!);
    const paths = world.sim.disk.paths().filter(isFile);
    return Object.fromEntries(paths.map((path) => [path.slice(scratch.length + 1), String(world.sim.disk.peek(path))]));
  }
  const last = async () => await filesOf(savedOf(world.state(), "r1")!.version);
  /** Until nothing happens any more. */
  const rest = () => world.pass(1_200_000);
  return { ...world, world, kept, restored, filesOf, onDisk, last, rest };
}

describe("a scratch is saved", () => {
  test("after each call that changed it, and the log names each version once its bytes are there", async () => {
    const { kept, filesOf, rest, events } = await alone([
      write("a.md", "one"),
      use("list_files"),
      write("b/c.md", "two"),
      write("a.md", "other"),
    ]);
    await rest();
    const all = await kept();
    expect(await Promise.all(all.map(({ data }) => filesOf(data.version)))).toEqual([
      { "a.md": "one" },
      { "a.md": "one", "b/c.md": "two" },
      { "a.md": "other", "b/c.md": "two" },
    ]);
    expect(all.map(({ data }) => [data.workspace, data.files, data.scratch])).toEqual([
      ["r1", 1, true],
      ["r1", 2, true],
      ["r1", 2, true],
    ]);
    const ended = (await events()).filter(({ type, data }) => type === "tool.ended" && "touched" in data);
    expect(all.map(({ cause }) => cause)).toEqual(ended.map(({ id }) => id));
    for (const [n, { data }] of all.entries()) expect(data.upto).toBeGreaterThanOrEqual(ended[n]!.seq);
  });

  test("not if a command changed nothing, and once for what a command changed", async () => {
    const { kept, rest, filesOf } = await alone([
      use("shell"),
      use("shell", { path: "x/made.md", content: "1" }),
      use("shell"),
      use("shell", { path: "x/made.md" }),
    ]);
    await rest();
    const all = await kept();
    expect(await Promise.all(all.map(({ data }) => filesOf(data.version)))).toEqual([{ "x/made.md": "1" }, {}]);
  });

  test("once for a node that was written and published, however many others are saved meanwhile", async () => {
    const names = ["Ann", "Bob", "Cleo"];
    const team = names.flatMap((name) => [
      { tool: "spawn_worker", input: { name } },
      { tool: "create_work_node", input: { task: "t", name, worker: name } },
    ]);
    const work = () => [
      {
        calls: [
          { tool: "write_file", input: { path: "a.md", content: "A" } },
          { tool: "publish", input: { summary: "s" } },
        ],
      },
    ];
    const { sim, rest } = await alone([], {
      play: {
        coordinator: [{ calls: [...team, { tool: "wait_for_nodes" }] }],
        ann: work(),
        bob: work(),
        cleo: work(),
      },
    });
    await rest();
    expect(sim.points.get("workspace.saved")).toBe(names.length);
  });

  test("of each worker by its node, beside each other", async () => {
    const spawn = ["Ann", "Bob"].flatMap((name) => [
      { tool: "spawn_worker", input: { name } },
      { tool: "create_work_node", input: { task: "t", name, worker: name } },
    ]);
    const publish = use("publish", { summary: "s" });
    const { world, kept, rest } = await alone([], {
      play: {
        coordinator: [{ calls: [...spawn, { tool: "wait_for_nodes" }] }],
        ann: [write("a.md", "A"), publish],
        bob: [write("b.md", "B"), publish],
      },
    });
    await rest();
    expect((await kept()).map(({ data }) => data.workspace).sort()).toEqual(["n1-ann", "n2-bob"]);
    expect([...world.state().scratches.keys()].sort()).toEqual(["n1-ann", "n2-bob"]);
    expect(world.state().workspaces.size).toBe(0);
  });

  test("of a worker without a node too, which also runs commands there, and it comes back when it was lost", async () => {
    const own = "/home/agents/a1/runs/r1/workers/ann/scratch";
    const folders: string[] = [];
    const { world, kept, filesOf, restored, rest } = await alone([], {
      command: async ({ folder }) => {
        folders.push(folder);
        return { code: 0, output: "" };
      },
      play: {
        coordinator: [use("spawn_worker", { name: "Ann" })],
        ann: [write("a.md", "A"), use("shell"), use("ask_human", { question: "And?" }), write("b.md", "B")],
      },
    });
    await world.send("a1", { type: "message.post", to: "ann", text: "Write." });
    await rest();
    expect(folders).toEqual([own]);
    expect((await kept()).map(({ data }) => [data.workspace, data.files])).toEqual([["worker-ann", 1]]);
    world.sim.disk.put(`${own}/a.md`, null);
    await world.restart("kill");
    await world.send("a1", { type: "question.answer", answer: "yes" }, { actor: "human" });
    await rest();
    expect(await restored()).toMatchObject([{ workspace: "worker-ann", why: "missing", files: 1 }]);
    expect(await filesOf((await kept()).at(-1)!.data.version)).toEqual({ "a.md": "A", "b.md": "B" });
  });

  test("when the agent is opened paused, with a call that was interrupted after it had written", async () => {
    const { world, kept, filesOf } = await alone([use("shell", { path: "made.md", content: "1" })]);
    await world.send("a1", { type: "agent.pause" });
    expect(await world.dies("tool.ran")).toBe(true);
    await world.restart("kill");
    await world.pass(1_000);
    expect(world.state().agent?.status).toBe("paused");
    const all = await kept();
    expect(all).toHaveLength(1);
    expect(await filesOf(all[0]!.data.version)).toEqual({ "made.md": "1" });
  });

  test("without what is ours, a cache or installed, and the log names what was left out", async () => {
    const { kept, rest, filesOf } = await alone([
      use("shell", { path: ".cache/pip/x", content: "1" }),
      use("shell", { path: "node_modules/x/y.js", content: "1" }),
      use("shell", { path: "_outbox.md", content: "TO: human\n" }),
      write("a.md", "one"),
    ]);
    await rest();
    const { data } = (await kept()).at(-1)!;
    expect(await filesOf(data.version)).toEqual({ "a.md": "one" });
    expect(data.left_out.map(({ path }) => path)).toEqual([".cache", "node_modules"]);
  });

  test.each(["kill", "power"] as const)(
    "also if the process dies before the log names the version (%s)",
    async (how) => {
      const { world, rest, last, onDisk, kept } = await alone([write("a.md", "one"), write("b.md", "two"), {}]);
      expect(await world.dies("workspace.saved", 2, how)).toBe(true);
      await world.restart(how);
      await rest();
      expect(await last()).toEqual({ "a.md": "one", "b.md": "two" });
      expect(onDisk()).toEqual(await last());
      expect((await kept()).length).toBeLessThanOrEqual(2);
    },
  );

  test("a disk that refuses is told, and it is tried again", async () => {
    let broken = true;
    const { world, rest, last } = await alone([write("a.md", "one")], {
      files: (files) => ({
        ...files,
        async write(path, ...given) {
          if (broken && path.includes("/blobs/")) throw Object.assign(new Error("full"), { code: "ENOSPC" });
          return files.write(path, ...given);
        },
      }),
    });
    await world.until(() => world.notices.length > 1);
    for (const { message } of world.notices)
      expect(message).toMatch(/^could not .*the disk is full.* It is tried again\.$/);
    expect(world.state().scratches.size).toBe(0);
    broken = false;
    await rest();
    expect(await last()).toEqual({ "a.md": "one" });
  });
});

test("while the disk refuses, each workspace is tried less and less often, however many there are", async () => {
  const names = ["Ann", "Bob", "Cat"];
  const spawn = names.flatMap((name) => [
    { tool: "spawn_worker", input: { name } },
    { tool: "create_work_node", input: { task: "t", name, worker: name } },
  ]);
  const { world } = await alone([], {
    play: {
      coordinator: [{ calls: [...spawn, { tool: "wait_for_nodes" }] }],
      ...Object.fromEntries(
        names.map((name) => [name.toLowerCase(), [write("a.md", name), use("ask_human", { question: "And?" })]]),
      ),
    },
    files: (files) => ({
      ...files,
      async write(path, ...given) {
        if (path.includes("/blobs/")) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        return files.write(path, ...given);
      },
    }),
  });
  await world.pass(3_600_000);
  expect(world.notices.length).toBeGreaterThan(names.length * 5);
  expect(world.notices.length).toBeLessThan(names.length * 20);
});

describe("a scratch that was lost comes back as it was saved", () => {
  const first = [write("a.md", "one"), write("b/c.md", "two"), use("ask_human", { question: "Go on?" })];
  const then = [use("read_file", { path: "a.md" }), write("d.md", "three")];

  /** Two files are saved, and the coordinator waits for the human. */
  async function waiting() {
    const made = await alone([...first, ...then]);
    await made.rest();
    expect(await made.last()).toEqual({ "a.md": "one", "b/c.md": "two" });
    const goOn = async () => {
      await made.world.send("a1", { type: "question.answer", answer: "yes" }, { actor: "human" });
      await made.rest();
    };
    return { ...made, goOn };
  }

  test("its folder was deleted while nobody looked", async () => {
    const { world, restored, onDisk, last, goOn } = await waiting();
    world.sim.disk.put(`${scratch}/a.md`, null);
    world.sim.disk.put(`${scratch}/b/c.md`, null);
    world.sim.disk.put(`${scratch}/b`, null);
    await world.restart("kill");
    await goOn();
    expect(onDisk()).toEqual({ "a.md": "one", "b/c.md": "two", "d.md": "three" });
    expect(await last()).toEqual(onDisk());
    expect(await restored()).toMatchObject([{ workspace: "r1", why: "missing", files: 2 }]);
    expect(world.asked.flatMap((one) => mail(one)).join("\n")).toContain("Your files were gone.");
  });

  test("a file was deleted, another is broken; what was edited meanwhile stays", async () => {
    const { world, restored, onDisk, goOn } = await waiting();
    world.sim.disk.put(`${scratch}/b/c.md`, null);
    world.sim.disk.put(`${scratch}/mine.md`, "by hand");
    world.sim.disk.flip(`${scratch}/a.md`);
    await world.restart("kill");
    await goOn();
    expect(await restored()).toMatchObject([{ why: "damaged", files: 2, paths: ["a.md", "b/c.md"] }]);
    expect(onDisk()).toEqual({ "a.md": "one", "b/c.md": "two", "mine.md": "by hand", "d.md": "three" });
  });

  test("an edit by hand is no damage", async () => {
    const { world, restored, onDisk, goOn } = await waiting();
    await world.pass(5_000);
    world.sim.disk.put(`${scratch}/a.md`, "by hand");
    await world.restart("kill");
    await goOn();
    expect(await restored()).toEqual([]);
    expect(onDisk()).toMatchObject({ "a.md": "by hand", "d.md": "three" });
  });

  test("what a program wrote without syncing it is there after a power loss", async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const { world, rest, last, onDisk } = await alone(
        [use("shell"), write("a.md", "one"), use("ask_human", { question: "Go on?" }), {}],
        { seed, files: (files) => ({ ...files, within: (root) => lazily(files.within(root)) }) },
      );
      await rest();
      expect(await last()).toEqual({ "a.md": "one" });
      await world.restart("power");
      await world.send("a1", { type: "question.answer", answer: "yes" }, { actor: "human" });
      await rest();
      expect(onDisk()).toEqual({ "a.md": "one" });
    }
  });

  test("another copy was worked in last: the older one is replaced as a whole", async () => {
    const { world, restored, onDisk, goOn } = await waiting();
    const mark = "/home/agents/a1/repository/notes/r1.coordinator.copy.json";
    world.sim.disk.put(mark, '{"copy":"0000"}');
    world.sim.disk.put(`${scratch}/a.md`, "old");
    world.sim.disk.put(`${scratch}/old.md`, "deleted there");
    await world.restart("kill");
    await goOn();
    expect(await restored()).toMatchObject([{ why: "elsewhere", copy: "0000" }]);
    expect(onDisk()).toEqual({ "a.md": "one", "b/c.md": "two", "d.md": "three" });
    await world.restart("kill");
    await world.pass(60_000);
    expect(await restored()).toHaveLength(1);
  });

  test("content that is lost for good keeps nobody from working", async () => {
    const { world, onDisk, goOn } = await waiting();
    for (const path of world.sim.disk.paths()) if (/\/(blobs|scratch)\//.test(path)) world.sim.disk.put(path, null);
    world.sim.disk.put(`${scratch}/b`, null);
    await world.restart("kill");
    await goOn();
    expect(onDisk()).toEqual({ "d.md": "three" });
    expect(world.notices.map(({ message }) => message).join()).toContain("could not be restored as it was saved");
  });
});
