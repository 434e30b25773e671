import { dirname } from "node:path";
import { expect, test } from "vitest";
import type { Files } from "../../lib/world.ts";
import { type Play, results, use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";
import { type Draft, digest, type PublishOptions, publishFolder, sha256 } from "./publish.ts";

const hour = 3_600_000;
const n1 = "/home/agents/a1/runs/r1/nodes/n1-first";

const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
const publish = (summary: string) => ({ tool: "publish", input: { summary } });

/** Ann makes three files and publishes them. */
const team: Play = {
  coordinator: [
    {
      calls: [
        { tool: "spawn_worker", input: { name: "Ann" } },
        { tool: "create_work_node", input: { task: "first" } },
        { tool: "create_work_node", input: { task: "second", refs: { first: "n1-first/a.md" } } },
        { tool: "wait_for_nodes" },
      ],
    },
    use("finish", { summary: "done" }),
  ],
  ann: [
    { usd: 0.5, calls: [write("a.md", "alpha"), write("deep/er/b.md", "beta"), write("empty", "")] },
    { usd: 0.25, calls: [publish("made three")] },
    { calls: [publish("made nothing")] },
  ],
};

type Started = ReturnType<typeof start>;
const peek = (world: Started, path: string): string => String(world.sim.disk.peek(path));
const under = (world: Started, folder: string): string[] =>
  world.sim.disk.paths().flatMap((path) => (path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : []));

async function played(options: Parameters<typeof start>[0]) {
  const world = start(options);
  await world.begin();
  await world.create();
  await world.pass(hour);
  return world;
}

test("publishing makes the scratch folder the output, with a manifest that says what, from what, by whom and for how much", async () => {
  const world = await played({ play: team });
  expect(under(world, `${n1}/published`)).toEqual(["a.md", "deep/er/b.md", "empty", "manifest.json"]);
  expect(peek(world, `${n1}/published/deep/er/b.md`)).toBe("beta");
  const files = [
    { path: "a.md", size: 5, sha256: sha256("alpha") },
    { path: "deep/er/b.md", size: 4, sha256: sha256("beta") },
    { path: "empty", size: 0, sha256: sha256("") },
  ];
  const manifest = JSON.parse(peek(world, `${n1}/published/manifest.json`));
  expect(manifest).toMatchObject({
    node: "n1-first",
    worker: "ann",
    model: "scripted/test",
    files,
    inputs: [],
    tool_calls: 3,
    cost: { usd: 0.75, tokens: 0 },
  });
  expect(world.state().nodes.get("n1-first")).toMatchObject({ status: "completed", summary: "made three", files });
  const next = JSON.parse(peek(world, "/home/agents/a1/runs/r1/nodes/n2-second/published/manifest.json"));
  expect([manifest.tool_calls, next.tool_calls]).toEqual([3, 0]);
  const [first, second] = (await world.events()).filter(({ type }) => type === "node.assigned");
  expect(manifest.events).toEqual([first!.seq, expect.any(Number)]);
  expect(next.events).toEqual([second!.seq, expect.any(Number)]);
  expect(manifest.events[1]).toBeLessThan(second!.seq);
  expect(next).toMatchObject({ files: [], inputs: [{ ref: "n1-first", sha256: sha256(JSON.stringify(files)) }] });
});

test("caches of package managers in the scratch folder are not published", async () => {
  const files = ["a.md", ".cache/npm/index", ".npm/x", ".local/lib/y.py", ".config", "deep/.cache/kept"];
  const ann = [
    { calls: files.map((path) => write(path, "x")) },
    { calls: [publish("made")] },
    { calls: [publish("-")] },
  ];
  const world = await played({ play: { ...team, ann } });
  expect(under(world, `${n1}/published`)).toEqual([".config", "a.md", "deep/.cache/kept", "manifest.json"]);
});

test("on a full disk whoever publishes is told what to do, nothing is published, and with space again it is", async () => {
  let isFull = true;
  const world = await played({
    play: { ...team, ann: [...team.ann!.slice(0, 2), ...team.ann!.slice(1)] },
    files: (files) => ({
      ...files,
      async write(path, ...rest) {
        if (!isFull || !path.includes("/publishing/")) return await files.write(path, ...rest);
        isFull = false;
        throw Object.assign(new Error("no space"), { code: "ENOSPC" });
      },
    }),
  });
  const [, told] = results(world.asked.filter(({ participant }) => participant === "ann")[2]!).slice(-2);
  expect(told).toMatchObject({
    outcome: "error",
    result: `could not publish to ${n1}: ENOSPC; the disk is full: free some space`,
  });
  expect(under(world, `${n1}/published`)).toEqual(["a.md", "deep/er/b.md", "empty", "manifest.json"]);
});

test("what is published cannot be written to any more", async () => {
  const world = await played({ play: team });
  const { open, write } = world.files();
  const refused = { code: "EACCES" };
  await expect(world.settled(open(`${n1}/published/a.md`))).rejects.toMatchObject(refused);
  await expect(world.settled(write(`${n1}/published/a.md`, "x"))).rejects.toMatchObject(refused);
  await expect(world.settled(write(`${n1}/published/new.md`, "x"))).rejects.toMatchObject(refused);
  await expect(world.settled(write(`${n1}/published/deep/er/new.md`, "x"))).rejects.toMatchObject(refused);
});

test("what a worker writes afterwards does not reach what it published", async () => {
  const world = await played({
    play: { ...team, ann: [{ calls: [write("a.md", "old"), publish("one"), write("a.md", "new"), publish("two")] }] },
  });
  expect(peek(world, `${n1}/published/a.md`)).toBe("old");
  expect(world.state().nodes.get("n1-first")).toMatchObject({ summary: "one" });
});

test("a run that a word of the human opened again leaves its first answer as it was, with what people wrote into it", async () => {
  const finish = (text: string) => ({ calls: [write("a.md", text), { tool: "finish", input: { summary: text } }] });
  const world = await played({ play: { coordinator: [finish("one"), finish("two"), finish("three")] } });
  const r1 = "/home/agents/a1/runs/r1";
  world.sim.disk.edit(`${r1}/_output.md`, "one, and a note\n");
  for (const text of ["more", "and more"]) {
    await world.send("a1", { type: "message.post", text });
    await world.pass(hour);
  }
  expect(
    under(world, r1).filter((path) => /^(_output|published)/.test(path) && !path.endsWith("manifest.json")),
  ).toEqual(["_output-1.md", "_output-2.md", "_output.md", "published-2/a.md", "published-3/a.md", "published/a.md"]);
  const texts = [
    "_output-1.md",
    "published/a.md",
    "_output-2.md",
    "published-2/a.md",
    "_output.md",
    "published-3/a.md",
  ];
  expect(texts.map((path) => peek(world, `${r1}/${path}`).trim())).toEqual([
    "one, and a note",
    "one",
    "two",
    "two",
    "three",
    "three",
  ]);
});

const points = [
  "publish.written",
  "publish.renamed",
  "publish.ready",
  "log.appended",
  "log.synced",
  "tool.ran",
  "tool.ended",
];

test.each(points)("a crash at %s leaves all of the output or nothing that counts", async (point) => {
  for (const [seed, how] of [
    [1, "kill"],
    [2, "power"],
    [3, "power"],
    [4, "power"],
    [5, "power"],
  ] as const) {
    const world = start({ play: team, seed });
    await world.begin();
    await world.create();
    await world.until(() => world.sim.disk.paths().some((path) => path.startsWith(`${n1}/publishing`)));
    expect(await world.dies(point, 1, how)).toBe(true);
    await world.restart(how);
    const node = world.state().nodes.get("n1-first");
    if (node?.status === "completed") expect(under(world, `${n1}/published`)).toHaveLength(4);
    await world.until(() => world.state().agent?.status === "completed");
    await world.pass(1_000);

    expect(under(world, `${n1}/published`)).toEqual(["a.md", "deep/er/b.md", "empty", "manifest.json"]);
    expect(under(world, `${n1}/publishing`)).toEqual([]);
    const manifest = JSON.parse(peek(world, `${n1}/published/manifest.json`));
    for (const { path, sha256: hash } of manifest.files)
      expect(sha256(peek(world, `${n1}/published/${path}`))).toBe(hash);
    expect(world.state().nodes.get("n1-first")).toMatchObject({ status: "completed", files: manifest.files });
    expect((await world.events()).filter((event) => event.type === "node.completed")).toHaveLength(2);

    // The worker hears that it worked, and is not called once more for nothing.
    const ann = world.asked.filter((one) => one.participant === "ann");
    expect([...new Set(ann.map((one) => one.turns))]).toEqual([1, 2, 3]);
    const last = results(ann.at(-1)!);
    expect(last.map((one) => one.outcome)).toEqual(["ok", "ok", "ok", "ok"]);
  }
});

test("a file that a crash left half written is not published", async () => {
  const world = start({ play: team });
  await world.begin();
  await world.create();
  const draft = () => world.sim.disk.paths().find((path) => path.includes("/scratch/") && path.endsWith(".tmp"));
  await world.until(() => draft() !== undefined);
  await world.restart("kill");
  expect(draft()).toBeDefined();
  await world.pass(hour);
  expect(under(world, `${n1}/published`)).toEqual(["a.md", "deep/er/b.md", "empty", "manifest.json"]);
});

test("a scratch folder with a manifest.json of its own is not published, and the worker is told", async () => {
  const world = await played({
    play: { ...team, ann: [{ calls: [write("manifest.json", "{}"), publish("one")] }, { say: "hm" }, { say: "hm" }] },
  });
  const ann = world.asked.filter((one) => one.participant === "ann");
  expect(results(ann[1]!)[1]).toMatchObject({
    outcome: "error",
    result: expect.stringContaining("must not contain a manifest.json"),
  });
  expect(world.state().nodes.get("n1-first")).toMatchObject({ status: "failed" });
  expect(under(world, `${n1}/published`)).toEqual([]);
});

const escapes = ["../x", "a/../../x", "/etc/passwd", "..", "a//b", "", "a\\..\\..\\x", "a\0b", "a/"];

test.each(escapes)("the path %j leaves the scratch folder and is refused", async (path) => {
  const world = await played({ play: { coordinator: [{ calls: [write(path, "x")] }] } });
  expect(results(world.asked[1]!)).toMatchObject([{ outcome: "error" }]);
  const outside = world.sim.disk.paths().filter((one) => /\/x$|passwd|b$/.test(one));
  expect(outside).toEqual([]);
});

test("finish writes the answer once; a second finish is refused and changes nothing", async () => {
  const world = await played({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "finish", input: { summary: "the answer" } },
            { tool: "finish", input: { summary: "another answer" } },
          ],
        },
      ],
    },
  });
  expect(peek(world, "/home/agents/a1/runs/r1/_output.md")).toBe("the answer\n");
  expect(world.state().run).toMatchObject({ status: "completed", summary: "the answer" });
  const ends = (await world.events()).filter((event) => event.type === "tool.ended");
  expect(ends.map((event) => event.data)).toMatchObject([
    { outcome: "ok" },
    { outcome: "error", result: "r1 is already completed; its answer cannot change" },
  ]);
});

