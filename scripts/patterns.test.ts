import { describe, expect, test } from "vitest";
import { complaints, patternsIn, slownessOf } from "./patterns.ts";

describe("a pattern that took seconds on a text of a few kilobytes is found", () => {
  // biome-ignore format: a table
  test.each([
    ["B6", /[A-Z].*[a-z].*[A-Z]|[a-z]\d[a-z]/],
    ["B7", /^\s*(?:TO:[ \t]*(.+)(?:\n|$))?([\s\S]*)$/i],
    ["B24", /(?<!`)(`+)(?!`)([^`\n]|(?!\1)`)*?(?<!`)\1(?!`)/g],
    ["B25 blocks", /\n\s*\n|(?<=^ {0,3}#{1,6} [^\n]*)\n/m],
    ["B25 lists", /^\s*(#{1,6}|>|[-*+]|\d+[.)])\s+(\[[ xX]\]\s+)?/gm],
    ["B25 links", /!?\[([^\]]*)\]\([^)\s]*(\s+"[^"]*")?\)/g],
    ["B25 sentences", /[^\s.]{2,}[.!?…]["”’)]?(?=\s+[\p{Lu}\p{N}“"(])/u],
    ["B25 fences", /```[^\n]*\n[\s\S]*?(```|$)/g],
    ["B33", /^ {0,3}(#{1,6})\s+(.*?)\s*#*$/],
    ["B5", /^(a+)+$/],
  ])("%s", (_what, pattern) => expect(slownessOf(String(pattern))).toBeTypeOf("string"));
});

test("patterns that take proportional time are not", () => {
  for (const pattern of [/\s+/g, /^[a-z]+:\d+$/, /[^<>]*/, /\\1/, /a{1,40}b/])
    expect(slownessOf(String(pattern)), String(pattern)).toBe(undefined);
});

test("patterns are found as they are written and put together of constants", () => {
  const text = 'const a = "x+";\nconst b = /y/g;\nnew RegExp(`^${a}` + "z", "i");\nnew RegExp(given);\nRegExp("w");';
  expect(patternsIn("lib/a.ts", text)).toEqual([
    { path: "lib/a.ts", line: 2, text: "/y/g" },
    { path: "lib/a.ts", line: 3, text: "/^x+z/i" },
    { path: "lib/a.ts", line: 5, text: "/w/" },
  ]);
});

test("an exception is for one pattern of one file, and is missed when it is not needed", () => {
  const slow = { path: "a.ts", line: 1, text: "/\\/+$/" };
  const why = "short";
  expect(complaints([slow], [])).toHaveLength(1);
  expect(complaints([slow], [{ path: "a.ts", pattern: slow.text, why }])).toEqual([]);
  expect(complaints([slow], [{ path: "b.ts", pattern: slow.text, why }])).toHaveLength(2);
  expect(complaints([], [{ path: "a.ts", pattern: slow.text, why }])).toEqual([
    "scripts/patterns-known.ts: a.ts /\\/+$/ is not needed any more",
  ]);
});
