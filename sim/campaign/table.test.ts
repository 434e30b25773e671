import { expect, test } from "vitest";
import { invariants } from "../invariants.ts";
import { checkedIn, invariantTable, reportedBy, wrongWith } from "./table.ts";

test("every invariant that the simulation reports is in the table, with the file that checks it", () => {
  expect(wrongWith(invariants, checkedIn())).toEqual([]);
  const rows = invariantTable().split("\n");
  expect(rows.find((row) => row.startsWith("| I12 |"))).toContain("`sim/outcome.ts`");
  expect(rows.find((row) => row.startsWith("| I25 |"))).toContain("`src/core/state.test.ts`");
  expect(rows.find((row) => row.startsWith("| hang |"))).toContain("`sim/campaign/pool.ts`");
});

test("a report of a violation is found however it is written, and nothing else is", () => {
  const source = `
    violated("I1", "x"); witness.violated("I2", "y"); other("I3");
    list.push({ invariant: "I4", what }); const invariant = a ? "I5" : "I6"; violated(name, "z");
    // violated("I7", "in a comment")
  `;
  expect([...reportedBy("f.ts", source)]).toEqual(["I1", "I2", "I4", "I5", "I6"]);
});

test("a name that is not listed, an entry that nothing checks and a test that is not there are each said", () => {
  const list = { I1: { says: "" }, I2: { says: "", tests: ["test/no-such.test.ts"] }, I3: { says: "" } };
  expect(
    wrongWith(
      list,
      new Map([
        ["I1", 1],
        ["I9", 1],
      ]),
    ),
  ).toEqual([
    "violations are reported as I9, which is not in sim/invariants.ts",
    "I3 is in sim/invariants.ts, and nothing checks it",
    "test/no-such.test.ts is named in sim/invariants.ts and does not exist",
  ]);
});
