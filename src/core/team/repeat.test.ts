import fc from "fast-check";
import { expect, test } from "vitest";
import { countCall, mostRepeats } from "./repeat.ts";

const ended = { tool: "look", outcome: "ok", result: "same", effect: "reads", progress: "none" } as const;
type Repeats = ReturnType<typeof countCall>["repeats"];

/** How often the second of two calls was made. */
function times(first: unknown, second: unknown): number {
  const { repeats } = countCall({}, ended, first);
  return countCall({ repeats }, ended, second).times;
}

/** As JSON says it, with the fields of every object in order. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const input = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, 0, 1, 12, true, false, "", "1", "a", "ab"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "ab"), tie("value"), { maxKeys: 3 }),
  ),
})).value;

test("two inputs are the same call exactly if they say the same, whatever the order of their fields", () => {
  fc.assert(
    fc.property(input, input, (a, b) => {
      expect(times(a, b)).toBe(canonical(a) === canonical(b) ? 2 : 1);
      expect(times(a, JSON.parse(canonical(a)))).toBe(2);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  [
    ["a", "b"],
    ["b", "a"],
  ],
  [["ab"], ["a", "b"]],
  [[["a"], "b"], [["a", "b"]]],
  [{ a: "b" }, { b: "a" }],
  [
    { a: 1, b: 2 },
    { a: 2, b: 1 },
  ],
  [[1], ["1"]],
  [null, "null"],
  [null, {}],
  [[], {}],
])("%j and %j are two calls", (a, b) => {
  expect(times(a, b)).toBe(1);
});

test("the last sixteen different calls are remembered", () => {
  let repeats: Repeats = [];
  for (let n = 0; n < 17; n++) ({ repeats } = countCall({ repeats }, ended, n));
  expect(repeats).toHaveLength(16);
  expect(countCall({ repeats }, ended, 1).times).toBe(2);
  expect(countCall({ repeats }, ended, 0).times).toBe(1);
});

test("a call that was not made before and led to something forgets the others; made again it does not", () => {
  const work = { ...ended, progress: "work" } as const;
  const { repeats } = countCall({}, ended, "a");
  const after = countCall({ repeats }, work, "b");
  expect(after).toMatchObject({ times: 1, fruitful: true, repeats: [{ times: 1 }] });
  const second = countCall({ repeats: countCall(after, ended, "c").repeats }, work, "b");
  expect(second).toMatchObject({ times: 2, fruitful: false });
  expect(second.repeats).toHaveLength(2);
  expect(countCall({ repeats }, { ...work, outcome: "error" }, "b")).toMatchObject({ fruitful: false });
  expect(countCall({ repeats }, { ...work, outcome: "error" }, "b").repeats).toHaveLength(2);
});

test("what changes only the log is the same whatever it says; all else is another call with another result or outcome", () => {
  const state = { ...ended, effect: "state" } as const;
  const { repeats } = countCall({}, state, "a");
  expect(countCall({ repeats }, { ...state, result: "m2" }, "a").times).toBe(2);
  const { repeats: reads } = countCall({}, ended, "a");
  expect(countCall({ repeats: reads }, { ...ended, result: "other" }, "a").times).toBe(1);
  expect(countCall({ repeats: reads }, { ...ended, outcome: "error" }, "a").times).toBe(1);
});

test("the call that was made most often counts, and none at all is none", () => {
  expect(mostRepeats({ repeats: [] })).toBe(0);
  let repeats: Repeats = [];
  for (const call of ["a", "b", "a", "a", "b"]) ({ repeats } = countCall({ repeats }, ended, call));
  expect(mostRepeats({ repeats })).toBe(3);
});
