import { appendFile, readFile, writeFile } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import type { Files } from "../lib/world.ts";
import type { Event } from "../schema/event.ts";
import { createFaulty } from "./faulty.test-help.ts";
import { createFilesStore } from "./file-store.ts";
import { appendEach, logWith, ramLog, textOf } from "./log.test-help.ts";
import { encode, sumOf } from "./log-line.ts";
import { createRam } from "./ram.test-help.ts";
import { created, events, posted, problemOf, readAll } from "./sample.test-help.ts";
import { tempFolder, tempStore } from "./temp.test-help.ts";

describe("group commit", () => {
  async function counted(point?: (name: string) => Promise<void>) {
    const faulty = createFaulty(files);
    const store = tempStore({ home: await tempFolder(), files: faulty, point });
    const log = await store.open("ann", { fence: 1, create: true });
    await log.append([created()]);
    const since = { ...faulty.count };
    const work = () => ({ appends: faulty.count.append - since.append, syncs: faulty.count.sync - since.sync });
    return { log, work };
  }

  test("appends of one tick share one append and one sync", async () => {
    const { log, work } = await counted();
    await Promise.all(Array.from({ length: 500 }, (_, i) => log.append([posted(i + 2)])));
    expect(work()).toEqual({ appends: 1, syncs: 1 });
    expect((await readAll(log)).length).toBe(501);
  });

  test("nothing is written for no events, or for events that are not the next ones", async () => {
    const { log, work } = await counted();
    await log.append([]);
    for (const [list, seq, due] of [
      [[posted(3)], 3, 2],
      [[posted(2), posted(4)], 4, 3],
      [[posted(2), posted(2)], 2, 3],
    ] as const) {
      const problem = await problemOf(log.append([...list]));
      expect([problem.code, problem.details]).toEqual(["conflict", { seq, due }]);
    }
    expect(work()).toEqual({ appends: 0, syncs: 0 });
    await log.append([posted(2)]);
    expect(await readAll(log)).toEqual(events(1, 2));
  });

  test("what comes while a flush runs goes into the next one, all of it", async () => {
    const { promise: gate, resolve: go } = Promise.withResolvers<void>();
    const { promise: held, resolve: reached } = Promise.withResolvers<void>();
    let armed = false;
    const { log, work } = await counted(async (name) => {
      if (name !== "log.appended" || !armed) return;
      armed = false;
      reached();
      await gate;
    });
    armed = true;
    const order: number[] = [];
    const append = (seq: number) => log.append([posted(seq)]).then(() => order.push(seq));
    const all = [append(2)];
    await held;
    for (let seq = 3; seq <= 40; seq++) {
      all.push(append(seq));
      await null;
    }
    expect([log.seq, order]).toEqual([1, []]);
    go();
    await Promise.all(all);
    expect(work()).toEqual({ appends: 2, syncs: 2 });
    expect(order).toEqual(Array.from({ length: 39 }, (_, i) => i + 2));
  });

  test("whoever reads on from where a flush ended does not search for the place, however long the log", async () => {
    const faulty = createFaulty(files);
    const { open } = await logWith(textOf(events(1, 5_000)));
    const log = await open({ files: faulty });
    for (const seq of [5_001, 5_002, 5_003]) {
      await log.append([posted(seq)]);
      const reads = faulty.count.read;
      expect(await readAll(log, seq - 1)).toEqual([posted(seq)]);
      expect(faulty.count.read).toBe(reads + 1);
    }
    expect((await readAll(log, 4_000)).length).toBe(1_003);
  });

  test("nothing is durable, readable or resolved before the sync", async () => {
    const { promise: gate, resolve: go } = Promise.withResolvers<void>();
    const { promise: held, resolve: reached } = Promise.withResolvers<void>();
    let armed = false;
    const { log, work } = await counted(async (name) => {
      if (name !== "log.appended" || !armed) return;
      reached();
      await gate;
    });
    armed = true;
    let resolved = false;
    const done = log.append([posted(2)]).then(() => {
      resolved = true;
    });
    await held;
    expect([log.seq, resolved, work().syncs, (await readAll(log)).length]).toEqual([1, false, 0, 1]);
    go();
    await done;
    expect([log.seq, resolved, work().syncs, (await readAll(log)).length]).toEqual([2, true, 1, 2]);
  });

  test("what is synced counts as durable from that moment on", async () => {
    const seen: number[] = [];
    const store = createFilesStore({
      home: "/home",
      files: createRam(),
      point: async (name) => {
        if (name === "log.synced") seen.push(log.seq, (await readAll(log)).length);
      },
    });
    const log = await store.open("ann", { fence: 1, create: true });
    await log.append(events(1, 2));
    expect(seen).toEqual([2, 2]);
  });

  test("a new owner waits for the old one's last write, and sees how it ended", async () => {
    for (const fails of [false, true]) {
      const { promise: gate, resolve: go } = Promise.withResolvers<void>();
      const { promise: held, resolve: reached } = Promise.withResolvers<void>();
      let armed = false;
      const faulty = createFaulty(createRam());
      const point = async (name: string) => {
        if (name !== "log.appended" || !armed) return;
        armed = false;
        reached();
        await gate;
      };
      const store = createFilesStore({ home: "/home", files: faulty, point });
      const old = await store.open("ann", { fence: 1, create: true });
      await old.append([created()]);
      armed = true;
      const last = old.append([posted(2)]).then(
        () => true,
        () => false,
      );
      const refused = held.then(() => problemOf(old.append([posted(3)])));
      await held;
      if (fails) faulty.fail({ on: "sync", code: "EIO" });
      const opening = store.open("ann", { fence: 2 });
      for (let i = 0; i < 100; i++) await null;
      go();
      const heir = await opening;
      expect(await last).toBe(!fails);
      expect((await refused).code).toBe("fenced");
      expect(await readAll(heir)).toEqual(fails ? [created()] : events(1, 2));
      expect(heir.seq).toBe(fails ? 1 : 2);
    }
  });

  test("what waits when a new owner comes is refused as what comes after it, and not written", async () => {
    const ram = createRam();
    const { promise: gate, resolve: go } = Promise.withResolvers<void>();
    const { promise: held, resolve: reached } = Promise.withResolvers<void>();
    let armed = false;
    const slow: Files = {
      ...ram,
      async stat(path) {
        if (armed) {
          armed = false;
          reached();
          await gate;
        }
        return await ram.stat(path);
      },
    };
    const store = createFilesStore({ home: "/home", files: slow });
    const old = await store.open("ann", { fence: 1, create: true });
    await appendEach(old, events(1, 3));
    armed = true;
    const waiting = problemOf(old.append([posted(4)]));
    await held; // it looks at the file before it writes
    const opening = store.open("ann", { fence: 2 });
    expect((await waiting).code).toBe("fenced");
    go();
    const heir = await opening;
    expect((await problemOf(old.append([posted(5)]))).code).toBe("fenced");
    expect(await readAll(heir)).toEqual(events(1, 3));
    await heir.append([posted(4, "of the heir")]);
    expect(String(ram.content.get(ramLog))).toBe(textOf([...events(1, 3), posted(4, "of the heir")]));
  });

  test("the points lie around the sync, in this order", async () => {
    const names: string[] = [];
    const faulty = createFaulty(files);
    const point = async (name: string) => void names.push(`${name} after ${faulty.count.sync} syncs`);
    const log = await tempStore({ home: await tempFolder(), files: faulty, point }).open("ann", {
      fence: 1,
      create: true,
    });
    await log.append([created()]);
    expect(names).toEqual(["log.appended after 0 syncs", "log.synced after 1 syncs"]);
  });

  test("a death after the append or after the sync leaves whole events only, and all that were acknowledged", async () => {
    for (const where of ["log.appended", "log.synced"]) {
      const home = await tempFolder();
      const { promise: never, reject: end } = Promise.withResolvers<void>();
      const { promise: held, resolve: reached } = Promise.withResolvers<void>();
      let armed = false;
      const dying = tempStore({
        home,
        files,
        point: async (name) => {
          if (name !== where || !armed) return;
          reached();
          await never;
        },
      });
      const log = await dying.open("ann", { fence: 1, create: true });
      await log.append(events(1, 2));
      armed = true;
      const unanswered = problemOf(log.append(events(3, 4)));
      await held;
      const next = await tempStore({ home, files }).open("ann", { fence: 1 });
      const found = await readAll(next);
      expect(found).toEqual(events(1, found.length));
      expect(found.length).toBe(4);
      end(new Error("killed"));
      await unanswered;
    }
  });
});