test("an answer that was edited by hand stays as it is", async () => {
  const world = await played({ play: { coordinator: [use("finish", { summary: "the answer" })] } });
  world.sim.disk.edit("/home/agents/a1/runs/r1/_output.md", "my answer\n");
  await world.restart();
  await world.send("a1", { type: "message.post", text: "thanks" });
  await world.pass(hour);
  expect(peek(world, "/home/agents/a1/runs/r1/_output.md")).toBe("my answer\n");
});

test("what the coordinator learned in a run is in its memory, once, however it dies over it", async () => {
  for (const nth of [0, 1, 2]) {
    const world = start({
      play: { coordinator: [use("finish", { summary: "42", learned: "ask for the year first" })] },
    });
    await world.begin();
    await world.create({ start: false });
    void world.runtime().send("a1", { type: "run.start" });
    if (nth && (await world.dies("publish.written", nth))) await world.restart();
    await world.pass(hour);
    expect(peek(world, "/home/agents/a1/MEMORY.md").match(/- ask for the year first/g)).toHaveLength(1);
    expect(world.state().run?.status).toBe("completed");
  }
});

test("the coordinator's own scratch becomes the output of the run", async () => {
  const world = await played({
    play: { coordinator: [{ calls: [write("report.md", "R"), { tool: "finish", input: { summary: "see report" } }] }] },
  });
  expect(under(world, "/home/agents/a1/runs/r1/published")).toEqual(["manifest.json", "report.md"]);
});

