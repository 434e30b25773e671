import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { z } from "zod";
import { noFaults } from "../../sim/faults.ts";
import { fold } from "../core/reduce.ts";
import { canonical, emptyState } from "../core/state.ts";
import type { Files } from "../lib/world.ts";
import type { Event } from "../schema/event.ts";
import { decode } from "../store/log-line.ts";
import { defineTool } from "../toolkit/tool.ts";
import { use } from "./model.test-help.ts";
import { start } from "./runtime.test-help.ts";

const hour = 3_600_000;
const log = "/home/agents/a1/events.jsonl";
const seeds = [1, 2, 3, 4, 5, 6, 7, 8];

const post = (text: string) => ({ type: "message.post" as const, text });

async function idle(options: Parameters<typeof start>[0] = {}) {
  const world = start({ play: {}, ...options });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  /** What is on the disk, as a reader finds it. */
  const onDisk = (): Event[] =>
    String(world.sim.disk.peek(log) ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line) => decode(Buffer.from(line)));
  /** Reads the stream into a list, in the background. */
  const follow = (after: number, signal?: AbortSignal) => {
    const got: Event[] = [];
    const reading = { got, ended: false, error: undefined as unknown };
    const read = async () => {
      for await (const events of world.runtime().follow("a1", after, signal)) got.push(...events);
    };
    read()
      .catch((error) => {
        reading.error = error;
      })
      .finally(() => {
        reading.ended = true;
      });
    return reading;
  };
  return { ...world, onDisk, follow };
}

const texts = (events: readonly Event[]): string[] =>
  events.flatMap((event) => (event.type === "message.posted" ? [event.data.text] : []));

/** Counts the syncs of the log. */
function counting() {
  const counts = { syncs: 0 };
  const files = (files: Files): Files => ({
    ...files,
    async open(path) {
      const file = await files.open(path);
      if (path !== log) return file;
      return {
        ...file,
        sync() {
          counts.syncs++;
          return file.sync();
        },
      };
    },
  });
  return { counts, files };
}

test("what send resolved for is there after the power went at that very moment", async () => {
  for (const seed of seeds) {
    const world = await idle({ seed });
    const receipt = await world.send("a1", post("hello"), { key: "k1" });
    await world.restart("power");
    expect(texts(world.onDisk())).toEqual(["hello"]);
    expect(world.onDisk()[receipt.seq - 1]).toMatchObject({ type: "message.posted", seq: receipt.seq });
    expect(await world.send("a1", post("hello"), { key: "k1" })).toEqual({ ...receipt, repeated: true });
    expect(texts(world.onDisk())).toEqual(["hello"]);
  }
});

test("a message whose acknowledgement was lost is there once after it was sent again, whenever the power went", async () => {
  let lost = 0;
  let kept = 0;
  for (const seed of seeds) {
    for (let steps = 0; steps < 8; steps++) {
      const world = await idle({ seed });
      let told = false;
      void world
        .runtime()
        .send("a1", post("hello"), { key: "k1" })
        .then(() => {
          told = true;
        });
      await world.sim.time.run({ steps });
      await world.restart("power");
      const before = texts(world.onDisk()).length;
      if (told) expect(before).toBe(1);
      if (before) kept++;
      else lost++;
      const again = await world.send("a1", post("hello"), { key: "k1" });
      expect(again.repeated).toBe(before === 1);
      await world.pass(1_000);
      expect(texts(world.onDisk())).toEqual(["hello"]);
      expect(world.state().channel).toHaveLength(1);
    }
  }
  expect(lost).toBeGreaterThan(5);
  expect(kept).toBeGreaterThan(5);
});

const pause = { type: "agent.pause" as const };

