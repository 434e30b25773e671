import fc from "fast-check";
import { expect, test } from "vitest";
import { firstLine, shorten, shortenLong, shortenMiddle, shortLine } from "./text.ts";

const texts = fc.string({ unit: "binary", maxLength: 60 });

test("a text that fits stays as it is; one that does not ends with an ellipsis and fits", () => {
  expect(shorten("four", 4)).toBe("four");
  expect(shorten("fives", 4)).toBe("fiv…");
  expect(shorten("to be or", 4)).toBe("to…");
  expect(shorten("ab", 0)).toBe("…");
});

test("whatever the text, nothing is cut through the middle of a character, and the bound holds", () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 40 }), (text, most) => {
      for (const made of [shorten(text, most), shortLine(text, most), firstLine(text, most)]) {
        expect(made.length).toBeLessThanOrEqual(most);
        expect(made.isWellFormed()).toBe(true);
      }
      expect(shortenMiddle(text, most).isWellFormed()).toBe(true);
    }),
  );
});

test("a long text in the middle says how much of it is missing, exactly", () => {
  expect(shortenMiddle("0123456789", 10)).toBe("0123456789");
  expect(shortenMiddle("0123456789", 5)).toBe("01\n[… 6 characters left out …]\n89");
});

test("one line has no line breaks; the first line has no other", () => {
  expect(shortLine(" a\n\n b\tc ", 9)).toBe("a b c");
  expect(firstLine("\n one \ntwo", 9)).toBe("one");
});

test("a long text is cut near its limit and says how much is missing", () => {
  expect(shortenLong("x".repeat(10), 10)).toBe("x".repeat(10));
  expect(shortenLong("x".repeat(11), 10)).toBe(`${"x".repeat(10)}\n[… 1 of 11 characters left out …]`);
  expect(shortenLong(`${"word ".repeat(4_000)}`, 1_000)).toMatch(/word\n\[… 19,001 of 20,000 characters left out …\]$/);
  expect(shortenLong("😀".repeat(10), 5).isWellFormed()).toBe(true);
});
