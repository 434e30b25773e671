import fc from "fast-check";
import { expect, test } from "vitest";
import { sameJson } from "./same.ts";

const asJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

test("says of any two values what their JSON says", () => {
  const value = fc.anything({ maxDepth: 2, key: fc.constantFrom("a", "b", "0"), withDate: false });
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(sameJson(a, b)).toBe(asJson(a, b));
      expect(sameJson(a, structuredClone(a))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each([
  [
    { a: 1, b: 2 },
    { b: 2, a: 1 },
  ],
  [{ a: undefined }, {}],
  [{ a: [] }, { a: {} }],
  [[1, 2], [1]],
  [{ a: { b: [1, "x"] } }, { a: { b: [1, "y"] } }],
])("%j and %j", (a, b) => {
  expect(sameJson(a, b)).toBe(asJson(a, b));
});
