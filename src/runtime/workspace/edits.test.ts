import { expect, test } from "vitest";
import type { Files } from "../../lib/world.ts";
import { type Play, use } from "../model.test-help.ts";
import { start } from "../runtime.test-help.ts";
import { sha256 } from "./publish.ts";

const hour = 3_600_000;
const root = "/home/agents/a1";
const spec = `${root}/runs/r1/nodes/n1-first/_spec.md`;

const team: Play = {
  coordinator: [
    {
      calls: [
        { tool: "spawn_worker", input: { name: "Ann" } },
        { tool: "create_work_node", input: { task: "do it", name: "first", acceptance: "it is done" } },
        { tool: "wait_for_nodes" },
      ],
    },
  ],
  ann: [{ seconds: 10 }, { seconds: 10 }],
};

async function created(play: Play = {}, options: Parameters<typeof start>[0] = {}) {
  const world = start({ play, ...options });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  const text = (path: string): string | null => {
    const found = world.sim.disk.peek(path);
    return found && String(found);
  };
  const edits = async () =>
    (await world.events()).filter((event) => event.type === "file.edited" || event.type === "document.written");
  return { ...world, text, edits };
}

const hello = { type: "message.post" as const, text: "hello" };

test("a new agent has a goal, a soul and, for each node, a spec, and the log knows them", async () => {
  const world = await created(team);
  expect(world.text(`${root}/GOAL.md`)).toBe("test the runtime\n");
  expect(world.text(`${root}/SOUL.md`)).toMatch(/^# a1\n/);
  expect(world.text(spec)).toBe("# first\n\ndo it\n\n## Done means\n\nit is done\n");
  for (const path of ["GOAL.md", "SOUL.md", "runs/r1/nodes/n1-first/_spec.md"])
    expect(world.state().files.get(path)).toBe(sha256(world.text(`${root}/${path}`)!));
});

test.each(["GOAL.md", "SOUL.md"])(
  "a %s that was edited by hand is noticed before the next call, and stays as it is",
  async (name) => {
    const world = await created();
    world.sim.disk.edit(`${root}/${name}`, "my own words\n");
    await world.pass(hour);
    expect(await world.edits()).toEqual([]);
    await world.send("a1", hello);
    await world.until(() => world.asked.length === 2);
    expect(await world.edits()).toMatchObject([
      { type: "file.edited", actor: "human", data: { path: name, sha256: sha256("my own words\n") } },
    ]);
    expect(world.text(`${root}/blobs/${sha256("my own words\n")}`)).toBe("my own words\n");
    await world.restart();
    await world.pass(hour);
    expect(world.text(`${root}/${name}`)).toBe("my own words\n");
    expect(await world.edits()).toHaveLength(1);
  },
);

test("an edit that was made while nobody ran is noticed when the agent is opened", async () => {
  const world = await created();
  await world.settled(world.runtime().stop());
  world.sim.disk.edit(`${root}/GOAL.md`, "my own words\n");
  await world.restart("kill");
  await world.pass(1_000);
  expect(await world.edits()).toMatchObject([{ actor: "human", data: { path: "GOAL.md" } }]);
  expect(world.asked).toHaveLength(1);
});

test("a spec that was edited by hand is noticed before its worker's next call", async () => {
  const world = await created(team);
  world.sim.disk.edit(spec, "do it better\n");
  await world.until(() => world.asked.filter((one) => one.participant === "ann").length === 2);
  expect(await world.edits()).toMatchObject([
    {
      type: "file.edited",
      actor: "human",
      data: { path: "runs/r1/nodes/n1-first/_spec.md", sha256: sha256("do it better\n") },
    },
  ]);
  await world.restart();
  await world.pass(hour);
  expect(world.text(spec)).toBe("do it better\n");
});

test("an edit that was made during a worker's last turn is noticed before its work is published", async () => {
  const world = await created({ ...team, ann: [{ seconds: 10, ...use("publish", { summary: "done" }) }] });
  world.sim.disk.edit(spec, "do it better\n");
  await world.pass(60_000);
  const types = (await world.events()).map((event) => event.type);
  expect(types.filter((type) => type === "file.edited" || type === "node.completed")).toEqual([
    "file.edited",
    "node.completed",
  ]);
});

test("a file that somebody put there first is taken as it is", async () => {
  const world = start({ play: team });
  await world.begin();
  world.sim.disk.edit(`${root}/GOAL.md`, "my goal\n");
  world.sim.disk.edit(spec, "my spec\n");
  await world.create();
  await world.pass(1_000);
  expect(String(world.sim.disk.peek(`${root}/GOAL.md`))).toBe("my goal\n");
  expect(String(world.sim.disk.peek(spec))).toBe("my spec\n");
  expect(world.state().files.get("GOAL.md")).toBe(sha256("my goal\n"));
});

test("what somebody put there first can be looked up after it was changed", async () => {
  const world = await created();
  world.sim.disk.edit(spec, "mine\n");
  await world.send("a1", { type: "node.create", task: "do it", name: "first" });
  await world.pass(1_000);
  world.sim.disk.edit(spec, "another\n");
  await world.restart();
  await world.pass(1_000);
  const reading = await world.settled(world.runtime().reading("a1"));
  const versions = await world.settled(reading.versions.list({ of: "workspace" }, "nodes/n1-first/_spec.md"));
  expect(versions.map(({ kept }) => kept)).toEqual([true, true]);
  expect(String(await world.settled(reading.blob(sha256("mine\n"))))).toBe("mine\n");
});

test("an edit is recorded once, however many look at the same time", async () => {
  const names = ["Ann", "Bea", "Cai"];
  const world = await created({
    coordinator: [{ calls: names.map((name) => ({ tool: "spawn_worker", input: { name } })) }],
  });
  world.sim.disk.edit(`${root}/GOAL.md`, "my own words\n");
  await world.send("a1", { type: "message.post", to: "*", text: "hello" });
  await world.pass(1_000);
  expect(await world.edits()).toHaveLength(1);
});

test("a file that was deleted by hand is noticed, and one that takes its place is noticed, too", async () => {
  const world = await created();
  world.sim.disk.edit(`${root}/GOAL.md`, null);
  await world.send("a1", hello);
  await world.pass(1_000);
  expect(await world.edits()).toMatchObject([{ actor: "human", data: { path: "GOAL.md", sha256: null } }]);
  expect(world.text(`${root}/GOAL.md`)).toBeNull();
  world.sim.disk.edit(`${root}/GOAL.md`, "back again\n");
  await world.send("a1", hello);
  await world.pass(1_000);
  expect((await world.edits()).at(-1)).toMatchObject({ actor: "human", data: { sha256: sha256("back again\n") } });
});

test("a removal that a power failure took back is in the log before somebody writes over the file", async () => {
  let broken = false;
  const failing = (files: Files): Files => ({
    ...files,
    async read(path) {
      if (broken && path === spec) throw Object.assign(new Error("cannot be read"), { code: "EIO" });
      return await files.read(path);
    },
  });
  const world = await created({}, { files: failing });
  await world.send("a1", { type: "node.create", task: "do it", name: "first" });
  await world.pass(1_000);
  const ours = world.text(spec)!;
  world.sim.disk.edit(spec, null);
  await world.restart(); // notices it
  await world.pass(1_000);
  world.sim.disk.edit(spec, ours);
  broken = true;
  await world.restart(); // has nothing to remember it by, and cannot look
  await world.pass(1_000);
  broken = false;
  const { owned } = await world.settled(world.runtime().reading("a1"));
  await world.settled(owned.write({ of: "workspace" }, "nodes/n1-first/_spec.md", "mine\n", sha256(ours)));
  const versions = (await world.events()).flatMap(({ type, data }) =>
    /^file\.(written|edited)$/.test(type) &&
    "sha256" in data &&
    "path" in data &&
    String(data.path).includes("n1-first")
      ? [data.sha256]
      : [],
  );
  expect(versions).toEqual([sha256(ours), null, sha256(ours), sha256("mine\n")]);
});

test("a spec is there after a crash at any moment of its making", async () => {
  for (let steps = 0; steps < 40; steps += 2) {
    const world = start({ play: team, seed: steps });
    await world.begin();
    await world.create({ start: false });
    void world.runtime().send("a1", { type: "run.start" });
    await world.until(() => world.state().nodes.has("n1-first"));
    await world.sim.time.run({ steps });
    await world.restart();
    await world.pass(hour);
    expect(String(world.sim.disk.peek(spec)), `after ${steps} steps`).toMatch(/^# first\n\ndo it\n/);
  }
});

const notes = `${root}/runs/r1/documents/notes.md`;

/** A document as a client makes it: the file, then the command. */
async function withDocument(options: Parameters<typeof start>[0] = {}) {
  const world = await created({}, options);
  world.sim.disk.edit(notes, "one\n");
  await world.send(
    "a1",
    { type: "document.write", document: "notes.md", sha256: sha256("one\n"), size: 4 },
    { actor: "coordinator" },
  );
  return world;
}

test("a document that was edited by hand becomes its next version, by the human", async () => {
  const world = await withDocument();
  world.sim.disk.edit(notes, "two\n");
  await world.send("a1", hello);
  await world.pass(1_000);
  expect(world.state().documents.get("notes.md")).toMatchObject({
    version: 2,
    by: "human",
    sha256: sha256("two\n"),
    size: 4,
  });
  expect((await world.edits()).map((event) => [event.type, event.actor])).toEqual([
    ["document.written", "coordinator"],
    ["document.written", "human"],
  ]);
  expect(world.text(notes)).toBe("two\n");
});

test("a document that was edited by hand becomes its next version although the process dies over it", async () => {
  for (let nth = 1; ; nth++) {
    const world = await withDocument();
    world.sim.disk.edit(notes, "two\n");
    void world.runtime().send("a1", hello);
    if (!(await world.dies("log.synced", nth, "kill"))) {
      expect(nth).toBeGreaterThan(2);
      break;
    }
    await world.restart("kill");
    await world.pass(1_000);
    expect(world.state().documents.get("notes.md"), `at sync ${nth}`).toMatchObject({ version: 2, by: "human" });
  }
});

test("an edit that cannot be stored is reported, and nobody tries again and again", async () => {
  let refused = 0;
  const world = await created(
    { coordinator: [{}, use("write_plan", { content: "p" })] },
    {
      files: (files) => ({
        ...files,
        async write(path, content, options) {
          if (path.includes("/blobs/")) {
            refused++;
            throw Object.assign(new Error("EACCES: permission denied"), { code: "EACCES" });
          }
          await files.write(path, content, options);
        },
      }),
    },
  );
  world.sim.disk.edit(`${root}/GOAL.md`, "my own words\n");
  await world.send("a1", hello);
  const { steps } = world.sim.time;
  await world.pass(100_000);
  expect(refused).toBeLessThan(10);
  expect(world.asked).toHaveLength(1);
  expect(world.sim.time.steps - steps).toBeLessThan(500);
  expect(world.state().agent).toMatchObject({
    status: "paused",
    reason: { message: expect.stringContaining("EACCES") },
  });
});

/** A document whose text is only in the store. */
async function stored(world: Awaited<ReturnType<typeof created>>, text: string): Promise<void> {
  world.sim.disk.edit(`${root}/blobs/${sha256(text)}`, text);
  const size = text.length;
  await world.send("a1", { type: "document.write", document: "notes.md", sha256: sha256(text), size });
}

test("a document is written as a file from its blob, each version, and again when its file was deleted", async () => {
  const world = await created();
  await stored(world, "one\n");
  await world.pass(1_000);
  expect(world.text(notes)).toBe("one\n");
  await stored(world, "two\n");
  await world.pass(1_000);
  expect(world.text(notes)).toBe("two\n");
  world.sim.disk.edit(notes, null);
  await world.restart();
  await world.pass(1_000);
  expect(world.text(notes)).toBe("two\n");
  expect(world.state().documents.get("notes.md")).toMatchObject({ version: 2 });
  await world.send("a1", { type: "document.remove", document: "notes.md" });
  await world.pass(1_000);
  expect(world.text(notes)).toBeNull();
});

test("an older version that a crash left on the disk is replaced; what a person wrote there is the next version", async () => {
  const world = await created();
  await stored(world, "one\n");
  await world.pass(1_000);
  world.sim.disk.edit(`${root}/blobs/${sha256("two\n")}`, "two\n");
  const given = { type: "document.write" as const, document: "notes.md", sha256: sha256("two\n"), size: 4 };
  void world.runtime().send("a1", given);
  expect(await world.dies("log.synced", 1, "kill")).toBe(true);
  expect(world.text(notes)).toBe("one\n");
  await world.restart("kill");
  await world.pass(1_000);
  expect(world.state().documents.get("notes.md")).toMatchObject({ version: 2, sha256: sha256("two\n") });
  expect(world.text(notes)).toBe("two\n");

  await world.pass(60_000);
  world.sim.disk.edit(notes, "one\n");
  await world.restart("kill");
  await world.pass(1_000);
  expect(world.state().documents.get("notes.md")).toMatchObject({ version: 3, by: "human", sha256: sha256("one\n") });
  expect(world.text(notes)).toBe("one\n");
});

test("however long the disk takes, versions that follow each other are never taken for edits by hand", async () => {
  for (let seed = 1; seed <= 12; seed++) {
    let nth = seed;
    /** Some calls that concern the document take longer than all others, another selection for each seed. */
    const late = async <T>(path: string, job: Promise<T>): Promise<T> => {
      const found = await job;
      if (path !== notes) return found;
      nth = (nth * 1_103_515_245 + 12_345) % 2 ** 31;
      if (nth % 3 === 0) await new Promise<void>((done) => void world.sim.time.after(5 + (nth % 40), done));
      return found;
    };
    const world: Awaited<ReturnType<typeof created>> = await created(
      { coordinator: Array.from({ length: 30 }, () => ({})) },
      {
        files: (files) => ({
          ...files,
          read: (path) => late(path, files.read(path)),
          stat: (path) => late(path, files.stat(path)),
          write: (path, ...rest) => late(path, files.write(path, ...rest)),
        }),
      },
    );
    for (let version = 1; version <= 8; version++) {
      await stored(world, `${"x".repeat(version)}\n`);
      // Every turn looks at the files, too.
      await world.send("a1", hello);
      await world.pass((seed * version) % 17);
    }
    await world.pass(60_000);
    expect((await world.edits()).filter(({ actor }) => actor === "human")).toEqual([]);
    expect(world.state().documents.get("notes.md")).toMatchObject({ version: 8 });
    expect(world.text(notes)).toBe("xxxxxxxx\n");
  }
});

test("what the human writes through us is recorded, also if our own first write of the file had failed", async () => {
  let full = true;
  const world = await created(
    {},
    {
      files: (files) => ({
        ...files,
        async write(path, ...rest) {
          if (full && path.endsWith("/SOUL.md")) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
          await files.write(path, ...rest);
        },
      }),
    },
  );
  expect(world.state().files.has("SOUL.md")).toBe(false);
  const { owned } = await world.settled(world.runtime().reading("a1"));
  await world.settled(owned.write({ of: "memory" }, "SOUL.md", "my own soul\n"));
  full = false;
  expect(await world.edits()).toMatchObject([
    { type: "file.edited", actor: "human", data: { path: "SOUL.md", sha256: sha256("my own soul\n") } },
  ]);
  await world.pass(60_000);
  expect(world.text(`${root}/SOUL.md`)).toBe("my own soul\n");
});

test("what the human writes through us is recorded, also if it is as long and as old as what was there", async () => {
  const coarse = (files: Files): Files => ({
    ...files,
    stat: async (path) => {
      const found = await files.stat(path);
      return found && { ...found, changed: 0 };
    },
  });
  const world = await created({}, { files: coarse });
  const { owned } = await world.settled(world.runtime().reading("a1"));
  const texts = ["one\n", "two\n", "six\n"];
  let replaces = sha256(world.text(`${root}/GOAL.md`)!);
  for (const text of texts) replaces = await world.settled(owned.write({ of: "memory" }, "GOAL.md", text, replaces));
  expect((await world.edits()).map(({ data }) => "sha256" in data && data.sha256)).toEqual(texts.map(sha256));
});

test("what the human writes through us is recorded, also if somebody writes over it at once", async () => {
  let armed = false;
  const world = await created(
    {},
    {
      files: (files) => ({
        ...files,
        within: (folder) => {
          const within = files.within(folder);
          return {
            ...within,
            async write(path, ...rest) {
              await within.write(path, ...rest);
              if (armed && path === "GOAL.md") world.sim.disk.edit(`${root}/GOAL.md`, "by hand\n");
            },
          };
        },
      }),
    },
  );
  const { owned } = await world.settled(world.runtime().reading("a1"));
  armed = true;
  await world.settled(owned.write({ of: "memory" }, "GOAL.md", "mine\n", sha256(world.text(`${root}/GOAL.md`)!)));
  const known = (await world.edits()).map(({ data }) => "sha256" in data && data.sha256);
  expect(known).toEqual(["mine\n", "by hand\n"].map(sha256));
  expect(world.text(`${root}/blobs/${sha256("mine\n")}`)).toBe("mine\n");
});

test("what the human writes through us is refused if somebody writes the file by hand while its last version is kept", async () => {
  let armed = false;
  const world = await created(
    {},
    {
      files: (files) => ({
        ...files,
        within: (folder) => {
          const within = files.within(folder);
          return {
            ...within,
            async read(path) {
              const found = await within.read(path);
              if (armed && path === "GOAL.md") world.sim.disk.edit(`${root}/GOAL.md`, "by hand\n");
              armed = false;
              return found;
            },
          };
        },
      }),
    },
  );
  const { owned } = await world.settled(world.runtime().reading("a1"));
  armed = true;
  const writing = owned.write({ of: "memory" }, "GOAL.md", "mine\n", sha256(world.text(`${root}/GOAL.md`)!));
  await expect(world.settled(writing)).rejects.toMatchObject({ code: "conflict" });
  expect(world.text(`${root}/GOAL.md`)).toBe("by hand\n");
});

test("a new document is refused if the next run starts while it is written, and is in neither run", async () => {
  let armed = true;
  const world = await created(
    {},
    {
      files: (files) => ({
        ...files,
        async write(path, ...rest) {
          await files.write(path, ...rest);
          if (!armed || !path.endsWith(`/blobs/${sha256("for the first run\n")}`)) return;
          armed = false;
          await world.runtime().send("a1", { type: "agent.stop" }, { actor: "human" });
          await world.runtime().send("a1", { type: "run.start", goal: "another" }, { actor: "human" });
        },
      }),
    },
  );
  const { owned } = await world.settled(world.runtime().reading("a1"));
  const writing = owned.write({ of: "workspace", run: "r1" }, "documents/plan.md", "for the first run\n");
  await expect(world.settled(writing)).rejects.toMatchObject({ code: "wrong_state" });
  expect(world.state().run?.id).toBe("r2");
  expect(world.state().documents.size).toBe(0);
  expect(world.text(`${root}/runs/r1/documents/plan.md`)).toBe(null);
  await world.settled(owned.write({ of: "workspace" }, "documents/plan.md", "for the second run\n"));
  expect(world.text(`${root}/runs/r2/documents/plan.md`)).toBe("for the second run\n");
});
