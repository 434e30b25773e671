import { expect, test } from "vitest";
import { concurrencyHere, hostAllows } from "./environment.ts";

test("as many workers at a time as cores and memory carry, at least one", () => {
  const gb = 1024 ** 3;
  expect([hostAllows(1, 8 * gb), hostAllows(8, 64 * gb), hostAllows(8, gb), hostAllows(4, gb / 10)]).toEqual([
    2, 16, 2, 1,
  ]);
  expect(concurrencyHere()).toBeGreaterThan(0);
});
