import { expect, test } from "vitest";
import { firstSeed } from "./commit.ts";

test("each commit has seeds of its own, and there is a fixed one without any", () => {
  expect(firstSeed("00000001abcd")).toBe(1);
  expect(firstSeed("ffffffffabcd")).toBe(2 ** 32 - 1);
  expect(firstSeed("9338c73329a6")).not.toBe(firstSeed("98d428244444"));
  expect(firstSeed(undefined)).toBe(1_000_001);
});