describe("a sudden end", () => {
  test("of the process or the power, at any moment and over and over, loses nothing that was ever seen as durable", async () => {
    const life = fc.record({
      batches: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
      killed: fc.boolean(),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(life, { minLength: 2, maxLength: 6 }), async (lives) => {
        let ram = createRam();
        let durable: Event[] = [];
        for (const [n, { batches, killed, share }] of lives.entries()) {
          let dying = false;
          const point = async (name: string) => {
            if (dying && name === "log.appended") await new Promise(() => undefined);
          };
          const store = createFilesStore({ home: "/home", files: ram, point });
          const log = await store.open("ann", {
            fence: 1,
            create: durable.length === 0 && !ram.content.get(ramLog)?.length,
          });
          const found = await readAll(log);
          expect(found.length).toBe(log.seq);
          expect(found.slice(0, durable.length)).toEqual(durable);
          durable = found;
          const write = (count: number) => {
            const list = Array.from({ length: count }, (_, i) => posted(durable.length + 1 + i, `life ${n}`));
            return log.append(list).then(() => durable.push(...list));
          };
          for (const count of batches) await write(count);
          dying = true;
          void write(3); // on its way when the end comes
          const size = Buffer.byteLength(textOf(durable));
          while (ram.content.get(ramLog)!.length === size) await null;
          ram = killed ? ram.afterKill() : ram.afterPowerCut(share);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("a log that nobody has read", () => {
  test("is verified by its first append, and only by that one", async () => {
    const { home } = await logWith(textOf(events(1, 2_000)));
    const faulty = createFaulty(files);
    const log = await tempStore({ home, files: faulty }).open("ann", { fence: 1 });
    const opened = faulty.count.read;
    await log.append([posted(2_001)]);
    const verified = faulty.count.read;
    expect(verified).toBeGreaterThan(opened);
    await log.append([posted(2_002)]);
    expect(faulty.count.read).toBe(verified);
  });

  test("is not verified again by an append after it was read", async () => {
    const { home } = await logWith(textOf(events(1, 2_000)));
    const faulty = createFaulty(files);
    const log = await tempStore({ home, files: faulty }).open("ann", { fence: 1 });
    await readAll(log);
    const read = faulty.count.read;
    await log.append([posted(2_001)]);
    expect(faulty.count.read).toBe(read);
  });

  test("is closed in good order even if something waits", async () => {
    const { open } = await logWith(textOf(events(1, 3)));
    const log = await open();
    const waiting = log.append([posted(4)]);
    await log.close();
    await waiting;
  });

  test("is verified from a usable snapshot on: damage before that is not its business", async () => {
    const list = events(1, 100);
    const { home, path } = await logWith(textOf(list));
    const store = tempStore({ home, files });
    await store.open("ann", { fence: 1 });
    await store.saveSnapshot("ann", { seq: 90, sum: sumOf(list[89]!), format: "f1", state: 0 });
    const damaged = await readFile(path);
    damaged[Buffer.byteLength(textOf(list.slice(0, 50))) + 40]! ^= 1;
    await writeFile(path, damaged);
    const next = tempStore({ home, files });
    const log = await next.open("ann", { fence: 1 });
    expect((await next.snapshot("ann"))?.seq).toBe(90);
    expect((await readAll(log, 90)).length).toBe(10);
    await log.append([posted(101)]);
    expect((await problemOf(readAll(log))).code).toBe("log_corrupt");
  });
});

test("a log that was closed is let go: no snapshot is taken of it until it is open again", async () => {
  const { home } = await logWith(textOf(events(1, 3)));
  const store = tempStore({ home, files });
  const snapshot = { seq: 3, sum: sumOf(posted(3)), format: "f1", state: 0 };
  await (await store.open("ann", { fence: 1 })).close();
  expect((await problemOf(store.saveSnapshot("ann", snapshot))).code).toBe("wrong_state");
  await store.open("ann", { fence: 2 });
  await store.saveSnapshot("ann", snapshot);
});

test("what this process made durable is not synced again when it opens the log again; what another left is", async () => {
  const { home, path } = await logWith(textOf(events(1, 2)));
  const faulty = createFaulty(files);
  const store = tempStore({ home, files: faulty });
  const syncs = async (fence: number) => {
    const before = faulty.count.sync;
    await (await store.open("ann", { fence })).close();
    return faulty.count.sync - before;
  };
  expect([await syncs(1), await syncs(2)]).toEqual([1, 0]);
  await appendFile(path, encode(posted(3)));
  expect([await syncs(3), await syncs(4)]).toEqual([1, 0]);
});

test("what came behind the log between two openings of one store is read if it is whole, and cut off if it is torn", async () => {
  const { home, path, content } = await logWith(textOf(events(1, 2)));
  const store = tempStore({ home, files });
  let fence = 0;
  const open = () => store.open("ann", { fence: ++fence });
  const log = await open();
  await log.append([posted(3)]);
  await log.close();
  await appendFile(path, encode(posted(4)));
  const again = await open();
  expect([again.seq, again.repaired]).toEqual([4, null]);
  expect(await readAll(again)).toEqual(events(1, 4));
  await again.close();
  await appendFile(path, encode(posted(5)).slice(0, 30));
  const third = await open();
  expect([third.seq, third.repaired?.bytes]).toEqual([4, 30]);
  await third.append([posted(5)]);
  expect(String(await content())).toBe(textOf(events(1, 5)));
});
