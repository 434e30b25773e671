import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { seal } from "./checksum.ts";
import { decode, encode, encodeTogether, sumOf } from "./log-line.ts";
import { created, events, posted, trickyTexts } from "./sample.test-help.ts";

// Thousands of cases: a busy machine needs its time.

const bytesOf = (event: Event) => Buffer.from(encode(event).slice(0, -1));

const anyText = fc.string({
  unit: fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\0", "\ud800", "\udfff", "\n", '"', "\\")),
});
/** JSON has one zero. */
const jsonValue = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
const anyEvent = fc.record(
  {
    seq: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    id: anyText,
    ts: anyText,
    type: anyText.filter((type) => type !== "agent.created"),
    run: anyText,
    actor: anyText,
    cause: anyText,
    data: fc.dictionary(anyText, jsonValue),
  },
  { requiredKeys: ["seq", "id", "ts", "type", "actor", "data"] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<Event>;

function decodeOrProblem(bytes: Buffer): Event | Problem {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

describe("an event line", () => {
  test("has the fields in their order, and the checksum of the rest at its end", () => {
    const { sum, ...rest } = JSON.parse(encode(posted(7)));
    expect(Object.keys(rest)).toEqual(["seq", "id", "ts", "type", "v", "run", "actor", "cause", "data"]);
    expect(sum).toBe(crc32(JSON.stringify(rest)).toString(16).padStart(8, "0"));
    expect(encode(posted(7))).toMatch(/,"sum":"[0-9a-f]{8}"\}\n$/);
    expect(sumOf(posted(7))).toBe(sum);
  });

  test("says of each but the last of its append that more belongs to it, with the checksum as ever", () => {
    const lines = encodeTogether(events(1, 3));
    expect(lines.map((line) => JSON.parse(line).more)).toEqual([true, true, undefined]);
    expect(lines.map((line) => JSON.parse(line).sum)).toEqual(events(1, 3).map(sumOf));
    expect(lines.map((line) => decode(Buffer.from(line.slice(0, -1))))).toEqual(events(1, 3));
    expect(lines[2]).toBe(encode(events(3, 3)[0]!));
  });

  test("is the same however the event's fields were ordered", () => {
    const { seq, data, ...rest } = posted(3);
    expect(encode({ data, ...rest, seq } as Event)).toBe(encode(posted(3)));
  });

  test("leaves out what is not there", () => {
    expect(encode(created())).not.toMatch(/"(run|cause)"/);
  });

  test("gives back any event, and the same bytes again", () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        const line = encode(event);
        expect(line.indexOf("\n")).toBe(line.length - 1);
        const again = decode(Buffer.from(line.slice(0, -1)));
        expect(again).toEqual(event);
        expect(encode(again)).toBe(line);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(Object.entries(trickyTexts))("carries a text with %s", (_, text) => {
    const { data } = decode(bytesOf(posted(2, text))) as { data: { text: string } };
    expect(data.text === text).toBe(true);
  });

  test("is read where it lies in a larger buffer, which stays as it was", () => {
    const all = Buffer.from(`xyz${encode(posted(2))}${encode(posted(3))}`);
    const before = Buffer.from(all);
    const first = all.indexOf("\n");
    expect(decode(all, 3, first)).toEqual(posted(2));
    expect(decode(all, first + 1, all.length - 1)).toEqual(posted(3));
    expect(decodeOrProblem(all)).toBeInstanceOf(Problem);
    expect(all.equals(before)).toBe(true);
  });

  test("with any bit flipped is refused", () => {
    const bytes = bytesOf(posted(2));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const damaged = Buffer.from(bytes);
      damaged[bit >> 3]! ^= 1 << (bit & 7);
      expect(decodeOrProblem(damaged)).toMatchObject({ code: "log_corrupt" });
    }
  });

  test("that is cut anywhere is refused", () => {
    const bytes = bytesOf(posted(2));
    for (let length = 0; length < bytes.length; length++) {
      expect(decodeOrProblem(bytes.subarray(0, length))).toMatchObject({ code: "log_corrupt" });
      expect(decodeOrProblem(bytes.subarray(bytes.length - length))).toMatchObject({ code: "log_corrupt" });
    }
  });

  test("of any bytes ends in an event or a Problem, and leaves the bytes as they were", () => {
    const sealed = fc.oneof(fc.json(), fc.string()).map((text) => Buffer.from(seal(text)));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), sealed), (given) => {
        const bytes = Buffer.from(given);
        const result = decodeOrProblem(bytes);
        if (result instanceof Problem) expect(["log_corrupt", "newer_version"]).toContain(result.code);
        expect(bytes.equals(Buffer.from(given))).toBe(true);
      }),
      { numRuns: 5_000 },
    );
  });

  test("whose checksum is right but which is no event is refused", () => {
    const { seq, ...rest } = posted(2);
    const wrong = [
      {},
      rest,
      { seq: 0, ...rest },
      { seq: 1.5, ...rest },
      { seq: "1", ...rest },
      { seq, ...rest, data: null },
      { seq, ...rest, data: "text" },
      ...["id", "ts", "type", "actor"].map((field) => ({ seq, ...rest, [field]: 5 })),
      ...["1", 1.5, 0, -1, null].map((v) => ({ seq, ...rest, v })),
    ];
    for (const value of wrong) {
      expect(decodeOrProblem(Buffer.from(seal(JSON.stringify({ ...value, x: 1 }))))).toMatchObject({
        code: "log_corrupt",
      });
    }
  });

  test("that JSON cannot carry is refused before it is written", () => {
    const event = { ...posted(2), data: { big: 1n } } as unknown as Event;
    expect(() => encode(event)).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});

