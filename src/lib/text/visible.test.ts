import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactLines, exactText, linesIn, linkTarget, visible, visibleJson, visibleLine } from "./visible.ts";

const anything = fc.string({ unit: "binary", maxLength: 80 });

describe("what others wrote", () => {
  test("has nothing left that steers, turns or hides", () => {
    fc.assert(
      fc.property(anything, (text) => {
        for (const shown of [visible(text), visibleLine(text), exactLines(text).join("\n"), visibleJson(text)])
          expect(shown).not.toMatch(/(?![\t\n])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|\p{Cs}/u);
      }),
    );
  });

  test("loses nothing: what is written out can be read back", () => {
    fc.assert(
      fc.property(anything, (text) => {
        const back = (shown: string) =>
          shown.replace(/<U\+([0-9A-F]+)>/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
        expect(back(visible(text))).toBe(text.replaceAll("\r\n", "\n"));
        expect(JSON.parse(visibleJson(text))).toBe(text);
      }),
    );
  });

  test.each([
    ["a\u202eb\x1b[31m", "a<U+202E>b<U+001B>[31m"],
    ["e\u0301 日本 שלום مرحبا ❤️ 👨‍👩‍👧 می‌خواهم", "e\u0301 日本 שלום مرحبا ❤️ 👨‍👩‍👧 می‌خواهم"],
    ["x\u200dy\u200cz\ufe0f", "x<U+200D>y<U+200C>z<U+FE0F>"],
    ["one\r\ntwo\rthree", "one\ntwo<U+000D>three"],
    [`Z${"\u0301".repeat(6)}`, `Z${"\u0301".repeat(4)}<U+0301><U+0301>`],
    ["\ud800", "<U+D800>"],
  ])("%j is shown as %j", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });
});

describe("what wants a yes", () => {
  test.each([
    ["a\n\nb", "a\n\nb"],
    [`a${"\n".repeat(60)}b`, "a\n[59 blank lines]\nb"],
    [`a${" ".repeat(300)}b`, "a[300 spaces]b"],
    ["a    b\n        c", "a    b\n        c"],
    ["cаt", "c<U+0430>t"],
    ["сору", "<U+0441><U+043E><U+0440><U+0443>"],
    ["сору привет", "сору привет"],
    ["ｃurl \u00a0 x", "<U+FF43>url <U+00A0> x"],
    ["rm ‐rf ∕", "rm <U+2010>rf <U+2215>"],
    ["Ünïcödé 日本", "Ünïcödé 日本"],
  ])("%j is shown as %j", (text, shown) => {
    expect(exactLines(text).join("\n")).toBe(shown);
  });

  test("says how many lines it has and what to look at", () => {
    expect([linesIn("a"), linesIn("a\n"), linesIn("a\nb\nc\n")]).toEqual(["", "", "3 lines"]);
    expect(exactText("plain\ntext").risks).toEqual([]);
    expect(exactText("\u202eа b").risks).toHaveLength(2);
  });
});

test.each([
  ["https://github.com", "http://evil.example/", "evil.example"],
  ["https://github.com/a", "https://github.com/a", undefined],
  ["github.com", "https://github.com/a", undefined],
  ["here", "https://github.com@evil.example/", "evil.example"],
  ["https://github.com@evil.example/", "https://github.com@evil.example/", "evil.example"],
  ["https://githυb.com", "https://xn--githb-7cd.com/", "xn--githb-7cd.com"],
  ["bank", "mailto:x@evil.example", "x@evil.example"],
  ["x", "no address", undefined],
])("a link that says %j and leads to %j says also %j", (words, href, where) => {
  expect(linkTarget(words, href)).toBe(where);
});
