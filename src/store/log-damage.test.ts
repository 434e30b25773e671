import { appendFile, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { files } from "../lib/machine/files.ts";
import type { Event } from "../schema/event.ts";
import { createFaulty } from "./faulty.test-help.ts";
import { createFilesStore } from "./file-store.ts";
import { appendEach, logWith, openRam, ramLog, textOf } from "./log.test-help.ts";
import { encode, encodeTogether, sumOf } from "./log-line.ts";
import { createRam } from "./ram.test-help.ts";
import { created, events, posted, problemOf, readAll } from "./sample.test-help.ts";
import { tempStore } from "./temp.test-help.ts";

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

  test("of events that were appended together keeps all or none, wherever it was cut", async () => {
    const before = Buffer.from(textOf(events(1, 2)));
    const together = Buffer.from(encodeTogether(events(3, 6)).join(""));
    for (let length = 0; length <= together.length; length++) {
      const ram = createRam([[ramLog, Buffer.concat([before, together.subarray(0, length)])]]);
      const log = await openRam(ram);
      const count = length === together.length ? 6 : 2;
      expect([log.seq, log.repaired?.bytes ?? 0]).toEqual([count, count === 2 ? length : 0]);
      expect(await readAll(log)).toEqual(events(1, count));
      await log.append(events(count + 1, count + 2));
      expect(await readAll(await openRam(ram))).toEqual(events(1, count + 2));
    }
  });

  test("of the very first append leaves an empty log", async () => {
    const [first, second] = encodeTogether(events(1, 2));
    for (const content of [first!, first! + second!.slice(0, 40)]) {
      const log = await openRam(createRam([[ramLog, Buffer.from(content)]]), { create: true });
      expect([log.seq, log.repaired?.bytes]).toEqual([0, Buffer.byteLength(content)]);
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
    await appendEach(first, events(1, 100));
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