describe("a log's version", () => {
  test("that is known is read", () => {
    expect(decode(bytesOf(created("ann", 1)))).toEqual(created("ann", 1));
  });

  test("that is newer is refused, naming both", () => {
    const problem = decodeOrProblem(bytesOf(created("ann", 3)));
    expect(problem).toMatchObject({ code: "newer_version", details: { version: 3, understood: 1 } });
    expect((problem as Problem).message).toBe(
      "the log of ann has version 3; this Agiraph supports up to 1; use a newer one",
    );
  });
});

describe("an event of an older shape", () => {
  const hash = "a".repeat(64);
  const attachment = { id: hash, title: "a.csv", type: "text/csv", size: 3 };
  const line = `[attached: a.csv (text/csv, 3 bytes); the whole is resource ${hash}, also readable as _resources/a.csv]`;
  const said = { ...posted(2), data: { ...posted(2).data, from: "human", text: "Look" } } as Event & {
    type: "message.posted";
  };
  const old = Buffer.from(seal(JSON.stringify({ ...said, data: { ...said.data, text: `Look\n${line}` } })));
  const newest = { ...said, data: { ...said.data, attachments: [attachment] } };

  test("is read as one of the newest, and written as that", () => {
    expect(decode(old)).toEqual(newest);
    expect(decode(bytesOf(decode(old)))).toEqual(newest);
    expect(JSON.parse(encode(decode(old)))).toMatchObject({ v: 2 });
  });

  test("that names its shape is read like one that does not", () => {
    const { v: _, ...event } = { ...JSON.parse(String(old)), sum: undefined };
    expect(decode(Buffer.from(seal(JSON.stringify({ ...event, v: 1 }))))).toEqual(newest);
  });

  test("is not read twice: what this version wrote stays as it is, whatever its words look like", () => {
    const quoting = { ...said, data: { ...said.data, text: `Look\n${line}` } };
    expect(decode(bytesOf(quoting))).toEqual(quoting);
  });

  test("that is newer than what is known is refused, naming both", () => {
    const problem = decodeOrProblem(Buffer.from(seal(JSON.stringify({ ...said, v: 3 }))));
    expect(problem).toMatchObject({ code: "newer_version", details: { version: 3, understood: 2 } });
    expect(decodeOrProblem(Buffer.from(seal(JSON.stringify({ ...said, v: 0 }))))).toMatchObject({
      code: "log_corrupt",
    });
  });
});
