import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packTar, type TarEntry } from "modern-tar";
import { afterEach, expect, test } from "vitest";
import { createScripted } from "../../backend/scripted.ts";
import { defaultLimits } from "../../core/limits.ts";
import { canonical } from "../../core/state.ts";
import { createEmbedded } from "../../engine/embedded.ts";
import { machine } from "../../lib/machine/index.ts";
import type { Files, World } from "../../lib/world.ts";
import type { Problem } from "../../schema/problem.ts";
import { createFilesStore } from "../../store/file-store.ts";
import { tools } from "../../tool/index.ts";
import { createRuntime } from "../runtime.ts";

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const work = [
  { calls: [{ tool: "write_file", input: { path: "a/b.md", content: "42" } }] },
  { calls: [{ tool: "finish", input: { summary: "It is 42." } }] },
];

async function home(
  steps: { calls: { tool: string; input: Record<string, unknown> }[] }[] = work,
  world: World = machine,
) {
  const path = mkdtempSync(join(tmpdir(), "agiraph-bundle-"));
  const store = createFilesStore({ home: path, files: machine.files });
  const backend = createScripted({ participants: { coordinator: steps } }, machine.clock);
  const runtime = createRuntime({
    home: path,
    world,
    store,
    storeIn: (folder) => createFilesStore({ home: folder, files: world.files }),
    engine: createEmbedded({ clock: machine.clock }),
    limits: defaultLimits,
    tools,
    backend: () => backend,
    snapshotEvery: 1000,
    notice: () => undefined,
  });
  await runtime.start();
  ends.push(async () => {
    await runtime.stop();
    await store.close();
    rmSync(path, { recursive: true, force: true });
  });
  return { path, runtime };
}

/** And its files are saved. */
async function finished(runtime: Awaited<ReturnType<typeof home>>["runtime"], agent: string): Promise<void> {
  for await (const events of runtime.follow(agent, 0)) if (events.some(({ type }) => type === "run.completed")) break;
  await (await runtime.reading(agent)).checkouts.idle();
}

const bytesOf = async (stream: ReadableStream<Uint8Array>) => new Uint8Array(await new Response(stream).arrayBuffer());
const streamOf = (bytes: Uint8Array) =>
  new Response(bytes as Uint8Array<ArrayBuffer>).body as ReadableStream<Uint8Array>;
const refusal = (job: Promise<unknown>) =>
  job.then(
    () => "nothing was refused",
    (problem: Problem) => problem.code,
  );

test("a packed agent is the same in another home: state, files, published output that cannot be changed", async () => {
  const [here, there] = [await home(), await home()];
  const agent = await here.runtime.create({ goal: "find it", model: "scripted/x" });
  await finished(here.runtime, agent);
  const bundle = await bytesOf(await here.runtime.pack(agent));
  expect(await there.runtime.unpack(streamOf(bundle))).toMatchObject({ agent });
  // But for what says that it was moved.
  const state = (runtime: typeof here.runtime) =>
    runtime.read(agent, (now) => canonical({ ...now, seq: 0, at: "", active_at: "" }));
  expect(await state(there.runtime)).toBe(await state(here.runtime));
  const file = join(there.path, "agents", agent, "runs/r1/published/a/b.md");
  expect(readFileSync(file, "utf8")).toBe("42");
  expect(statSync(file).mode & 0o222).toBe(0);
  expect(readdirSync(there.path).filter((name) => name.startsWith("import-"))).toEqual([]);
});

test("what was saved of its files comes along, and brings them back where they are missing", async () => {
  const ask = { tool: "ask_human", input: { question: "Go on?" } };
  const read = { tool: "read_file", input: { path: "a/b.md" } };
  const [here, there] = [await home([work[0]!, { calls: [ask] }]), await home([{ calls: [] }, { calls: [read] }])];
  const agent = await here.runtime.create({ goal: "find it", model: "scripted/x" });
  for await (const events of here.runtime.follow(agent, 0))
    if (events.some(({ type }) => type === "question.asked")) break;
  await (await here.runtime.reading(agent)).checkouts.idle();
  await there.runtime.unpack(streamOf(await bytesOf(await here.runtime.pack(agent))));
  const scratch = join(there.path, "agents", agent, "runs/r1/scratch");
  rmSync(scratch, { recursive: true });
  await there.runtime.send(agent, { type: "agent.resume" }, { actor: "human" });
  await there.runtime.send(agent, { type: "question.answer", answer: "yes" }, { actor: "human" });
  for await (const events of there.runtime.follow(agent, 0))
    if (events.some(({ type }) => type === "workspace.restored")) break;
  expect(readFileSync(join(scratch, "a/b.md"), "utf8")).toBe("42");
});

