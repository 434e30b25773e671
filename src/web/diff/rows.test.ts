import { expect, test } from "vitest";
import { linesOf, pairsOf } from "../../core/file/diff-line.ts";
import { spotKey } from "../../core/file/line-comment.ts";
import { diffOf } from "./diff.test-help.ts";
import { emphasisOf } from "./emphasis.ts";
import { foldersOf } from "./folders.ts";
import { type Layout, lineAfter, type Row, rowAfter, rowsOf } from "./rows.ts";

const prices = diffOf(`src/fetch.ts
@ 21 21 fetchPrice
 export async function fetchPrice(sku) {
-  const res = await fetch(url(sku));
-  if (!res.ok) throw new Error('price failed');
+  const res = await retry(() => fetch(url(sku)));
+    tries: 4,
+  });
   const body = await res.json();
-  return body.price;
+  return parsePrice(body);
 }
README.md
@ 1 1
 # Prices
+Now with retries.`);

const shown = (row: Row): string => {
  if (row.kind !== "line") return row.kind;
  const side = (line: (typeof row)["left"]) => (line ? `${line.old ?? line.new} ${line.text.trim()}` : "");
  return `${side(row.left)} | ${side(row.right)}`;
};
const rowsIn = (layout: Layout, folded = new Map<number, boolean>(), talk = new Set<string>()) =>
  rowsOf(prices, { layout, folded, talk });

test("a line has its number in the version before, after, or both", () => {
  expect(linesOf(prices.files[0]!.hunks[0]!).map((line) => [line.old, line.new])).toEqual([
    [21, 21],
    [22, undefined],
    [23, undefined],
    [undefined, 22],
    [undefined, 23],
    [undefined, 24],
    [24, 25],
    [25, undefined],
    [undefined, 26],
    [26, 27],
  ]);
});

test("side by side, what was removed stands beside what came in its place", () => {
  const pairs = pairsOf(linesOf(prices.files[0]!.hunks[0]!));
  expect(pairs.map(({ left, right }) => [left?.old, right?.new])).toEqual([
    [21, 21],
    [22, 22],
    [23, 23],
    [undefined, 24],
    [24, 25],
    [25, 26],
    [26, 27],
  ]);
});

test("the words that differ are marked, unless the lines have too little in common", () => {
  const marked = (text: string, marks: readonly (readonly [number, number])[]) =>
    marks.map(([from, to]) => text.slice(from, to));
  const [before, after] = ["const res = await fetch(url(sku));", "const res = await retry(() => fetch(url(sku)));"];
  const found = emphasisOf(before, after);
  expect(marked(before, found.before)).toEqual([]);
  expect(marked(after, found.after).join("|")).toContain("retry(() =>");
  expect(marked("return body.price;", emphasisOf("return body.price;", "return body.cost;").before)).toEqual(["price"]);
  expect(emphasisOf("import { a } from 'x';", "}").before).toEqual([]);
  expect(emphasisOf("same", "same")).toEqual({ before: [], after: [] });
  expect(emphasisOf("x".repeat(5_000), `${"x".repeat(5_000)}y`).after).toEqual([]);
});

test("a diff is rows: a file, its hunks, their lines, a gap to the next file", () => {
  expect(rowsIn("unified").map(shown)).toEqual([
    "file",
    "hunk",
    " | 21 export async function fetchPrice(sku) {",
    "22 const res = await fetch(url(sku)); | ",
    "23 if (!res.ok) throw new Error('price failed'); | ",
    " | 22 const res = await retry(() => fetch(url(sku)));",
    " | 23 tries: 4,",
    " | 24 });",
    " | 24 const body = await res.json();",
    "25 return body.price; | ",
    " | 26 return parsePrice(body);",
    " | 26 }",
    "gap",
    "file",
    "hunk",
    " | 1 # Prices",
    " | 2 Now with retries.",
  ]);
  expect(rowsIn("split")).toHaveLength(14);
  expect(rowsIn("unified", new Map([[0, true]])).map(({ kind }) => kind)).toEqual([
    ...["file", "gap", "file", "hunk", "line", "line"],
  ]);
});

test("long, deleted and generated files begin folded and say why; a file that is alone does not", () => {
  const long = `long.ts\n@ 1 1\n${"+x\n".repeat(401)}`;
  const many = diffOf(`${long}a/package-lock.json\n@ 1 1\n+x\ngone.ts\n@ 1 0\n-x\nshort.ts\n@ 1 1\n+x`);
  many.files[2]!.status = "deleted";
  const all = { layout: "unified" as const, folded: new Map<number, boolean>(), talk: new Set<string>() };
  expect(rowsOf(many, all).flatMap((row) => (row.kind === "note" ? [row.text] : []))).toEqual([
    "A long change",
    "A program writes this file",
    "The whole file is removed",
  ]);
  expect(rowsOf(many, { ...all, folded: new Map([[0, false]]) })).toHaveLength(3 + 401 + 6 + 4 - 1);
  expect(rowsOf(diffOf(long), all).length).toBe(403);
});

test("what is not shown is said: binary files, empty ones, renamed ones, and what was cut", () => {
  const odd = diffOf("logo.png\nempty.txt\nnew.ts\nhuge.csv\nsome.ts\n@ 1 1\n+x");
  odd.files[0]!.binary = true;
  odd.files[2]!.status = "renamed";
  odd.files[2]!.old_path = "old.ts";
  odd.files[3]!.cut = "12 MB";
  odd.files[4]!.cut = "2,000 lines more";
  odd.cut = "80 files more are not listed";
  const rows = rowsOf(odd, { layout: "split", folded: new Map(), talk: new Set() });
  expect(rows.flatMap((row) => (row.kind === "note" ? [row.text] : []))).toEqual([
    "A binary file: its content is not shown",
    "An empty file",
    "Renamed from old.ts; its content is the same",
    "Not shown: 12 MB",
    "The rest is not shown: 2,000 lines more",
    "80 files more are not listed",
  ]);
});

test("keys go to the next file, the next change and the next line, and stop at the end", () => {
  const rows = rowsIn("unified");
  expect(rowAfter(rows, 0, "file", 1)).toBe(13);
  expect(rowAfter(rows, 13, "file", 1)).toBeUndefined();
  expect(rowAfter(rows, 14, "file", -1)).toBe(13);
  expect([rowAfter(rows, -1, "change", 1), rowAfter(rows, 3, "change", 1), rowAfter(rows, 9, "change", 1)]).toEqual([
    3, 9, 16,
  ]);
  expect(rowAfter(rows, 9, "change", -1)).toBe(3);
  expect(lineAfter(rows, 11, 1)).toBe(15);
  expect(lineAfter(rows, 2, -1)).toBeUndefined();
});

test("files are listed by folder", () => {
  const folders = foldersOf(diffOf("src/b.ts\nsrc/a/x.ts\ntop.md\nsrc/a.ts"));
  expect(folders.map(({ path, files }) => [path, files.map(({ name }) => name).join(" ")])).toEqual([
    ["", "top.md"],
    ["src", "b.ts a.ts"],
    ["src/a", "x.ts"],
  ]);
});

test("a comment stands below its line in both layouts", () => {
  const talk = new Set([spotKey({ path: "src/fetch.ts", side: "new", line: 23 })]);
  for (const layout of ["unified", "split"] as const) {
    const rows = rowsIn(layout, new Map(), talk);
    const at = rows.findIndex(({ kind }) => kind === "talk");
    expect(shown(rows[at - 1]!)).toContain("23 tries: 4,");
  }
});