test.each([
  ["sent twice with one key", post("hello"), { key: "k1" }, "message.posted"],
  ["that changes nothing any more", pause, {}, "agent.paused"],
])("a command %s is acknowledged only when what it stands on is durable", async (_about, command, options, type) => {
  let told = 0;
  for (const seed of seeds) {
    for (let steps = 0; steps < 10; steps++) {
      const world = await idle({ seed });
      void world.runtime().send("a1", command, options);
      let acknowledged = false;
      void world
        .runtime()
        .send("a1", command, options)
        .then(() => {
          acknowledged = true;
        });
      await world.sim.time.run({ steps });
      await world.restart("power");
      if (!acknowledged) continue;
      told++;
      expect(world.onDisk().map((event) => event.type)).toContain(type);
    }
  }
  expect(told).toBeGreaterThan(5);
});

test("a message and the turn that it starts share one sync", async () => {
  const { counts, files } = counting();
  const world = await idle({ files });
  counts.syncs = 0;
  await world.send("a1", post("hello"));
  await world.until(() => world.asked.length === 2);
  expect(counts.syncs).toBe(1);
  expect(
    world
      .onDisk()
      .slice(-2)
      .map((event) => event.type),
  ).toEqual(["message.posted", "turn.started"]);
});

test("a hundred messages at once need a handful of syncs", async () => {
  const { counts, files } = counting();
  const world = await idle({ files });
  counts.syncs = 0;
  const sent = Array.from({ length: 100 }, (_, n) => world.runtime().send("a1", post(`${n}`)));
  const receipts = await world.settled(Promise.all(sent));
  expect(counts.syncs).toBeLessThanOrEqual(4);
  expect(new Set(receipts.map((receipt) => receipt.seq)).size).toBe(100);
  expect(texts(world.onDisk())).toEqual(Array.from({ length: 100 }, (_, n) => `${n}`));
});

test("a model is called only when the log durably says that the turn has started", async () => {
  for (const seed of seeds) {
    const world = await idle({ seed });
    void world.runtime().send("a1", post("hello"));
    await world.until(() => world.asked.length === 2);
    await world.restart("power");
    expect(world.onDisk()).toContainEqual(
      expect.objectContaining({ type: "turn.started", data: expect.objectContaining({ turn: "coordinator.2" }) }),
    );
  }
});

test("a tool that reaches outside is run only when the log durably says that it was started", async () => {
  for (const seed of seeds) {
    let ran = false;
    const poke = defineTool({
      name: "poke",
      about: "-",
      guidance: "-",
      effect: "outside",
      repeatable: false,
      input: z.object({}),
      async run() {
        ran = true;
        return "poked";
      },
    });
    const world = await idle({ seed, play: { coordinator: [{}, use("poke")] }, tools: [poke] });
    void world.runtime().send("a1", post("hello"));
    await world.until(() => ran);
    await world.restart("power");
    expect(world.onDisk().map((event) => event.type)).toContain("tool.started");
  }
});

test("read gives out only what no crash can take back", async () => {
  for (const seed of seeds) {
    for (let steps = 0; steps < 10; steps++) {
      const world = await idle({ seed });
      void world.runtime().send("a1", post("hello"));
      let seen: string[] | undefined;
      void world
        .runtime()
        .read("a1", (state) => state.channel.map((message) => message.text))
        .then((found) => {
          seen = found;
        });
      await world.sim.time.run({ steps });
      await world.restart("power");
      if (seen) expect(texts(world.onDisk())).toEqual(seen);
    }
  }
});

test("follow gives exactly the durable events after a seq, each once, in order", async () => {
  const world = await idle();
  const { length } = world.onDisk();
  const readers = [0, 1, length - 1, length].map((after) => ({ after, ...world.follow(after) }));
  for (let n = 0; n < 20; n++) {
    void world.runtime().send("a1", post(`${n}`));
    if (n % 3 === 0) await world.pass(3);
    if (n % 5 === 0) readers.push({ after: 2, ...world.follow(2) });
  }
  await world.pass(hour);
  const all = world.onDisk();
  for (const { after, got } of readers) expect(got).toEqual(all.slice(after));
});

