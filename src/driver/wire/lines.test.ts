import fc from "fast-check";
import { expect, test } from "vitest";
import { createLines, type Line } from "./lines.ts";

function linesOf(pieces: readonly string[], longest = 1_000): Line[] {
  const reader = createLines(longest);
  return [...pieces.flatMap((piece) => reader.take(piece)), ...reader.rest()];
}

test("lines are the same however the text is cut", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "\r", "é", "😀", '"', "{") });
  fc.assert(
    fc.property(text, fc.array(fc.nat(20)), (whole, cuts) => {
      const pieces: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(whole.slice(at, at + cut));
        at += cut;
      }
      pieces.push(whole.slice(at));
      expect(linesOf(pieces)).toEqual(linesOf([whole]));
      expect(linesOf([whole]).map(({ text }) => text)).toEqual(
        (whole.endsWith("\n") || !whole ? whole.slice(0, -1) : whole)
          .split("\n")
          .slice(0, whole ? undefined : 0)
          .map((line) => line.replace(/\r$/, "").toWellFormed()),
      );
    }),
  );
});

test("of a line that is too long the beginning is kept, and the next line is whole", () => {
  const reader = createLines(10_000);
  const piece = "x".repeat(9_000);
  for (let n = 0; n < 1_000; n++) expect(reader.take(piece)).toEqual([]);
  expect(reader.open()).toBe(9_000_000);
  const [long, next] = reader.take("\nok\n");
  expect(long).toEqual({ text: "x".repeat(2_000), dropped: 9_000_000 - 2_000 });
  expect(next).toEqual({ text: "ok", dropped: 0 });
});
