import { expect, test } from "vitest";
import { closest, didYouMean } from "./closest.ts";

const fields = ["role", "model", "tools", "max_turns", "kickoff", "system_prompt"];

test.each([
  ["rol", "role"],
  ["roel", "role"],
  ["modle", "model"],
  ["maxturns", "max_turns"],
  ["max-turn", "max_turns"],
  ["kick_of", "kickoff"],
  ["systemPrompt", "system_prompt"],
  ["shell", undefined],
  ["x", undefined],
  ["", undefined],
])("%j is close to %j", (given, meant) => {
  expect(closest(given, fields)).toBe(meant);
});

test("the nearest one is suggested, and nothing if there is none", () => {
  expect(didYouMean("tool", ["tolls", "tools"])).toBe("; did you mean tools?");
  expect(didYouMean("entirely different", fields)).toBe("");
  expect(didYouMean("x".repeat(1_000_000), fields)).toBe("");
});