test("follow never gives out what a crash can take back", async () => {
  for (const seed of seeds) {
    for (let steps = 0; steps < 12; steps++) {
      const world = await idle({ seed });
      const { got } = world.follow(0);
      void world.runtime().send("a1", post("hello"));
      await world.sim.time.run({ steps });
      const before = [...got];
      await world.restart("power");
      expect(
        world
          .onDisk()
          .slice(0, before.length)
          .map((event) => event.id),
      ).toEqual(before.map((event) => event.id));
    }
  }
});

test("a stream can be resumed by seq in the next life", async () => {
  const world = await idle();
  const { got } = world.follow(0);
  for (let n = 0; n < 10; n++) {
    await world.send("a1", post(`${n}`));
    if (n === 4) {
      await world.restart();
      const next = world.follow(got.at(-1)!.seq);
      await world.pass(1_000);
      got.push(...next.got);
    }
  }
  const rest = world.follow(got.at(-1)!.seq);
  await world.pass(1_000);
  got.push(...rest.got);
  expect(got.map((event) => event.seq)).toEqual(world.onDisk().map((event) => event.seq));
});

test("a stream ends with its signal, and with the runtime", async () => {
  const world = await idle();
  const stop = new AbortController();
  const first = world.follow(0, stop.signal);
  const second = world.follow(0);
  await world.pass(100);
  expect([first.ended, second.ended]).toEqual([false, false]);
  stop.abort();
  await world.pass(100);
  expect([first.ended, second.ended]).toEqual([true, false]);
  await world.settled(world.runtime().stop());
  await world.pass(100);
  expect(second).toMatchObject({ ended: true, error: undefined });
});

test("a long stream leaves nothing behind on its signal", async () => {
  const world = await idle();
  const stop = new AbortController();
  const stream = world.runtime().opened("a1")!.streams.follow(0, stop.signal);
  const read = async () => {
    for await (const _ of stream);
  };
  const done = read();
  for (let n = 0; n < 20; n++) await world.send("a1", post(`${n}`));
  await world.pass(100);
  expect(getEventListeners(stop.signal, "abort").length).toBeLessThan(3);
  stop.abort();
  await world.settled(done);
});

test("a full disk refuses without acknowledging; when there is room again, streams go on and nothing is missing", async () => {
  for (const seed of seeds) {
    const world = await idle({ seed });
    const stream = world.follow(0);
    await world.send("a1", post("before"));
    await world.pass(1_000);
    world.sim.disk.storm({ ...noFaults, quota: 0 });
    await expect(world.send("a1", post("refused"))).rejects.toMatchObject({ code: "storage_failed" });
    await expect(world.send("a1", post("refused too"))).rejects.toMatchObject({ code: "storage_failed" });
    expect(world.runtime().fault("a1")).toMatchObject({ code: "storage_failed" });
    await world.pass(100_000);
    expect(stream.ended).toBe(false);

    world.sim.disk.storm(noFaults);
    await world.pass(60_000);
    expect(world.runtime().fault("a1")).toBeUndefined();
    await world.send("a1", post("after"));
    await world.pass(1_000);
    expect(texts(world.onDisk())).toEqual(["before", "after"]);
    expect(stream).toMatchObject({ ended: false, error: undefined });
    expect(stream.got.map((event) => event.seq)).toEqual(world.onDisk().map((event) => event.seq));
  }
});

