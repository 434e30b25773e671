import { appendFile, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import type { Files } from "../lib/world.ts";
import type { Event } from "../schema/event.ts";
import { createFaulty } from "./faulty.test-help.ts";
import { createFilesStore, type FilesStoreOptions } from "./file-store.ts";
import { encode, sumOf } from "./log-line.ts";
import { createRam, type RamFiles } from "./ram.test-help.ts";
import { created, events, posted, problemOf, readAll } from "./sample.test-help.ts";
import { tempFolder, tempStore } from "./temp.test-help.ts";

// Thousands of cases: a busy machine needs its time.

const textOf = (list: Event[]) => list.map(encode).join("");

/** A home in which ann's log has this content; `open` is what the next process would do. */
async function logWith(content: string | Uint8Array) {
  const home = await tempFolder();
  const path = join(home, "agents", "ann", "events.jsonl");
  await files.makeDir(dirname(path));
  await writeFile(path, content);
  const open = async (options: Partial<FilesStoreOptions> = {}) =>
    await tempStore({ home, files, ...options }).open("ann", { fence: 1 });
  return { home, path, open, content: () => readFile(path) };
}

const ramLog = "/home/agents/ann/events.jsonl";
const openRam = (ram: RamFiles, options: { create?: boolean } = {}) =>
  createFilesStore({ home: "/home", files: ram }).open("ann", { fence: 1, ...options });

describe("a torn tail", () => {
  test("is cut off at every byte of the last record, kept beside the log, and the next append is whole", async () => {
    const whole = textOf(events(1, 3));
    const last = Buffer.from(encode(posted(4, "with ümlaut")));
    for (let length = 1; length < last.length; length++) {
      const torn = last.subarray(0, length);
      const ram = createRam([[ramLog, Buffer.concat([Buffer.from(whole), torn])]]);
      const log = await openRam(ram);
      const keptAs = "/home/agents/ann/events.torn-1.bin";
      expect([log.seq, log.repaired]).toEqual([3, { bytes: length, keptAs }]);
      expect(ram.content.get(keptAs)?.equals(torn)).toBe(true);
      expect(String(ram.content.get(ramLog))).toBe(whole);
      await log.append([posted(4)]);
      expect(String(ram.content.get(ramLog))).toBe(whole + encode(posted(4)));
      expect(await readAll(await openRam(ram))).toEqual(events(1, 4));
    }
  });

  test("of a group of records keeps the whole ones, wherever the group was cut", async () => {
    const lines = events(1, 4).map((event) => Buffer.from(encode(event)));
    const ends = lines.map((_, i) => lines.slice(0, i + 1).reduce((sum, { length }) => sum + length, 0));
    const all = Buffer.concat(lines);
    for (let length = 0; length <= all.length; length++) {
      const ram = createRam([[ramLog, all.subarray(0, length)]]);
      const count = ends.filter((end) => end <= length).length;
      const log = length > 0 ? await openRam(ram) : await openRam(ram, { create: true });
      expect(log.seq).toBe(count);
      expect(await readAll(log)).toEqual(events(1, count));
      await log.append(events(count + 1, count + 1));
      expect(await readAll(log)).toEqual(events(1, count + 1));
    }
  });

  test("is cut off on a real disk too, each time kept under a new name", async () => {
    const { path, open, content } = await logWith(textOf(events(1, 3)));
    for (const n of [1, 2, 3]) {
      await appendFile(path, encode(posted(4)).slice(0, n * 20));
      const log = await open();
      const keptAs = join(dirname(path), `events.torn-${n}.bin`);
      expect([log.seq, log.repaired]).toEqual([3, { bytes: n * 20, keptAs }]);
      expect(String(await readFile(keptAs))).toBe(encode(posted(4)).slice(0, n * 20));
      expect(String(await content())).toBe(textOf(events(1, 3)));
    }
  });

  test("may be the only line: then the log is empty", async () => {
    const { open, content } = await logWith(encode(created()).slice(0, 50));
    const log = await open();
    expect(log.seq).toBe(0);
    expect(log.repaired?.bytes).toBe(50);
    await log.append([created()]);
    expect(String(await content())).toBe(encode(created()));
  });

  test("may be zeros, or a page of zeros behind a record", async () => {
    const whole = textOf(events(1, 2));
    for (const tail of ["\0".repeat(5_000), encode(posted(3)).trimEnd() + "\0".repeat(100), "\n", "{}\n"]) {
      const { open } = await logWith(whole + tail);
      const log = await open();
      expect([log.seq, log.repaired?.bytes]).toEqual([2, tail.length]);
      expect(await readAll(log)).toEqual(events(1, 2));
    }
  });

  test("may be longer than what is read at once", async () => {
    const long = posted(3, "long ".repeat(100_000));
    const { open } = await logWith(textOf(events(1, 2)) + encode(long).slice(0, -2));
    const log = await open();
    expect(log.seq).toBe(2);
    await log.append([long]);
    expect(await readAll(log, 2)).toEqual([long]);
  });

  test("is not cut off when it cannot be kept aside", async () => {
    const torn = textOf(events(1, 2)).slice(0, -5);
    const { open, content } = await logWith(torn);
    const faulty = createFaulty(files);
    faulty.fail({ on: "write", code: "ENOSPC" });
    const problem = await problemOf(open({ files: faulty }));
    expect([problem.code, problem.details?.errno]).toEqual(["storage_failed", "ENOSPC"]);
    expect(String(await content())).toBe(torn);
    faulty.heal();
    expect((await open({ files: faulty })).seq).toBe(1);
  });

  test("is cut off again when the first repair died half-way", async () => {
    const { path, open } = await logWith(textOf(events(1, 2)).slice(0, -5));
    const faulty = createFaulty(files);
    faulty.fail({ on: "truncate", code: "EIO" });
    await problemOf(open({ files: faulty }));
    const healthy = createFaulty(files);
    const log = await open({ files: healthy });
    expect(healthy.count.sync).toBe(1);
    expect(log.repaired?.keptAs).toBe(join(dirname(path), "events.torn-2.bin"));
    expect(await readAll(log)).toEqual(events(1, 1));
  });
});

describe("damage", () => {
  test("of any bit is never overlooked: before the last line it is named and nothing changes, in the last line it is cut off", async () => {
    const resumed = (seq: number): Event => ({ ...created(), seq, id: `e${seq}`, type: "agent.resumed", data: {} });
    const list = [created(), resumed(2), { ...resumed(3), actor: "J*" }, { ...resumed(4), actor: "J*" }];
    const lines = list.map((event) => Buffer.from(encode(event)));
    const starts = lines.map((_, i) => lines.slice(0, i).reduce((sum, { length }) => sum + length, 0));
    const all = Buffer.concat(lines);
    const lastStart = starts[3]!;

    const path = ramLog;
    for (let bit = 0; bit < all.length * 8; bit++) {
      const damaged = Buffer.from(all);
      const at = bit >> 3;
      damaged[at]! ^= 1 << (bit & 7);
      const ram = createRam([[path, damaged]]);
      const open = () => openRam(ram);
      // A newline made inside the last line leaves two bad lines: that is no torn tail.
      if (at >= lastStart && !(damaged[at] === 0x0a && at < all.length - 1)) {
        const log = await open();
        expect([log.seq, log.repaired?.bytes]).toEqual([3, all.length - lastStart]);
        expect(await readAll(log)).toEqual(list.slice(0, 3));
        continue;
      }
      const offset = starts.findLast((start) => start <= at);
      const problem = await problemOf(open().then(readAll));
      expect([bit, problem.code, problem.details]).toEqual([bit, "log_corrupt", { path, offset }]);
      expect(problem.message).toContain(`${path} is damaged at byte ${offset}`);
      const refused = await problemOf(open().then((log) => log.append([resumed(log.seq + 1)])));
      expect([refused.code, refused.details?.offset]).toEqual(["log_corrupt", offset]);
      expect([...ram.content.keys()]).toEqual([path]);
      expect(ram.content.get(path)?.equals(damaged)).toBe(true);
    }
  });

  test("that cuts a line out, doubles one or swaps two is found by the seq", async () => {
    const lines = events(1, 5).map(encode);
    const [a, b, c, d, e] = lines as [string, string, string, string, string];
    for (const damaged of [
      [a, b, d, e],
      [a, b, b, c, d, e],
      [a, c, b, d, e],
      [a, b, c, d, c],
    ]) {
      const { open, content } = await logWith(damaged.join(""));
      const problem = await problemOf(open().then(readAll));
      expect(problem.code).toBe("log_corrupt");
      expect(problem.message).toContain("where");
      expect(String(await content())).toBe(damaged.join(""));
    }
  });

  test("in the middle of a long log is found by whoever reads from before it, and by the first append", async () => {
    const list = events(1, 30_000);
    const content = Buffer.from(textOf(list));
    const offset = Buffer.byteLength(textOf(list.slice(0, 15_000)));
    content[offset + 40]! ^= 1;
    const { open } = await logWith(content);
    const log = await open();
    expect(log.seq).toBe(30_000);
    expect((await readAll(log, 20_000)).length).toBe(10_000);
    const problem = await problemOf(readAll(log, 10));
    expect([problem.code, problem.details?.offset]).toEqual(["log_corrupt", offset]);
    const refused = await problemOf(log.append([posted(30_001)]));
    expect([refused.code, refused.details?.offset]).toEqual(["log_corrupt", offset]);
    expect((await problemOf(log.append([posted(30_001)]))).code).toBe("closed");
  });

  test("that leads the search for a seq astray is named where it is", async () => {
    const list = events(1, 3_000);
    const content = Buffer.from(textOf(list));
    for (let line = 0; line < 3_000; line += 50) {
      const damaged = Buffer.from(content);
      const at = Buffer.byteLength(textOf(list.slice(0, line)));
      damaged[at + 7] = 0x39; // the first digit of its seq becomes a 9
      const outcome = await openRam(createRam([[ramLog, damaged]]))
        .then((log) => readAll(log, 1_500))
        .then(
          (read) => read.length,
          (problem) => problem.details.offset,
        );
      expect(line >= 1_500 ? [at] : [1_500, at]).toContain(outcome);
    }
  });

  test("of the way to a seq does not hide where the damage begins", async () => {
    const lines = events(1, 3_000).map(encode);
    const damaged = lines.map((line, i) =>
      i === 100 || (i >= 500 && i < 1_400) ? line.replace('{"seq":', '{"seq":9') : line,
    );
    const log = await openRam(createRam([[ramLog, Buffer.from(damaged.join(""))]]));
    const problem = await problemOf(readAll(log, 1_000));
    expect(problem.details?.offset).toBe(Buffer.byteLength(lines.slice(0, 100).join("")));
  });

  test("of the first line is noticed at opening, before anything is repaired", async () => {
    const content = Buffer.from(textOf(events(1, 5)).slice(0, -10));
    content[20]! ^= 1;
    const ram = createRam([[ramLog, content]]);
    const problem = await problemOf(openRam(ram));
    expect([problem.code, problem.details?.offset]).toEqual(["log_corrupt", 0]);
    expect(ram.content.get(ramLog)?.equals(content)).toBe(true);
  });

  test("since the log was last open is found, whatever was verified then", async () => {
    const ram = createRam();
    const store = createFilesStore({ home: "/home", files: ram });
    const first = await store.open("ann", { fence: 1, create: true });
    await first.append(events(1, 100));
    await store.saveSnapshot("ann", { seq: 90, sum: sumOf(posted(90)), format: "f1", state: 0 });
    const offset = Buffer.byteLength(textOf(events(1, 50)));
    ram.content.get(ramLog)![offset + 40]! ^= 1;
    const log = await store.open("ann", { fence: 2 });
    const problem = await problemOf(log.append([posted(101)]));
    expect([problem.code, problem.details?.offset]).toEqual(["log_corrupt", offset]);
  });

  test("of a log that was cut while this process had it open is not taken for the truth", async () => {
    const { home, path } = await logWith(textOf(events(1, 3)));
    const store = tempStore({ home, files });
    const log = await store.open("ann", { fence: 1 });
    await log.append([posted(4)]);
    await truncate(path, Buffer.byteLength(textOf(events(1, 3))));
    const problem = await problemOf(log.append([posted(5)]));
    expect(problem.code).toBe("storage_failed");
    expect(problem.message).toContain("changed by another program");
    const reopened = await problemOf(store.open("ann", { fence: 2 }));
    expect(reopened.code).toBe("log_corrupt");
    expect(reopened.message).toContain("acknowledged");
  });

  test("of the last line is no torn tail if this process acknowledged it", async () => {
    const { home, path, content } = await logWith(textOf(events(1, 3)));
    const store = tempStore({ home, files });
    const log = await store.open("ann", { fence: 1 });
    await log.append([posted(4)]);
    const damaged = await content();
    damaged[damaged.length - 30]! ^= 1;
    await writeFile(path, damaged);
    const problem = await problemOf(store.open("ann", { fence: 2 }));
    expect([problem.code, problem.details?.offset]).toEqual(["log_corrupt", Buffer.byteLength(textOf(events(1, 3)))]);
    expect((await content()).equals(damaged)).toBe(true);
  });

  test("by deleting the file, or by another writer, is noticed before anything is acknowledged", async () => {
    for (const harm of [(path: string) => rm(path), (path: string) => appendFile(path, encode(posted(4)))]) {
      for (const handles of [undefined, 1]) {
        const { home, path } = await logWith(textOf(events(1, 3)));
        const store = tempStore({ home, files, handles });
        const log = await store.open("ann", { fence: 1 });
        await readAll(log);
        if (handles === 1) await store.open("ben", { fence: 1, create: true });
        await harm(path);
        const left = await files.read(path);
        const problem = await problemOf(log.append([posted(4)]));
        expect(problem.code).toBe("storage_failed");
        expect(problem.message).toMatch(/changed by another program: it (is gone|has \d+ bytes)/);
        expect(problem.details).toEqual({ path, size: left?.length ?? null, expected: textOf(events(1, 3)).length });
        expect(await files.read(path)).toEqual(left);
      }
    }
  });
});

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
    await old.append(events(1, 3));
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

describe("a failing disk", () => {
  async function failing() {
    const home = await tempFolder();
    const path = join(home, "agents", "ann", "events.jsonl");
    const faulty = createFaulty(files);
    const store = tempStore({ home, files: faulty });
    const log = await store.open("ann", { fence: 1, create: true });
    await log.append(events(1, 3));
    return { home, path, faulty, store, log, content: async () => String(await readFile(path)) };
  }
  const durable = textOf(events(1, 3));

  test("that is full in the middle of a write acknowledges nothing, keeps nothing half, and goes on when there is space", async () => {
    const length = Buffer.byteLength(encode(posted(4)));
    for (let bytes = 0; bytes <= length; bytes += 13) {
      const { path, faulty, store, log, content } = await failing();
      faulty.fail({ on: "append", code: "ENOSPC", bytes });
      const problem = await problemOf(log.append([posted(4)]));
      expect([problem.code, problem.details]).toEqual(["storage_failed", { path, errno: "ENOSPC" }]);
      expect(problem.message).toBe(`could not append to ${path}: ENOSPC; the disk is full: free some space`);
      expect((problem.cause as { code: string }).code).toBe("ENOSPC");
      expect(log.seq).toBe(3);
      expect(await content()).toBe(durable);
      expect((await problemOf(log.append([posted(4)]))).code).toBe("closed");
      expect((await problemOf(readAll(log))).code).toBe("closed");

      const healed = await store.open("ann", { fence: 2 });
      expect([healed.seq, healed.repaired]).toEqual([3, null]);
      await healed.append([posted(4)]);
      expect(await content()).toBe(textOf(events(1, 4)));
      expect(await readAll(healed)).toEqual(events(1, 4));
    }
  });

  test.each(["EIO", "EROFS", "EDQUOT", "EACCES", "ENOENT", "EWHATEVER"])(
    "that says %s to an append is named with what to do",
    async (code) => {
      const { path, faulty, log, content } = await failing();
      faulty.fail({ on: "append", code });
      const problem = await problemOf(log.append([posted(4)]));
      expect(problem.message).toMatch(new RegExp(`^could not append to ${path}: ${code}; .{10,}`));
      expect(await content()).toBe(durable);
    },
  );

  test("whose sync fails is never asked to sync that again, and what it wrote is not acknowledged and cut off", async () => {
    const { faulty, store, log, content } = await failing();
    const before = faulty.count.sync;
    faulty.fail({ on: "sync", code: "EIO" });
    const outcomes = await Promise.allSettled([log.append([posted(4)]), log.append([posted(5)])]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(faulty.count.sync).toBe(before + 1);
    expect([log.seq, await content()]).toEqual([3, durable]);
    expect((await problemOf(log.append([posted(6)]))).code).toBe("closed");
    await log.close();
    expect(faulty.count.sync).toBe(before + 1);
    const healed = await store.open("ann", { fence: 2 });
    await healed.append([posted(4, "another one")]);
    expect(await readAll(healed, 3)).toEqual([posted(4, "another one")]);
  });

  test("rejects what waited behind the failed write too, and writes none of it", async () => {
    const { faulty, log, content } = await failing();
    faulty.fail({ on: "append", code: "ENOSPC", bytes: 10 });
    const first = problemOf(log.append([posted(4)]));
    await null;
    await null;
    const later = [problemOf(log.append([posted(5)])), problemOf(log.append([posted(6)]))];
    for (const problem of await Promise.all([first, ...later])) expect(problem.code).toBe("storage_failed");
    expect(await content()).toBe(durable);
  });

  test("that was cut back keeps what another writes behind it", async () => {
    const { path, faulty, store, log } = await failing();
    faulty.fail({ on: "append", code: "EIO", bytes: 20 });
    await problemOf(log.append([posted(4)]));
    await appendFile(path, encode(posted(4)));
    expect(await readAll(await store.open("ann", { fence: 2 }))).toEqual(events(1, 4));
  });

  test("refuses what comes while it is cut back, with what is wrong", async () => {
    const ram = createRam();
    const faulty = createFaulty(ram);
    const { promise: gate, resolve: go } = Promise.withResolvers<void>();
    const { promise: held, resolve: reached } = Promise.withResolvers<void>();
    const slow: Files = {
      ...faulty,
      async open(path) {
        const file = await faulty.open(path);
        return {
          ...file,
          async truncate(size) {
            reached();
            await gate;
            await file.truncate(size);
          },
        };
      },
    };
    const log = await createFilesStore({ home: "/home", files: slow }).open("ann", { fence: 1, create: true });
    await log.append(events(1, 3));
    faulty.fail({ on: "append", code: "EIO", bytes: 20 });
    const failed = problemOf(log.append([posted(4)]));
    await held;
    const late = problemOf(log.append([posted(5)]));
    go();
    for (const problem of [await failed, await late]) expect(problem.details).toEqual({ path: ramLog, errno: "EIO" });
    expect(String(ram.content.get(ramLog))).toBe(durable);
  });

  test("that does not even let us cut back is cut back by the next opening, before it reads", async () => {
    for (const fault of [{ on: "append", bytes: 60 } as const, { on: "sync" } as const]) {
      const { path, faulty, store, log, content } = await failing();
      faulty.fail({ ...fault, code: "EIO" });
      faulty.fail({ on: "truncate", code: "EIO", lasting: true });
      await problemOf(log.append([posted(4, "never acknowledged")]));
      expect(faulty.handles.now).toBe(0);
      expect(await content()).not.toBe(durable);

      const still = await problemOf(store.open("ann", { fence: 2 }));
      expect([still.code, still.details?.errno]).toEqual(["storage_failed", "EIO"]);
      faulty.heal();
      const syncs = faulty.count.sync;
      const healed = await store.open("ann", { fence: 2 });
      expect([healed.seq, healed.repaired, await content()]).toEqual([3, null, durable]);
      expect(faulty.count.sync).toBe(syncs + 1);
      await healed.append([posted(4)]);
      expect(await readAll(healed)).toEqual(events(1, 4));
      // What comes behind a log that was mended is not what the failed write left.
      await healed.close();
      await appendFile(path, encode(posted(5)));
      expect(await readAll(await store.open("ann", { fence: 3 }))).toEqual(events(1, 5));
    }
  });

  test("that fails over and over loses nothing that was acknowledged and keeps nothing that was not", async () => {
    const { faulty, store, content, log: first } = await failing();
    let log = first;
    const acknowledged = events(1, 3);
    for (let round = 0; round < 60; round++) {
      const on = (["append", "sync", "append"] as const)[round % 3]!;
      faulty.fail({ on, code: "EIO", nth: 1 + (round % 2), bytes: round * 5 });
      if (round % 4 === 0) faulty.fail({ on: "truncate", code: "EIO" });
      for (let i = 0; i < 2; i++) {
        const event = posted(acknowledged.length + 1, `round ${round}, ${i}`);
        await log.append([event]).then(
          () => acknowledged.push(event),
          () => undefined,
        );
      }
      faulty.heal();
      log = await store.open("ann", { fence: round + 2 });
      expect(await readAll(log)).toEqual(acknowledged);
    }
    expect(await content()).toBe(textOf(acknowledged));
    expect(acknowledged.length).toBeGreaterThan(30);
  });

  test("that has no handle to spare says so and is left as it was", async () => {
    const { home, path, faulty } = await failing();
    faulty.fail({ on: "open", code: "EMFILE" });
    const problem = await problemOf(tempStore({ home, files: faulty }).open("ann", { fence: 1 }));
    expect(problem.message).toContain(`could not open ${path}: EMFILE; too many files are open: raise the limit`);
  });

  test("that cannot be read says so; reading again works when it heals", async () => {
    const { path, faulty, log } = await failing();
    for (const after of [0, 1]) {
      faulty.heal();
      faulty.fail({ on: "read", code: "EIO" });
      const problem = await problemOf(readAll(log, after));
      expect([problem.code, problem.details?.errno]).toEqual(["storage_failed", "EIO"]);
      expect(problem.message).toContain(`could not read ${path}: EIO`);
    }
    expect(await readAll(log)).toEqual(events(1, 3));
    await log.append([posted(4)]);
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
