import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../schema/event.ts";
import { encode } from "./log-line.ts";
import { created, posted, problemOf } from "./sample.test-help.ts";
import { eventOf, find, lineBefore, lineFrom, type Source, scan } from "./scan.ts";

/** A file in memory with a line for each event, where each begins, and every read that was asked for. */
function fileOf(list: readonly Event[]) {
  const lines = list.map((event) => Buffer.from(encode(event)));
  const bytes = Buffer.concat(lines);
  const starts = lines.map((_, at) => lines.slice(0, at).reduce((sum, { length }) => sum + length, 0));
  return { ...sourceOf(bytes), lines, starts, bytes, end: bytes.length };
}

function sourceOf(bytes: Buffer): { source: Source; reads: [offset: number, length: number][] } {
  const reads: [number, number][] = [];
  const read = async (offset: number, length: number) => {
    if (!(length > 0)) throw new Error(`a read of ${length} bytes`);
    reads.push([offset, length]);
    return bytes.subarray(offset, offset + length);
  };
  return { source: { path: "log", read }, reads };
}

const eventsOf = (lengths: readonly number[]): Event[] => [
  created(),
  ...lengths.map((length, at) => posted(at + 2, "x".repeat(length))),
];

async function all(source: Source, from: { offset: number; seq: number; end: number }): Promise<Event[][]> {
  const found: Event[][] = [];
  for await (const events of scan(source, from)) found.push(events);
  return found;
}

/* Shorter and longer than what is read at once when looking for a line (16 KiB), and than the distance from which lines are walked (4 KiB). */
const length = fc.oneof(
  fc.nat(50),
  fc.integer({ min: 3_000, max: 5_000 }),
  fc.integer({ min: 15_000, max: 18_000 }),
  fc.integer({ min: 30_000, max: 70_000 }),
);

test("every line is found by its seq, from its beginning and from its end, however long the lines are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(length, { minLength: 1, maxLength: 40 }), async (lengths) => {
      const { source, lines, starts, end } = fileOf(eventsOf(lengths));
      for (const [at, bytes] of lines.entries()) {
        const line = { start: starts[at]!, end: starts[at]! + bytes.length, bytes };
        for (const found of [
          await find(source, at + 1, end),
          await lineFrom(source, line.start, end),
          await lineBefore(source, line.end),
        ])
          expect([found.start, found.end, found.bytes.equals(bytes)]).toEqual([line.start, line.end, true]);
        expect(eventOf("log", line, at + 1).seq).toBe(at + 1);
      }
    }),
    { numRuns: 40 },
  );
});

test("reading hands out every event after a seq, in order, and at most 256 at once", async () => {
  const list = eventsOf(Array.from({ length: 700 }, (_, at) => at % 90));
  const { source, starts, end } = fileOf(list);
  for (const seq of [0, 1, 255, 256, 257, 512, 700]) {
    const found = await all(source, { offset: starts[seq] ?? end, seq, end });
    expect(found.flat()).toEqual(list.slice(seq));
    expect(Math.max(...found.map(({ length }) => length))).toBe(Math.min(256, list.length - seq));
  }
  expect(await all(source, { offset: end, seq: 701, end })).toEqual([]);
  expect(await all(source, { offset: starts[3]!, seq: 3, end: starts[5]! })).toEqual([list.slice(3, 5)]);
});

test("a line may be longer than a chunk, and the one after it is read in chunks again", async () => {
  const list = eventsOf([10, 5_000_000, 10, 2_000_000, 1_500_000, 10]);
  const { source, reads, end } = fileOf(list);
  expect((await all(source, { offset: 0, seq: 0, end })).flat()).toEqual(list);
  const chunk = 1024 * 1024;
  expect(reads[0]).toEqual([0, chunk]);
  expect(Math.max(...reads.map(([, length]) => length))).toBeLessThanOrEqual(8 * chunk);
  const inAll = reads.reduce((sum, [, length]) => sum + length, 0);
  expect(inAll).toBeLessThan(4 * end);
});

test("a line is read in windows of 16 KiB, each twice the one before, until it is whole", async () => {
  const kib = 1024;
  const { source, reads, starts, end } = fileOf(eventsOf([10, 100 * kib]));
  const start = starts[2]!;
  await lineFrom(source, start, end);
  expect(reads.splice(0)).toEqual([...[16, 32, 64].map((size) => [start, size * kib]), [start, end - start]]);
  await lineBefore(source, end);
  expect(reads.splice(0)).toEqual([...[16, 32, 64].map((size) => [end - size * kib, size * kib]), [0, end]]);
});

test("a file is read in chunks of a mebibyte, larger ones only for a line that needs it, and nothing behind its end", async () => {
  const mib = 1024 * 1024;
  const { source, reads, starts, end } = fileOf(eventsOf([10, 3 * mib, 2 * mib, 10]));
  const [, , long, next, upTo] = starts as [number, number, number, number, number];
  expect((await all(source, { offset: 0, seq: 0, end: upTo })).flat()).toHaveLength(4);
  expect(reads).toEqual([
    [0, mib],
    ...[mib, 2 * mib, 4 * mib].map((length) => [long, length]),
    ...[mib, 2 * mib, upTo - next].map((length) => [next, length]),
  ]);
  expect(upTo).toBeLessThan(end);
});