test("a stream that is opened at any moment of a failing disk neither breaks off nor misses anything", async () => {
  const world = await idle();
  await world.create({ name: "b1" });
  for (let n = 0; n < 30; n++) await world.send("a1", post(`${n}`));
  world.sim.disk.storm({ ...noFaults, quota: 0 });
  const streams = [world.follow(0)];
  void world
    .runtime()
    .send("a1", post("refused"))
    .catch(() => undefined);
  for (let n = 0; n < 100; n++) {
    await world.sim.time.run({ steps: 1 });
    streams.push(world.follow(0));
  }
  for (let n = 0; n < 40; n++) {
    await world.pass(500);
    streams.push(world.follow(n));
  }
  world.sim.disk.storm(noFaults);
  await world.pass(60_000);
  await world.send("a1", post("after"));
  await world.pass(1_000);
  const last = world.onDisk().at(-1)!.seq;
  for (const { got, error } of streams) {
    expect(error).toBeUndefined();
    expect(got.at(-1)?.seq).toBe(last);
    expect(got.map((event) => event.seq - got[0]!.seq)).toEqual(got.map((_, n) => n));
  }
});

test("a stream of one agent does not break off when another is opened while its own cannot be", async () => {
  /** What looking at a log does: wait so long, and then fail or not. */
  const trouble = new Map<string, { ms: number; fails: boolean }>();
  const files = (files: Files): Files => ({
    ...files,
    async stat(path) {
      const found = trouble.get(path);
      if (found) await world.sim.time.sleep(found.ms);
      if (found?.fails) throw Object.assign(new Error("EIO"), { code: "EIO" });
      return await files.stat(path);
    },
  });
  const world = await idle({ files });
  await world.create({ name: "b1" });
  const stream = world.follow(0);
  await world.pass(1_000);
  world.sim.disk.storm({ ...noFaults, quota: 0 });
  for (const agent of ["a1", "b1"]) await expect(world.send(agent, post("refused"))).rejects.toThrow();
  world.sim.disk.storm(noFaults);
  trouble.set(log, { ms: 5_000, fails: true });
  trouble.set("/home/agents/b1/events.jsonl", { ms: 2_000, fails: false });
  await world.until(() => world.runtime().opened("b1") !== undefined);
  expect(world.runtime().opened("a1")).toBeUndefined();
  await world.pass(20_000);
  trouble.clear();
  await world.pass(100_000);
  await world.send("a1", post("after"));
  await world.pass(1_000);
  expect(stream).toMatchObject({ ended: false, error: undefined });
  expect(stream.got.map((event) => event.seq)).toEqual(world.onDisk().map((event) => event.seq));
});

test("a snapshot changes nothing but the time to open, and a damaged one is as good as none", async () => {
  const world = await idle({ snapshotEvery: 3 });
  for (let n = 0; n < 10; n++) await world.send("a1", post(`${n}`));
  await world.pass(1_000);
  const snapshot = "/home/agents/a1/snapshot.json";
  expect(world.sim.disk.peek(snapshot)).not.toBeNull();
  const before = await world.settled(world.runtime().read("a1", (state) => structuredClone(state)));
  for (const spoil of [
    () => undefined,
    () => world.sim.disk.flip(snapshot),
    () => world.sim.disk.edit(snapshot, null),
  ]) {
    spoil();
    await world.restart();
    expect(await world.settled(world.runtime().read("a1", (state) => structuredClone(state)))).toEqual(before);
  }
});

test("an agent that is closed while a snapshot waits for the one before it has nothing to report", async () => {
  const gate = Promise.withResolvers<void>();
  let writes = 0;
  const world = await idle({
    snapshotEvery: 1,
    files: (files) => ({
      ...files,
      async write(path, ...given) {
        if (path.endsWith("/snapshot.json") && ++writes > 0) await gate.promise;
        await files.write(path, ...given);
      },
    }),
  });
  await world.send("a1", post("one"));
  await world.send("a1", post("two"));
  const stopping = world.runtime().stop();
  await world.pass(1_000);
  gate.resolve();
  await world.settled(stopping);
  await world.pass(1_000);
  expect({ writes, notices: world.notices }).toEqual({ writes: 1, notices: [] });
});