test("the manifest of the run says what all of it cost, and is of the run; its answer says what nobody proved", async () => {
  const [lead, ...rest] = team.coordinator as [object, ...object[]];
  const world = await played({ play: { ...team, coordinator: [{ usd: 0.125, ...lead }, ...rest] } as Play });
  const r1 = "/home/agents/a1/runs/r1";
  const begun = (await world.events()).find(({ type }) => type === "run.started")!;
  expect(JSON.parse(peek(world, `${r1}/published/manifest.json`))).toMatchObject({
    node: "r1",
    worker: "coordinator",
    model: "scripted/test",
    inputs: [],
    files: [],
    cost: { usd: 0.875 },
    events: [begun.seq, expect.any(Number)],
    evidence: "claimed",
  });
  expect(peek(world, `${r1}/_output.md`)).toBe(
    "done\n\n---\nEvidence: claimed\n\nClaimed only:\n- n1-first: made three (no checks)\n- n2-second: made nothing (no checks)\n",
  );
});

test("whoever publishes is told what, and the coordinator what was only claimed", async () => {
  const world = await played({ play: team });
  const told = (await world.events()).flatMap(({ type, data }) =>
    type === "tool.ended" ? [JSON.stringify(data)] : [],
  );
  expect(told.filter((text) => text.includes("Published a.md, deep/er/b.md, empty; claimed."))).toHaveLength(1);
  expect(told.filter((text) => text.includes("Published no files; claimed."))).toHaveLength(1);
  const finished =
    "The run is finished; the answer is in _output.md. It is claimed. Only claimed: n1-first, n2-second.";
  expect(told.filter((text) => text.includes(`${finished}"`))).toHaveLength(1);
});