test("an agent with more files than a bundle can have is refused, not packed in part", async () => {
  const crowded: Files["within"] = (root) => {
    const within = machine.files.within(root);
    const many = Array.from({ length: 400_001 }, (_, n) => ({
      ...{ name: `${n}`, kind: "other" as const, size: 0, changed: 0 },
    }));
    return { ...within, list: async (path, most) => (path.endsWith("blobs") ? many : within.list(path, most)) };
  };
  const { runtime } = await home(work, { ...machine, files: { ...machine.files, within: crowded } });
  const agent = await runtime.create({ goal: "find it", model: "scripted/x" });
  await finished(runtime, agent);
  expect(await refusal(bytesOf(await runtime.pack(agent)))).toBe("too_large");
});

test("a bundle does not choose what is read of the machine it comes to: the folder of its old one is not its any more", async () => {
  for (const steps of [work, []]) {
    const [here, there] = [await home(steps), await home([])];
    const agent = await here.runtime.create({ goal: "find it", model: "scripted/x", folder: tmpdir(), tools: [] });
    if (steps.length) await finished(here.runtime, agent);
    const bundle = await bytesOf(await here.runtime.pack(agent));
    await there.runtime.unpack(streamOf(bundle));
    const state = (runtime: typeof here.runtime) => runtime.read(agent, ({ agent }) => agent!);
    expect((await state(here.runtime)).folder).toBe(tmpdir());
    expect(await state(there.runtime)).toMatchObject({ id: agent, tools: [] });
    expect((await state(there.runtime)).folder).toBeUndefined();
  }
});

test("one that was at work is paused until a person lets it go on", async () => {
  const [here, there] = [await home([]), await home()];
  const agent = await here.runtime.create({ goal: "find it", model: "scripted/x" });
  const bundle = await bytesOf(await here.runtime.pack(agent));
  await there.runtime.unpack(streamOf(bundle));
  expect(await there.runtime.read(agent, ({ agent }) => agent)).toMatchObject({
    status: "paused",
    reason: { next_mover: "human", message: expect.stringContaining("another home") },
  });
  await there.runtime.send(agent, { type: "agent.resume" }, { actor: "human" });
  await there.runtime.send(agent, { type: "message.post", text: "go on" }, { actor: "human" });
  expect(await there.runtime.read(agent, ({ agent }) => agent?.status)).toBe("active");
});

test("a name that is taken, a damaged log and a cut file are refused, and nothing is left behind", async () => {
  const { path, runtime } = await home();
  const agent = await runtime.create({ goal: "find it", model: "scripted/x" });
  await finished(runtime, agent);
  const bundle = await bytesOf(await runtime.pack(agent));
  expect(await refusal(runtime.unpack(streamOf(bundle)))).toBe("name_taken");
  const other = await home();
  expect(await refusal(other.runtime.unpack(streamOf(bundle.slice(0, bundle.length / 2))))).toBe("invalid");
  expect(await refusal(other.runtime.unpack(streamOf(new TextEncoder().encode("no tar at all"))))).toBe("invalid");
  const lines = readFileSync(join(path, "agents", agent, "events.jsonl"), "utf8").split("\n");
  lines[1] = lines[1]!.replace("run.started", "run.startet");
  const damaged = await made([
    file("agiraph.json", JSON.stringify({ version: 1, agent })),
    file("events.jsonl", lines.join("\n")),
  ]);
  expect(await refusal(other.runtime.unpack(streamOf(damaged)))).toBe("invalid");
  expect(readdirSync(other.path).filter((name) => name !== "lock")).toEqual([]);
  expect(other.runtime.agents()).toEqual([]);
});

test.each([
  ["../../evil", "file"],
  ["/etc/evil", "file"],
  ["a/../../evil", "file"],
  ["link", "symlink"],
  ["dev", "character-device"],
])("%s as a %s leads nowhere", async (name, type) => {
  const { path, runtime } = await home();
  const head = file("agiraph.json", JSON.stringify({ version: 1, agent: "x" }));
  const entry = {
    header: { name, type, size: type === "file" ? 1 : 0, linkname: "/etc/passwd" },
    body: type === "file" ? "x" : "",
  };
  expect(await refusal(runtime.unpack(streamOf(await made([head, entry as TarEntry]))))).toBe("path_escapes");
  expect(existsSync(join(path, "..", "evil"))).toBe(false);
  expect(runtime.agents()).toEqual([]);
});

test("what a crash left of an import is gone at the next start", async () => {
  const { path, runtime } = await home();
  await machine.files.makeDir(join(path, "import-0a1b"));
  writeFileSync(join(path, "import-0a1b", "x"), "x");
  await runtime.stop();
  const again = createRuntime({
    home: path,
    world: machine,
    store: createFilesStore({ home: path, files: machine.files }),
    engine: createEmbedded({ clock: machine.clock }),
    limits: defaultLimits,
    tools,
    backend: () => createScripted({ participants: {} }, machine.clock),
    snapshotEvery: 1000,
    notice: () => undefined,
  });
  await again.start();
  expect(existsSync(join(path, "import-0a1b"))).toBe(false);
  await again.stop();
});

