import { expect, test } from "vitest";
import type { Check } from "../../schema/evidence.ts";
import { refusal } from "../core.test-help.ts";
import { assertUsable } from "./usable-check.ts";

test.each<Check>([
  { run: "(" },
  { tests: "(" },
  { links: true },
  { review: "(?" },
  { file: "a.md" },
  { file: "a.md", matches: "^\\p{L}+$", schema: { type: "object", required: ["rows"] } },
])("%j can be done", (check) => {
  expect(() => assertUsable(check)).not.toThrow();
});

test.each<[Check, RegExp]>([
  [{ file: "a.md", matches: "(" }, /^invalid: the check "a\.md: \/\(\/" cannot be used: Invalid regular expression/],
  [{ file: "a.md", matches: "\\p{Nonsense}" }, /Invalid regular expression.*Invalid property name/], // read as one of Unicode
  [
    { file: "a.md", schema: { type: "strange" } },
    /^invalid: the check "a\.md: its JSON schema" cannot be used: .*strange/,
  ],
])("%j is refused, and why", (check, said) => {
  expect(refusal(() => assertUsable(check))).toMatch(said);
});