test("finishing cancels what is still alive, and whoever worked on it stops at once", async () => {
  const world = await played({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann" } },
            { tool: "create_work_node", input: { task: "first" } },
          ],
        },
        { seconds: 10, ...use("finish", { summary: "enough" }) },
      ],
      ann: [{ seconds: 100_000 }],
    },
  });
  expect(world.state().nodes.get("n1-first")).toMatchObject({ status: "cancelled" });
  expect(world.asked.filter((one) => one.participant === "ann").map((one) => one.outcome)).toEqual(["aborted"]);
  expect(world.state().agent).toMatchObject({ status: "completed", summary: "enough" });
});

/** A scratch folder of these files, published by itself. `disturb` changes what the disk does meanwhile. */
async function published(
  scratch: Record<string, string>,
  except: string[] = [],
  disturb = (files: Files) => files,
  options: (files: Files) => PublishOptions = () => ({}),
) {
  const world = start();
  const files = disturb(world.files());
  const root = "/home/x";
  for (const [path, content] of Object.entries(scratch)) {
    await world.settled(files.makeDir(dirname(`${root}/scratch/${path}`)));
    await world.settled(files.write(`${root}/scratch/${path}`, content));
  }
  const about = {
    ...{ node: "n1", worker: "ann", model: null, inputs: [], tool_calls: 0, cost: { usd: 0, tokens: 0 } },
    ...{ events: [1, 2] as [number, number], published_at: "2026-01-01T00:00:00.000Z" },
  };
  const again = () =>
    world.settled(
      publishFolder({ ...world.sim.incarnate(), files }, root, "published", about, {
        except: new Set(except),
        ...options(files),
      }),
    );
  return { world, root, again, list: await again() };
}

test("what is no output is left out, at whatever depth it is named", async () => {
  const { list, world, root } = await published({ "a.md": "A", "b.md": "B", "in/a.md": "A", "in/b.md": "B" }, [
    "b.md",
    "in/a.md",
  ]);
  expect(list.map(({ path }) => path)).toEqual(["a.md", "in/b.md"]);
  expect(under(world, `${root}/published`)).toEqual(["a.md", "in/b.md", "manifest.json"]);
});

test("an attempt that the log does not know of is replaced as a whole, and nothing of either is left beside it", async () => {
  const { again, world, root } = await published({ "a.md": "A" });
  await world.settled(world.files().write(`${root}/scratch/b.md`, "B"));
  expect((await again()).map(({ path }) => path)).toEqual(["a.md", "b.md"]);
  expect(under(world, root).filter((path) => path.startsWith("publishing"))).toEqual([]);
  expect(JSON.parse(peek(world, `${root}/published/manifest.json`)).files).toHaveLength(2);
});