const badInput: [about: string, agent: string, command: unknown, code: string][] = [
  ["an unknown command", "a1", { type: "agent.explode" }, "unknown_command"],
  ["no command", "a1", null, "unknown_command"],
  ["a missing field", "a1", { type: "message.post" }, "invalid"],
  ["an oversize text", "a1", { type: "message.post", text: "x".repeat(1_000_001) }, "invalid"],
  ["an unknown name", "a1", { type: "message.post", to: "nobody", text: "x" }, "not_found"],
  ["the wrong state", "a1", { type: "run.start" }, "wrong_state"],
  ["an unknown agent", "nobody", { type: "message.post", text: "x" }, "not_found"],
  ["a path for an agent", "../a1", { type: "message.post", text: "x" }, "path_escapes"],
];

test.each(badInput)("%s is refused with a typed error and changes nothing", async (_about, agent, command, code) => {
  const world = await idle();
  const before = world.onDisk().length;
  await expect(world.send(agent, command as never)).rejects.toMatchObject({ name: "Problem", code });
  await world.pass(1_000);
  expect(world.onDisk()).toHaveLength(before);
  expect(world.runtime().agents()).toEqual(["a1"]);
});

test("a key that is used for another command is refused", async () => {
  const world = await idle();
  await world.send("a1", post("one"), { key: "k" });
  await expect(world.send("a1", post("two"), { key: "k" })).rejects.toMatchObject({ code: "key_reused" });
  expect(texts(world.onDisk())).toEqual(["one"]);
});

test("a tool of an agent that was closed by its disk and opened again touches no file any more", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const outcomes: string[] = [];
  const late = defineTool({
    name: "late",
    about: "-",
    guidance: "-",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    async run(_input, { write }) {
      await promise;
      const outcome = await write("late.md", "late").then(
        () => "written",
        (error) => String(error),
      );
      outcomes.push(outcome);
      return outcome;
    },
  });
  const world = await idle({ play: { coordinator: [use("late")] }, tools: [late] });
  world.sim.disk.storm({ ...noFaults, erofs: 1 });
  await expect(world.send("a1", post("refused"))).rejects.toMatchObject({ code: "storage_failed" });
  world.sim.disk.calm();
  await world.pass(60_000);
  expect(world.runtime().opened("a1")).toBeDefined();
  resolve();
  await world.pass(60_000);
  expect(outcomes).toEqual([expect.stringContaining("a1 was closed")]);
  expect(world.sim.disk.paths().filter((path) => path.endsWith("late.md"))).toEqual([]);
});

test("a key has no # in it, which separates it from what it was used for", async () => {
  const world = await idle();
  await expect(world.send("a1", post("one"), { key: "k#1" })).rejects.toMatchObject({ code: "invalid" });
  expect(texts(world.onDisk())).toEqual([]);
});

test("an agent in which a rule throws is closed, shows nothing that is not in its log, and is opened again from it", async () => {
  let bug = false;
  const limits = {
    get turns_alone(): number {
      if (bug) throw new TypeError("a rule with a bug");
      return 200;
    },
  };
  const world = await idle({ limits });
  const stream = world.follow(0);
  await world.send("a1", { type: "worker.spawn", name: "Ann", kind: "harnessed" });
  await world.send("a1", post("before"));
  bug = true;
  await expect(world.send("a1", post("lost"))).rejects.toThrow("a rule with a bug");
  await expect(world.settled(world.runtime().read("a1", ({ seq }) => seq))).rejects.toMatchObject({ code: "closed" });
  expect(world.runtime().fault("a1")).toMatchObject({ code: "closed" });
  bug = false;
  await world.until(() => world.runtime().opened("a1") !== undefined);
  expect(world.runtime().fault("a1")).toBeUndefined();
  await world.send("a1", post("after"));
  await world.pass(1_000);
  expect(texts(world.onDisk())).toEqual(["before", "after"]);
  expect(canonical(world.state())).toBe(canonical(fold(emptyState(), world.onDisk())));
  expect(stream.got.map(({ id, type }) => [id, type])).toEqual(world.onDisk().map(({ id, type }) => [id, type]));
});
