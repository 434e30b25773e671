import { expect, test } from "vitest";
import type { Spending } from "../../api/spending.ts";
import { cachedShare, csvOf, daysOf, modelOf, rowsInRange, sumBy } from "./view.ts";

const row = (given: Partial<Spending>): Spending => ({
  ...{ id: "x", run: "r1", day: "2026-01-10", worker: "ada", model: "a/big", calls: 1, unpriced: 0 },
  ...{ input: 100, output: 10, cache_read: 40, cache_write: 0, usd: 0.5, tokens: 110 },
  ...given,
});
const now = Date.parse("2026-01-10T23:00:00Z");

test("a range is a run, or days up to today, in UTC", () => {
  const rows = [row({ day: "2026-01-03" }), row({ day: "2026-01-04", run: "r2" }), row({})];
  expect(rowsInRange(rows, 7, "r1", now).map(({ day }) => day)).toEqual(["2026-01-04", "2026-01-10"]);
  expect(rowsInRange(rows, 30, "r1", now)).toHaveLength(3);
  expect(rowsInRange(rows, "run", "r2", now).map(({ run }) => run)).toEqual(["r2"]);
  expect(daysOf(2, now)).toEqual(["2026-01-09", "2026-01-10"]);
});

test("sums are by what a row is known by, the most expensive first; what has no such thing is left out", () => {
  const { model: _, ...lost } = row({ usd: 0.1, tokens: 5 });
  const rows = [row({ node: "n1" }), row({ node: "n2", usd: 2 }), row({ node: "n1" }), lost];
  expect(sumBy(rows, ({ node }) => node).map(({ key, usd, calls }) => [key, usd, calls])).toEqual([
    ["n2", 2, 1],
    ["n1", 1, 2],
  ]);
  expect(sumBy(rows, modelOf).map(({ key }) => key)).toEqual(["a/big", "not named"]);
  expect(cachedShare(sumBy(rows, modelOf)[0]!)).toBeCloseTo(0.4);
  expect(cachedShare({ input: 0, cache_read: 0 })).toBe(0);
});

test("a table of it quotes what must be, and starts no formula", () => {
  const text = csvOf([row({ model: '=HYPERLINK("x"),y', usd: 1e-7 })]);
  expect(text.split("\r\n")[0]).toBe(
    "run,day,worker,node,model,calls,unpriced,input,output,cache_read,cache_write,usd,tokens",
  );
  expect(text).toContain(`r1,2026-01-10,ada,,"'=HYPERLINK(""x""),y",1,`);
});
