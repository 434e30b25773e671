import { expect, test } from "vitest";
import { parseParams } from "./workflow-arguments.ts";

const params = [
  { name: "ref", type: "string", required: true, short: "r" },
  { name: "depth", type: "number", required: false, default: 3 },
  { name: "strict", type: "boolean", required: false },
  { name: "tone", type: "choice", choices: ["kind", "harsh"], required: false, default: "kind" },
];

test.each([
  [["--ref", "main", "--strict"], { ref: "main", strict: true }],
  [["-r", "main", "--no-strict", "--depth=7"], { ref: "main", strict: false, depth: "7" }],
  [["--ref=-x; rm -rf /", "--tone", "harsh"], { ref: "-x; rm -rf /", tone: "harsh" }],
  [[], {}],
])("%j", (words, values) => {
  expect(parseParams(words, params)).toEqual(values);
});

test.each([
  [["--rfe", "x"], "Unknown option '--rfe'; did you mean --ref?"],
  [
    ["--nothing"],
    "Unknown option '--nothing'; parameters: -r, --ref STRING (required), --depth NUMBER, --strict, --tone kind|harsh",
  ],
  [["main"], '"main" is not a parameter'],
  [["--ref"], "Option '-r, --ref <value>' argument missing"],
  [["--strict=yes"], "does not take an argument"],
])("%j is refused", (words, message) => {
  expect(() => parseParams(words, params)).toThrow(message);
});
