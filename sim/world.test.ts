import { expect, test } from "vitest";
import type { World } from "../src/lib/world.ts";
import { noFaults } from "./faults.ts";
import { createRandom } from "./random.ts";
import { drawSetup } from "./setup.ts";
import { createSimWorld, type SimWorld } from "./world.ts";

/** A small program: a log that acknowledges numbers. `syncFirst: false` is the bug that the simulation exists to find. */
async function serve(world: World, ack: (n: number) => void, syncFirst = true): Promise<void> {
  await world.files.makeDir("/home");
  const log = await world.files.open("/home/log");
  const lines = (await log.read(0, await log.size())).toString().split("\n");
  const torn = lines.pop() ?? "";
  await log.truncate((await log.size()) - torn.length);
  await log.sync();
  for (let n = lines.length; ; n++) {
    await log.append(Buffer.from(`${n} ${world.clock.now()} ${world.random.hex(2)}\n`));
    await world.point?.("appended");
    if (!syncFirst) ack(n);
    await log.sync();
    await world.point?.("synced");
    if (syncFirst) ack(n);
    if (n % 3 === 0) await world.files.write("/home/status", `${n}`, { durable: n % 2 === 0 });
    await new Promise<void>((resolve) => world.clock.after(world.random.next() * 20, resolve));
  }
}

/** Plays one seed with some crashes; says whether an acknowledged number was lost. */
async function play(world: SimWorld, syncFirst = true): Promise<{ lost: boolean; acked: number; end: string }> {
  let acked = 0;
  let lost = false;
  for (let boot = 0; boot < 4; boot++) {
    const process = world.incarnate();
    void serve(process, (n) => (acked = Math.max(acked, n + 1)), syncFirst);
    await world.time.run({ ms: world.random.int(400) });
    process.end();
    const lines = (world.disk.peek("/home/log")?.toString() ?? "").split("\n").slice(0, -1);
    if (lines.length < acked || lines.some((line, n) => !line.startsWith(`${n} `))) lost = true;
  }
  return { lost, acked, end: `${world.time.trace.value()} ${world.disk.fingerprint()} ${world.time.steps}` };
}

test("the same seed plays the same, to the last byte and microsecond", async () => {
  const ends = new Set<string>();
  for (let seed = 0; seed < 50; seed++) {
    const { world: drawn } = drawSetup(createRandom(seed));
    const config = { ...drawn, disk: { ...noFaults, slowSync: drawn.disk.slowSync } };
    const first = await play(createSimWorld({ seed, config }));
    expect(await play(createSimWorld({ seed, config }))).toEqual(first);
    ends.add(first.end);
  }
  expect(ends.size).toBe(50);
});

test("a program that takes time or chance past the seams has another trace each time", async () => {
  let calls = 0;
  const leak = async (world: SimWorld) => {
    const { files } = world.incarnate();
    void files.write("/leak", `${++calls}`);
    await world.time.run();
    return world.time.trace.value();
  };
  expect(await leak(createSimWorld({ seed: 1 }))).not.toBe(await leak(createSimWorld({ seed: 1 })));
});

test("acknowledging before the sync is found, acknowledging after it is not", async () => {
  let wrong = 0;
  for (let seed = 0; seed < 300; seed++) {
    const right = await play(createSimWorld({ seed }));
    expect(right.lost, `seed ${seed}`).toBe(false);
    expect(right.acked).toBeGreaterThanOrEqual(0);
    if ((await play(createSimWorld({ seed }), false)).lost) wrong += 1;
  }
  expect(wrong).toBeGreaterThan(30);
});

test("points are counted and some take a while", async () => {
  const world = createSimWorld({ seed: 1, config: { late: 0 } });
  const { point } = world.incarnate();
  const waits: number[] = [];
  void (async () => {
    for (let i = 0; i < 2000; i++) {
      const before = world.time.mono();
      await point("here");
      waits.push(world.time.mono() - before);
    }
  })();
  await world.time.run();
  expect(world.points.get("here")).toBe(2000);
  const slow = waits.filter((ms) => ms > 0);
  expect(Math.abs(slow.length - 400)).toBeLessThan(80);
  expect(Math.max(...slow)).toBeGreaterThan(1000);
  expect(Math.max(...slow)).toBeLessThanOrEqual(2000);
  expect(slow.filter((ms) => ms <= 5).length).toBeGreaterThan(slow.length / 2);
});

test("a process dies in the nth hit of a point: it gets no further, and the callback runs", async () => {
  const world = createSimWorld({ seed: 1 });
  const seen: string[] = [];
  const program = async (name: string, process: World) => {
    for (let i = 1; i <= 3; i++) {
      await process.point?.("turn");
      seen.push(`${name} ${i}`);
    }
  };
  world.crashAt("turn", 2, {
    how: "kill",
    crashed: (dead) => void program("second", world.incarnate()).then(() => seen.push(`after ${dead.number}`)),
  });
  const first = world.incarnate();
  void program("first", first);
  await world.time.run();
  expect(first.life.ended).toBe(true);
  expect(seen).toEqual(["first 1", "second 1", "second 2", "second 3", "after 1"]);
});

test("what runs on beside the point where the process died reaches nothing", async () => {
  const world = createSimWorld({ seed: 1, config: { buggify: 0 } });
  const process = world.incarnate();
  const answers: string[] = [];
  world.crashAt("here", 1, { how: "kill" });
  void process.point("here").then(() => answers.push("point"));
  void process.files.write("/late", "x").then(() => answers.push("write"));
  void process.point("there").then(() => answers.push("other point"));
  process.clock.after(1, () => answers.push("timer"));
  await world.time.run();
  expect(answers).toEqual([]);
  expect(world.disk.paths()).toEqual([]);
  expect(world.points.has("there")).toBe(false);
});

test("a power loss ends every process on the machine and none on another", async () => {
  const world = createSimWorld({ seed: 1 });
  const here = [world.incarnate(), world.incarnate()];
  const elsewhere = world.incarnate({ disk: world.addDisk(), skew: 5000 });
  expect(here[0]!.end("power")).toBe("power");
  expect(here.map((each) => each.life.ended)).toEqual([true, true]);
  expect(elsewhere.life.ended).toBe(false);
  expect(elsewhere.clock.now() - world.time.now()).toBe(5000);
});

test("in calm there are no faults, no delays and no late timers; in storm there are again", async () => {
  const disk = { enospc: 1, eio: 1, erofs: 0, slowSync: 1, ghost: 0, quota: 1000 };
  const world = createSimWorld({ seed: 1, config: { disk, buggify: 1, late: 1 } });
  const { files, point, clock } = world.incarnate();
  const faults: string[] = [];
  const work = async () => {
    await files.write("/f", "x").catch((error) => faults.push(error.code));
    const before = clock.mono();
    await point("here");
    if (clock.mono() > before) faults.push("delay");
  };
  world.calm();
  void work();
  await world.time.run();
  expect(faults).toEqual([]);
  world.storm();
  void work();
  await world.time.run();
  expect(faults).toEqual(["ENOSPC", "delay"]);
});
