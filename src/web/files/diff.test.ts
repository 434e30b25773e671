import fc from "fast-check";
import { expect, test } from "vitest";
import { type DiffLine, diffLines } from "../../lib/text/diff-lines.ts";
import { parseRows } from "./csv.tsx";

const text = fc
  .array(fc.constantFrom("a", "b", "c", "", "long line"), { maxLength: 14 })
  .map((lines) => lines.join("\n"));
const without = (lines: DiffLine[], look: DiffLine["look"]) =>
  lines
    .filter((line) => line.look !== look)
    .map((line) => line.text)
    .join("\n");

test("a difference holds both texts whole, and nothing that is the same is called different more than it must", () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffLines(before, after);
      expect(without(lines, "add")).toBe(before);
      expect(without(lines, "del")).toBe(after);
      const [gone, come] = (["del", "add"] as const).map((look) => lines.filter((line) => line.look === look).length);
      if (before === after) expect([gone, come]).toEqual([0, 0]);
    }),
  );
  expect(diffLines("a\nb\nc", "a\nx\nc").map(({ look }) => look)).toEqual(["same", "del", "add", "same"]);
  expect(diffLines("a\nb\nc", "b\nc\nd").map(({ look }) => look)).toEqual(["del", "same", "same", "add"]);
});

test("whatever is in the cells, rows that were written are read again", () => {
  const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", " ", "<") });
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
  fc.assert(
    fc.property(rows, (given) => {
      const quoted = given.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`).join(",")).join("\r\n");
      expect(parseRows(quoted, ",")).toEqual(given);
    }),
  );
});