test("who stops reading is not told that the next chunk cannot be read; who goes on is", async () => {
  const lines = Array.from({ length: 3 }, () => 700_000);
  const { source, end } = fileOf(eventsOf(lines));
  const broken: Source = {
    ...source,
    read: (offset, length) => (offset > 0 ? Promise.reject(new Error("EIO")) : source.read(offset, length)),
  };
  const unheard: unknown[] = [];
  const hear = (error: unknown) => unheard.push(error);
  process.on("unhandledRejection", hear);
  for await (const events of scan(broken, { offset: 0, seq: 0, end })) {
    expect(events).toHaveLength(2);
    break;
  }
  await new Promise(setImmediate);
  process.off("unhandledRejection", hear);
  expect(unheard).toEqual([]);
  await expect(all(broken, { offset: 0, seq: 0, end })).rejects.toThrow("EIO");
});

test("a line is looked for by halving, down to four KiB, which are walked", async () => {
  const { source, reads, starts, end } = fileOf(eventsOf(Array.from({ length: 30 }, () => 300)));
  const startOf = (seq: number) => starts[seq - 1]!;
  await find(source, 20, end);
  const half = Math.floor(end / 2);
  const quarter = startOf(17) + Math.floor((end - startOf(17)) / 2);
  expect(reads).toEqual([
    [half, end - half],
    [startOf(17), 32],
    [quarter, end - quarter],
    [startOf(25), 32],
    ...[17, 18, 19, 20].map((seq) => [startOf(seq), end - startOf(seq)]),
  ]);
});

test("a line is found without reading the file", async () => {
  const { source, reads, end } = fileOf(eventsOf(Array.from({ length: 2_000 }, () => 500)));
  await find(source, 1_000, end);
  expect(reads.reduce((sum, [, length]) => sum + length, 0)).toBeLessThan(end / 2);
});

describe("damage is named with its place", () => {
  const list = eventsOf(Array.from({ length: 60 }, () => 400));

  test("when the last line has no end", async () => {
    const { source, starts, end } = fileOf(list);
    const [cut, from] = [end - 1, starts.at(-1)!];
    const problem = await problemOf(all(source, { offset: from, seq: 60, end: cut }));
    expect(problem).toMatchObject({ code: "log_corrupt", details: { path: "log", offset: from } });
    expect(problem.message).toContain("it has no end");
    expect(await lineFrom(source, from, cut)).toMatchObject({ start: from, end: cut });
    expect(() => eventOf("log", { start: 7, end: 9, bytes: Buffer.from("{}") })).toThrow(/byte 7.*it has no end/);
  });

  test("when the event that is looked for is not there", async () => {
    const { source, end } = fileOf(list);
    const problem = await problemOf(find(source, 62, end));
    expect(problem).toMatchObject({ code: "log_corrupt", details: { offset: end } });
    expect(problem.message).toContain("event 62 is due there");
  });

  test("when lines are missing: where the first of them should be, whichever is looked for", async () => {
    const holes = list.filter(({ seq }) => seq < 20 || seq > 24);
    const { source, starts, end } = fileOf(holes);
    for (const seq of [20, 22, 24]) {
      const problem = await problemOf(find(source, seq, end));
      expect(problem).toMatchObject({ code: "log_corrupt", details: { offset: starts[19] } });
      expect(problem.message).toContain("its seq is 25 where 20 is due");
    }
  });

  test("when a line does not begin with a seq", async () => {
    const { bytes, starts, end } = fileOf(list);
    const bad = Buffer.from(bytes);
    bad.write("X", starts[30]! + 2);
    const { source } = sourceOf(bad);
    const problem = await problemOf(find(source, 31, end));
    expect(problem).toMatchObject({ code: "log_corrupt", details: { offset: starts[30] } });
  });

  test("and what is not damage is not called so", async () => {
    const newer = fileOf([created("ann", 99)]);
    expect(await problemOf(all(newer.source, { offset: 0, seq: 0, end: newer.end }))).toMatchObject({
      code: "newer_version",
    });
  });
});

test("the line that ends a file is found also when it is one byte, and at the beginning", async () => {
  const { source } = sourceOf(Buffer.from("\n\nab\n"));
  expect(await lineBefore(source, 1)).toEqual({ start: 0, end: 1, bytes: Buffer.from("\n") });
  expect(await lineBefore(source, 2)).toEqual({ start: 1, end: 2, bytes: Buffer.from("\n") });
  expect(await lineBefore(source, 4)).toEqual({ start: 2, end: 4, bytes: Buffer.from("ab") });
  expect(await lineBefore(source, 5)).toEqual({ start: 2, end: 5, bytes: Buffer.from("ab\n") });
});

test("a line that is found has its checksum verified, however right its seq looks", async () => {
  const { bytes, starts, end } = fileOf(eventsOf([10, 10, 10]));
  const damaged = Buffer.from(bytes);
  damaged[starts[2]! + damaged.subarray(starts[2]!).indexOf("xxxxx")] = 121;
  const problem = await problemOf(find(sourceOf(damaged).source, 3, end));
  expect(problem).toMatchObject({ code: "log_corrupt", details: { offset: starts[2] } });
  expect(problem.message).toMatch(/its checksum is "[0-9a-f]{8}" but it says/);
});

test("a line may be empty: it is its newline", async () => {
  const { source } = sourceOf(Buffer.from("\n{}\n"));
  expect(await lineFrom(source, 0, 4)).toEqual({ start: 0, end: 1, bytes: Buffer.from("\n") });
  expect(await lineBefore(source, 1)).toEqual({ start: 0, end: 1, bytes: Buffer.from("\n") });
});
