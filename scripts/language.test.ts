import { expect, test } from "vitest";
import { wrongInDocument, wrongInSource } from "./language.ts";

const source = (text: string) => wrongInSource("src/a.ts", text);

test("phrases that are not English are found in string literals and templates, with the line", () => {
  expect(source('const a = 1;\nthrow new Problem("invalid", `${name} is no JSON`);')).toEqual([
    'src/a.ts:2: "is no": write "is not a …"',
  ]);
  expect(source('say("Who waits is told");')).toHaveLength(1);
  expect(source("say(`there is no agent x; there are ${all}`);")).toHaveLength(1);
});

test("what is English is not found, and comments are not looked at", () => {
  expect(source('say("there is no agent x; it is no longer here");')).toEqual([]);
  expect(source('ask("Who is there?");')).toEqual([]);
  expect(source("// this is no problem\nexport const a = 1;")).toEqual([]);
});

test("a document is looked at outside of code and quotes, and names files that exist", () => {
  const exists = (path: string) => path === "core/node.ts";
  const text = 'A run is no job.\nNot "is no JSON".\n```\nis no\n```\n`core/node.ts` and `core/gone.ts`';
  expect(wrongInDocument("a.md", text, exists)).toEqual([
    'a.md:1: "is no": write "is not a …"',
    "a.md:6: core/gone.ts does not exist",
  ]);
});