const file = (name: string, body: string): TarEntry => ({ header: { name, size: Buffer.byteLength(body) }, body });

async function made(entries: TarEntry[]): Promise<Uint8Array> {
  const tar = await packTar(entries);
  return bytesOf(streamOf(tar).pipeThrough(new CompressionStream("gzip") as never));
}

test("every file of an import is durable before it is acknowledged", async () => {
  const one = await home();
  const agent = await one.runtime.create({ goal: "g", model: "m", name: "one" });
  await finished(one.runtime, agent);
  const bundle = await bytesOf(await one.runtime.pack(agent));
  const lax: string[] = [];
  const files: Files = {
    ...machine.files,
    async open(path) {
      const file = await machine.files.open(path);
      let synced = 0;
      let size = await file.size();
      return {
        ...file,
        async append(bytes) {
          await file.append(bytes);
          size += bytes.length;
        },
        async sync() {
          await file.sync();
          synced = size;
        },
        async close() {
          if (path.includes("import-") && synced < size) lax.push(path);
          await file.close();
        },
      };
    },
  };
  const other = await home(work, { ...machine, files });
  expect(await other.runtime.unpack(streamOf(bundle))).toMatchObject({ agent: "one" });
  expect(lax).toEqual([]);
});

test("a disk that refuses an import is not taken for a bad bundle; what cannot be removed of it does not undo it", async () => {
  const one = await home();
  const agent = await one.runtime.create({ goal: "g", model: "m", name: "one" });
  await finished(one.runtime, agent);
  const bundle = await bytesOf(await one.runtime.pack(agent));
  let [full, stuck] = [true, true];
  const files: Files = {
    ...machine.files,
    async remove(path) {
      if (stuck && /import-[0-9a-f]+$/.test(path)) throw Object.assign(new Error("read-only"), { code: "EROFS" });
      await machine.files.remove(path);
    },
    async open(path) {
      const file = await machine.files.open(path);
      return {
        ...file,
        async append(bytes) {
          if (full) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
          await file.append(bytes);
        },
      };
    },
  };
  const other = await home(work, { ...machine, files });
  expect(await refusal(other.runtime.unpack(streamOf(bundle)))).toBe("storage_failed");
  expect(other.runtime.agents()).toEqual([]);
  full = false;
  expect(await other.runtime.unpack(streamOf(bundle))).toMatchObject({ agent: "one" });
  expect(other.runtime.agents()).toEqual(["one"]);
  stuck = false;
});

test("an import that was renamed and could not be synced is undone, and the next attempt succeeds", async () => {
  const one = await home();
  const agent = await one.runtime.create({ goal: "g", model: "m", name: "one" });
  await finished(one.runtime, agent);
  const bundle = await bytesOf(await one.runtime.pack(agent));
  let failures = 0;
  const settled: string[] = [];
  const files: Files = {
    ...machine.files,
    async move(from, to) {
      await machine.files.move(from, to);
      if (failures-- > 0) throw Object.assign(new Error("sync failed"), { code: "EIO" });
    },
    async settle(path, top) {
      settled.push(path);
      await machine.files.settle(path, top);
    },
  };
  const other = await home(work, { ...machine, files });
  failures = 1;
  expect(await refusal(other.runtime.unpack(streamOf(bundle)))).toBe("storage_failed");
  expect(existsSync(join(other.path, "agents/one"))).toBe(false);

  // Should undoing it fail as well, the name is made durable before it is called taken.
  files.move = async (from, to) => {
    if (failures-- <= 0) throw Object.assign(new Error("rename failed"), { code: "EIO" });
    await machine.files.move(from, to);
    throw Object.assign(new Error("sync failed"), { code: "EIO" });
  };
  failures = 1;
  expect(await refusal(other.runtime.unpack(streamOf(bundle)))).toBe("storage_failed");
  settled.length = 0;
  expect(await refusal(other.runtime.unpack(streamOf(bundle)))).toBe("name_taken");
  expect(settled).toContain(join(other.path, "agents/one"));
});

test("a log of the first version is still what it should be", async () => {
  const log = readFileSync(new URL("../../../test/golden/v1.jsonl", import.meta.url), "utf8");
  const { agent } = JSON.parse(log.slice(0, log.indexOf("\n"))).data as { agent: string };
  const { runtime } = await home();
  const bundle = await made([file("agiraph.json", JSON.stringify({ version: 1, agent })), file("events.jsonl", log)]);
  expect(await runtime.unpack(streamOf(bundle))).toMatchObject({ agent });
});
