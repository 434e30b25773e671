import fc from "fast-check";
import { expect, test } from "vitest";
import { type Attached, attachedIn, requireResources, withAttached } from "./attached.ts";
import { refusal, start } from "./core.test-help.ts";

const id = "ab".repeat(32);
const sheet: Attached = { id, title: "prices (2026).csv", type: "text/csv", size: 12 };

test("what goes with a message stands in its text, and comes out of it again", () => {
  const text = withAttached("Look at this", [sheet]);
  expect(text).toBe(
    `Look at this\n[attached: prices (2026).csv (text/csv, 12 bytes); the whole is resource ${id}, also readable as _resources/prices-2026-abababab.csv]`,
  );
  expect(attachedIn(text)).toEqual({ text: "Look at this", attached: [sheet] });
});

test("a file alone is a message too, and a text without any stays as it is", () => {
  expect(attachedIn(withAttached("", [sheet, sheet]))).toEqual({ text: "", attached: [sheet, sheet] });
  expect(withAttached(" as it is \n", [])).toBe(" as it is \n");
  expect(attachedIn("no [attached: x]\n")).toEqual({ text: "no [attached: x]\n", attached: [] });
});

test("any title comes back on one line, whatever is in it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 200 }), fc.nat(1e9), (title, size) => {
      const { attached } = attachedIn(withAttached("x", [{ id, title, type: "a/b", size }]));
      const shown = title.replace(/[\s\p{Cc}]+/gu, " ").trim();
      if (shown) expect(attached).toEqual([{ id, title: shown, type: "a/b", size }]);
    }),
  );
});

test("only what the run has kept can go with a message; the refusal names what there is", () => {
  const { tell, state } = start();
  expect(refusal(() => requireResources(state, [id]))).toMatch(/^not_found.*there are none/);
  tell({ type: "resource.create", resource: id, title: "a.csv", size: 1, preview: "" }, "human");
  expect(requireResources(state, [id, id]).map(({ title }) => title)).toEqual(["a.csv"]);
  expect(refusal(() => requireResources(state, ["c".repeat(64)]))).toContain("abababababab (a.csv)");
});

test("a file alone begins its message, and blanks around a title are left out", () => {
  const text = withAttached("", [{ ...sheet, title: "  a\tb.csv \n", type: " text/csv " }]);
  expect(text).toMatch(/^\[attached: a b\.csv \(text\/csv, 12 bytes\);/);
  expect(withAttached("x", [])).toBe("x");
  expect(attachedIn(withAttached("Two lines\nof text  \n", [sheet, { ...sheet, title: "b.csv" }]))).toEqual({
    text: "Two lines\nof text",
    attached: [sheet, { ...sheet, title: "b.csv" }],
  });
});

test("a refusal names the last ten resources, by the beginning of their ids", () => {
  const { tell, state } = start();
  const ids = Array.from({ length: 12 }, (_, n) => n.toString(16).repeat(64));
  for (const [n, resource] of ids.entries())
    tell({ type: "resource.create", resource, title: `${n}.csv`, size: 1, preview: "" }, "human");
  const named = ids.slice(2).map((each, n) => `${each.slice(0, 12)} (${n + 2}.csv)`);
  expect(refusal(() => requireResources(state, ["f".repeat(64)]))).toBe(
    `not_found: there is no resource ${"f".repeat(64)} in this run; there are ${named.join(", ")}`,
  );
});