test("what a crash left between two attempts is in nobody's way", async () => {
  const { again, world, root } = await published({ "a.md": "A" });
  for (const folder of ["publishing", "publishing-before"]) world.sim.disk.edit(`${root}/${folder}/old.md`, "old");
  expect((await again()).map(({ path }) => path)).toEqual(["a.md"]);
  expect(under(world, root)).toEqual(["published/a.md", "published/manifest.json", "scratch/a.md"]);
});

test("only what publishing writes is called manifest.json, at the top; below it is a file like others", async () => {
  await expect(published({ "manifest.json": "{}" })).rejects.toMatchObject({ code: "invalid" });
  const { list, world, root } = await published({ "in/manifest.json": "{}" });
  expect(list.map(({ path }) => path)).toEqual(["in/manifest.json"]);
  const text = peek(world, `${root}/published/manifest.json`);
  expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
});

test("a scratch folder of more than five thousand files is refused, one of just as many is not", async () => {
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, ""]));
  const world = await published(many(5_000));
  expect(world.list).toHaveLength(5_000);
  await world.world.settled(world.world.files().write(`${world.root}/scratch/one-more`, ""));
  await expect(world.again()).rejects.toMatchObject({ code: "too_large" });
});

/** A disk on which files below a folder cannot be read, for this reason. */
const unreadable =
  (error: Error) =>
  (files: Files): Files => ({
    ...files,
    within: (root) => ({ ...files.within(root), read: () => Promise.reject(error) }),
  });

const refusals: [errno: string, code: string][] = [
  ["ELOOP", "path_escapes"],
  ["EINVAL", "invalid"],
  ["EMLINK", "invalid"],
  ["EFTYPE", "invalid"],
  ["EFBIG", "too_large"],
];

test.each(refusals)("a file that is refused with %s is named to whoever publishes, as %s", async (errno, code) => {
  const error = Object.assign(new Error(`${errno}: scratch/a.md`), { code: errno });
  await expect(published({ "a.md": "A" }, [], unreadable(error))).rejects.toMatchObject({
    name: "Problem",
    code,
    message: `${errno}: scratch/a.md; so scratch cannot be published as it is`,
    cause: error,
  });
});

test("a disk that fails is named with what to do about it, and anything else says what it says", async () => {
  const [broken, odd] = [Object.assign(new Error("EIO: read"), { code: "EIO" }), new Error("odd")];
  await expect(published({ "a.md": "A" }, [], unreadable(broken))).rejects.toMatchObject({
    code: "storage_failed",
    message: expect.stringContaining("EIO; the disk reports an error: check it"),
    cause: broken,
  });
  await expect(published({ "a.md": "A" }, [], unreadable(odd))).rejects.toBe(odd);
});

test("a file that is gone when its turn comes is left out", async () => {
  const { list, world, root } = await published({ "a.md": "A", "b.md": "B" }, [], (files) => ({
    ...files,
    within(root) {
      const inside = files.within(root);
      return {
        ...inside,
        read: async (path, most) => (path === "scratch/a.md" ? null : await inside.read(path, most)),
      };
    },
  }));
  expect(list.map(({ path }) => path)).toEqual(["b.md"]);
  expect(under(world, `${root}/published`)).toEqual(["b.md", "manifest.json"]);
});

test("a scratch folder of more than half a gigabyte is refused, one of just as much is not", async () => {
  const mebibyte = 1024 * 1024;
  const sizes = new Map([
    ["scratch/a", 511 * mebibyte],
    ["scratch/b", mebibyte],
  ]);
  const limits: (number | undefined)[] = [];
  /** The content is not there; its size is all that matters. */
  const large = (files: Files): Files => ({
    ...files,
    write: (path, content, options) => files.write(path, content.length > 10_000 ? "" : content, options),
    within(root) {
      const inside = files.within(root);
      return {
        ...inside,
        async read(path, most) {
          limits.push(most);
          return Buffer.alloc(sizes.get(path)!);
        },
      };
    },
  });
  const { list, again } = await published({ a: "", b: "" }, [], large);
  expect(list.map(({ size }) => size)).toEqual([511 * mebibyte, mebibyte]);
  expect(limits).toEqual([512 * mebibyte, 512 * mebibyte]);
  sizes.set("scratch/b", mebibyte + 1);
  await expect(again()).rejects.toMatchObject({
    code: "too_large",
    message: expect.stringContaining("536870912 bytes"),
  });
});

