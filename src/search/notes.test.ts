import fc from "fast-check";
import { expect, test } from "vitest";
import { createNotesInMemory, type NewNote } from "./notes.ts";

const note = (path: string, ...texts: string[]): NewNote => ({
  path,
  hash: texts.join(),
  stamp: "s",
  head: { tier: "working", visibility: "private" },
  size: 1,
  fresh: 0,
  sections: texts.map((text) => ({ heading: "", text })),
});
const found = (notes: ReturnType<typeof createNotesInMemory>, rows: { row: number }[]) =>
  rows.map(({ row }) => notes.section(row)?.text);

test("what a file no longer says is no longer found, and nothing of another file goes with it", () => {
  const notes = createNotesInMemory();
  notes.put("a", [note("x.md", "red apple", "green apple"), note("y.md", "red apple")]);
  expect(notes.words("a", "red", 9)).toHaveLength(2);
  notes.put("a", [note("x.md", "green apple", "blue apple")]);
  expect(found(notes, notes.words("a", "red", 9))).toEqual(["red apple"]);
  expect(found(notes, notes.words("a", "blue", 9))).toEqual(["blue apple"]);
  notes.remove("a", "y.md");
  expect(notes.words("a", "red", 9)).toEqual([]);
  expect([...notes.files("a").keys()]).toEqual(["x.md"]);
});

test("a share of the words is the score; endings do not matter", () => {
  const notes = createNotesInMemory();
  notes.put("a", [note("x.md", "The connections were pooled.")]);
  expect(notes.words("a", "pooling a connection", 9)).toMatchObject([{ score: 1 }]);
  expect(notes.words("a", "pooling elephants", 9)).toMatchObject([{ score: 0.5 }]);
  expect(notes.words("b", "pooling", 9)).toEqual([]);
});

test("a vector goes with its section, never to another that takes its place", () => {
  const notes = createNotesInMemory();
  notes.put("a", [note("x.md", "old")]);
  const [old] = notes.bare("a", "m", 9);
  notes.remove("a", "x.md");
  notes.put("a", [note("x.md", "new")]);
  const vector = Float32Array.of(1, 0);
  notes.embed("m", [{ row: old!.row, vector }]);
  expect(notes.near("a", "m", vector, 9)).toEqual([]);
  const [bare] = notes.bare("a", "m", 9);
  expect(bare).toMatchObject({ text: "new" });

  notes.embed("m", [{ row: bare!.row, vector }]);
  expect(found(notes, notes.near("a", "m", vector, 9))).toEqual(["new"]);
  notes.put("a", [note("x.md", "newer")]);
  expect(notes.near("a", "m", vector, 9)).toEqual([]);
});

test("vectors that come and go are found as if they had always been there", () => {
  const change = fc.record({
    file: fc.integer({ min: 0, max: 5 }),
    texts: fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 4 }),
  });
  const vectorOf = (text: string) => Float32Array.from({ length: 10 }, (_, at) => (`t${at}` === text ? 1 : 0.1));
  const query = Float32Array.from({ length: 10 }, (_, at) => at);
  const fill = (notes: ReturnType<typeof createNotesInMemory>) => {
    const bare = notes.bare("a", "m", 99);
    notes.embed(
      "m",
      bare.map(({ row, text }) => ({ row, vector: vectorOf(text) })),
    );
  };
  fc.assert(
    fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
      const [used, fresh] = [createNotesInMemory(), createNotesInMemory()];
      const files = new Map<string, NewNote>();
      for (const { file, texts } of changes) {
        const given = note(`${file}.md`, ...new Set(texts.map((one) => `t${one}`)));
        files.set(given.path, given);
        used.put("a", [given]);
        fill(used);
        used.near("a", "m", query, 3);
      }
      fresh.put("a", [...files.values()]);
      fill(fresh);
      expect(found(used, used.near("a", "m", query, 99))).toEqual(found(fresh, fresh.near("a", "m", query, 99)));
    }),
    { numRuns: 60 },
  );
});

