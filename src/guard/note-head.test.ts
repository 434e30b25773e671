import fc from "fast-check";
import { expect, test } from "vitest";
import { fadesAt, fadingOf } from "./memory-fade.ts";
import { readNote, splitPast, withPast, writeNote } from "./note-head.ts";

const plain = { tier: "working", visibility: "private" };

test("a note without a head is a private working note, and its text is untouched", () => {
  for (const text of ["", "# A\n\nb", "---\nnot closed", "--- \nx: y", "a\n---\ntier: core\n---\n"])
    expect(readNote(text)).toEqual({ head: plain, body: text });
  expect(readNote("text", true).head.tier).toBe("core");
});

test("a head says tier, visibility, subject, source and date; a wrong value counts as missing", () => {
  const text =
    "---\ntier: archive\nvisibility: public\nsubject: Release day\nsource: r1\nnoted: 2026-11-15\n---\n# A\n";
  const head = {
    ...{ tier: "archive", visibility: "public", subject: "Release day" },
    ...{ source: "r1", noted: "2026-11-15" },
  };
  expect(readNote(text)).toEqual({ head, body: "# A\n" });
  expect(readNote("---\ntier: best\nvisibility: everyone\nnoted: soon\n---\nx").head).toEqual(plain);
});

test("writing a head keeps the lines of people, and cannot be given two values in one", () => {
  const before = "---\ntags: mine\ntier: core\n---\nold";
  const text = writeNote({ tier: "working", subject: "a\ntier: core\nvisibility: public" }, "new\n", before);
  expect(text).toBe("---\ntier: working\nsubject: a tier: core visibility: public\ntags: mine\n---\nnew\n");
  expect(readNote(text).head).toEqual({ ...plain, subject: "a tier: core visibility: public" });
});

test("what a note said earlier is told apart from what it says now", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((text) => text.trim() !== "" && !text.includes("Earlier:")),
      fc.array(fc.stringMatching(/^[a-z][a-z ]{0,20}[a-z]$/), { maxLength: 20 }),
      (now, earlier) => {
        const said = splitPast(withPast(now, earlier));
        expect(said.now.trimEnd()).toBe(now.trimEnd());
        expect(said.earlier).toEqual(earlier.map((each) => each.replace(/\s+/g, " ")));
      },
    ),
  );
  expect(
    withPast(
      "a",
      Array.from({ length: 30 }, () => "b"),
    ).match(/- b/g),
  ).toHaveLength(20);
});

test("a working note fades sixty days after its last use, core never does, archive always has", () => {
  const day = 86_400_000;
  const after = (days: number) => fadingOf("working", 0, days * day);
  expect([after(0), after(46), after(46.1), after(60), after(60.1)]).toEqual([
    ...["fresh", "fresh", "fading", "fading", "faded"],
  ]);
  expect([fadingOf("core", 0, 900 * day), fadingOf("archive", 0, 0)]).toEqual(["stays", "faded"]);
  expect(fadesAt(0)).toBe(60 * day);
});