test("a large file is hashed in steps of four mebibytes, between which others have their turn; its hash is that of the whole", async () => {
  const step = 4 * 1024 * 1024;
  for (const [size, steps] of [
    [step, 0],
    [step + 1, 2],
    [2 * step + 3, 3],
  ] as const) {
    const content = Buffer.alloc(size);
    for (let at = 0; at < size; at += 65_536) content[at] = at / 65_536;
    content[size - 1] = 7;
    const waits: number[] = [];
    const after = (ms: number, go: () => void) => {
      waits.push(ms);
      setImmediate(go);
      return () => undefined;
    };
    const clock = { ...start().sim.incarnate().clock, after };
    expect(await digest({ clock }, content)).toBe(sha256(content));
    expect(waits).toEqual(Array.from({ length: steps }, () => 0));
  }
});

const proof = { evidence: "verified" as const, checks: [] };

test("what is examined is exactly what is published, and what stands behind it is in the manifest", async () => {
  const seen: unknown[] = [];
  const examine = async (draft: Draft) => {
    for (const path of ["a.md", "in", "i", "", "in/b.md", "scratch"]) seen.push([path, await draft.stat(path)]);
    seen.push(String(await draft.read("in/b.md")));
    await draft.lay("/home/laid");
    await expect(draft.read("c.md")).rejects.toThrow("c.md is gone");
    return proof;
  };
  const { list, world, root } = await published({ "a.md": "A", "in/b.md": "BB" }, [], undefined, () => ({ examine }));
  expect(seen).toEqual([
    ["a.md", { kind: "file", size: 1 }],
    ["in", { kind: "folder", size: 0 }],
    ["i", null],
    ["", { kind: "folder", size: 0 }],
    ["in/b.md", { kind: "file", size: 2 }],
    ["scratch", null],
    "BB",
  ]);
  expect(under(world, "/home/laid")).toEqual(["a.md", "in/b.md"]);
  expect(peek(world, "/home/laid/in/b.md")).toBe("BB");
  expect(JSON.parse(peek(world, `${root}/published/manifest.json`))).toMatchObject({ ...proof, files: list });
});

test("of a change the whole is laid out once, when a file is asked for that it does not change, and nothing of that is left", async () => {
  for (const asks of [true, false]) {
    let lays = 0;
    const seen: unknown[] = [];
    const options = (files: Files): PublishOptions => ({
      content: {
        copy: (folder) => files.write(`${folder}/changed.ts`, "new"),
        async lay(folder) {
          lays++;
          expect(await files.stat(folder)).toBeNull();
          await files.makeDir(folder);
          for (const name of ["changed.ts", "same.ts"]) await files.write(`${folder}/${name}`, `whole ${name}`);
        },
      },
      async examine(draft) {
        if (asks)
          seen.push(
            await draft.stat("same.ts"),
            String(await draft.read("same.ts")),
            String(await draft.read("changed.ts")),
            await draft.stat("none.ts"),
          );
        return proof;
      },
    });
    const { list, again, world, root } = await published({ "own.md": "not published" }, [], undefined, options);
    expect(list).toEqual([{ path: "changed.ts", size: 3, sha256: sha256("new") }]);
    expect(under(world, `${root}/published`)).toEqual(["changed.ts", "manifest.json"]);
    expect(seen).toEqual(
      asks ? [expect.objectContaining({ kind: "file", size: 13 }), "whole same.ts", "new", null] : [],
    );
    expect(lays).toBe(asks ? 1 : 0);
    expect(under(world, `${root}/examining`)).toEqual([]);
    // A crash interrupted the one before.
    world.sim.disk.edit(`${root}/examining/old.ts`, "old");
    await again();
    expect(under(world, `${root}/examining`)).toEqual([]);
  }
});

test("without an examination a result is claimed", async () => {
  const { world, root } = await published({ "a.md": "A" });
  expect(JSON.parse(peek(world, `${root}/published/manifest.json`))).toMatchObject({ evidence: "claimed", checks: [] });
});
