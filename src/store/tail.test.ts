import { expect, test } from "vitest";
import { seal } from "./checksum.ts";
import { encode } from "./log-line.ts";
import { created, events, posted, problemOf } from "./sample.test-help.ts";
import type { Source } from "./scan.ts";
import { readTail } from "./tail.ts";

const whole = events(1, 2).map(encode).join("");

function tailOf(text: string) {
  const bytes = Buffer.from(text, "latin1");
  const source: Source = { path: "log", read: async (offset, length) => bytes.subarray(offset, offset + length) };
  return readTail(source, bytes.length);
}

test("an empty file has no event and nothing torn", async () => {
  expect(await tailOf("")).toEqual({ seq: 0, end: 0, torn: Buffer.alloc(0) });
});

test("a record that ends in the middle is torn, also where its words look like a checksum", async () => {
  for (const text of ["short", 'a ,"sum":"12345678"} in it', ',"sum":"'.repeat(20)]) {
    const torn = encode(posted(3, text)).slice(0, -5);
    expect(await tailOf(whole + torn)).toEqual({ seq: 2, end: whole.length, torn: Buffer.from(torn) });
  }
});

test("two records whose newline is damaged are not torn: the first was acknowledged, and nothing is cut off", async () => {
  const joined = encode(posted(3)).trimEnd();
  for (const rest of ["xx", `x${encode(posted(4))}`, encode(posted(4)).slice(0, 40), encode(posted(4))])
    expect(await problemOf(tailOf(whole + joined + rest))).toMatchObject({
      code: "log_corrupt",
      details: { offset: whole.length },
    });
});

test("a whole record whose newline did not reach the disk is torn, as nobody was told of it", async () => {
  const joined = encode(posted(3)).trimEnd();
  for (const rest of ["", "x", "\0", "\0".repeat(40)])
    expect(await tailOf(whole + joined + rest)).toMatchObject({ seq: 2, end: whole.length });
});

test("a last record of a newer version is refused as that, and not taken for a torn one", async () => {
  const newer = `${seal(JSON.stringify({ ...posted(3), v: 99 }))}\n`;
  expect(await problemOf(tailOf(whole + newer))).toMatchObject({ code: "newer_version" });
  expect(await problemOf(tailOf(encode(created("ann", 3))))).toMatchObject({ code: "newer_version" });
});
