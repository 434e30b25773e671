import { expect, test } from "vitest";
import { Problem, refusalOr } from "./problem.ts";

test("a refusal is a value; what is returned is passed on", () => {
  const refusal = new Problem("invalid", "no");
  expect(refusalOr(() => 1)).toBe(1);
  expect(
    refusalOr(() => {
      throw refusal;
    }),
  ).toBe(refusal);
});

test("an error that is not a refusal is a bug and is thrown", () => {
  expect(() =>
    refusalOr(() => {
      throw new TypeError("bug");
    }),
  ).toThrow(TypeError);
});