test("the nearest are those that an exact comparison finds, in nearly the same order", () => {
  const vector = fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(fc.array(vector, { minLength: 1, maxLength: 30 }), vector, (vectors, query) => {
      const notes = createNotesInMemory();
      notes.put("a", [note("x.md", ...vectors.map((_, n) => `t${n}`))]);
      const rows = notes.bare("a", "m", 99).toSorted((x, y) => x.row - y.row);
      const made = rows.map(({ row }, n) => ({ row, vector: Float32Array.from(vectors[n]!) }));
      notes.embed("m", made);
      const exact = new Map(made.map(({ row, vector }) => [row, cosine(vector, query)]));
      const near = notes.near("a", "m", Float32Array.from(query), 5);
      expect(near).toHaveLength(Math.min(5, vectors.length));
      for (const { row, score } of near) expect(Math.abs(score - exact.get(row)!)).toBeLessThan(0.05);
      const best = Math.max(...exact.values());
      expect(exact.get(near[0]!.row)!).toBeGreaterThan(best - 0.05);
    }),
    { numRuns: 50 },
  );
});

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>) =>
    Array.from(x).reduce((sum, one, at) => sum + one * y[at]!, 0);
  return dot(a, b) / (Math.sqrt(dot(a, a)) || 1) / (Math.sqrt(dot(b, b)) || 1);
};

test("the freshest files come first, by tier and by time, and a use makes one fresh", () => {
  const notes = createNotesInMemory();
  const at = (path: string, fresh: number, tier: "core" | "working" = "working") =>
    notes.put("a1", [{ ...note(path, path), fresh, head: { tier, visibility: "private" } }]);
  at("a.md", 10);
  at("b.md", 20);
  at("c.md", 30, "core");
  const paths = (wish: Parameters<typeof notes.list>[1]) => notes.list("a1", wish).map(({ path }) => path);
  expect(paths({ limit: 10 })).toEqual(["c.md", "b.md", "a.md"]);
  expect(paths({ tier: "working", limit: 1, offset: 1 })).toEqual(["a.md"]);
  expect(notes.count("a1", 20)).toEqual({ files: 3, bytes: 3, faded: 1 });
  notes.touch("a1", ["a.md", "none.md"], 40);
  expect(paths({ since: 30, limit: 10 })).toEqual(["a.md", "c.md"]);
  expect(notes.file("a1", "a.md")).toMatchObject({ fresh: 40, times: 1 });
  // Writing it anew loses neither.
  at("a.md", 5);
  expect(notes.file("a1", "a.md")).toMatchObject({ fresh: 40, times: 1 });
  expect(notes.count("a2", 0)).toEqual({ files: 0, bytes: 0, faded: 0 });
});

test("among notes for others, only those are found", () => {
  const notes = createNotesInMemory();
  const put = (path: string, visibility: "private" | "shareable" | "public") =>
    notes.put("a1", [{ ...note(path, `deploy ${path}`), head: { tier: "working", visibility } }]);
  put("own.md", "private");
  put("asked.md", "shareable");
  put("all.md", "public");
  for (const [n, { row }] of notes.bare("a1", "m", 9).entries())
    notes.embed("m", [{ row, vector: Float32Array.of(1, n / 100) }]);
  const within = notes.rowsOf("a1", ["shareable", "public"]);
  expect(found(notes, notes.words("a1", "deploy", 9, within)).sort()).toEqual(["deploy all.md", "deploy asked.md"]);
  expect(found(notes, notes.near("a1", "m", Float32Array.of(1, 0), 1, within))).not.toContain("deploy own.md");
  expect(notes.near("a1", "m", Float32Array.of(1, 0), 9, within)).toHaveLength(2);
  expect(notes.rowsOf("a2", ["public"])).toEqual(new Set());
});
