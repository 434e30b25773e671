import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { files as disk } from "../lib/machine/files.ts";
import { Problem } from "../schema/problem.ts";
import { createNotesInMemory, type Notes } from "../search/notes.ts";
import { tempFolder } from "../store/temp.test-help.ts";
import { createNoteFiles } from "./memory-files.ts";
import { createNoteIndex } from "./memory-index.ts";
import { agentPlace } from "./memory-place.ts";

const hour = 3_600_000;
const noon = Date.parse("2026-11-15T12:00:00.000Z");

/** An index of notes on a real disk, by a clock that stands still until it is moved. */
async function start({ notes = createNotesInMemory() }: { notes?: Notes } = {}) {
  const place = agentPlace(await tempFolder(), "a1");
  mkdirSync(place.root, { recursive: true });
  const time = { now: noon, mono: 1_000_000 };
  /** How long each listing takes. */
  let listing = 0;
  const seen = { reads: [] as string[], lists: 0, changes: 0 };
  const real = createNoteFiles(disk, place);
  const files = {
    ...real,
    read(name: string) {
      seen.reads.push(name);
      return real.read(name);
    },
    list() {
      seen.lists++;
      time.mono += listing;
      return real.list();
    },
  };
  const build = (given: Notes | null = notes) =>
    createNoteIndex({
      owner: place.owner,
      files,
      clock: { now: () => time.now, mono: () => time.mono, after: () => () => undefined },
      notes: given ?? undefined,
      changed: () => seen.changes++,
    });
  const index = build();
  return {
    index,
    build,
    notes,
    files,
    seen,
    time,
    takes(ms: number) {
      listing = ms;
    },
    /** What a person does with an editor, so long ago. */
    edit(name: string, text: string, age = hour) {
      mkdirSync(dirname(join(place.root, name)), { recursive: true });
      writeFileSync(join(place.root, name), text);
      utimesSync(join(place.root, name), (time.now - age) / 1_000, (time.now - age) / 1_000);
    },
    remove: (name: string) => rmSync(join(place.root, name)),
    /** Paths of what is found by a word. */
    found: (word: string, of = index) =>
      of.ask((given) => given.words(place.owner, word, 9).map(({ row }) => given.section(row)!.path)),
  };
}

test("a file is read once, and again when its size or its time is another", async () => {
  const { index, seen, edit, found } = await start();
  edit("memory/a.md", "walrus");
  for (let n = 0; n < 3; n++) await index.look();
  expect(seen.reads).toEqual(["memory/a.md"]);
  edit("memory/a.md", "walrus and penguin");
  await index.look();
  edit("memory/a.md", "walrus or penguins", 2 * hour);
  await index.look();
  await index.look();
  expect(seen.reads).toHaveLength(3);
  expect(await found("penguins")).toEqual(["memory/a.md"]);
});

test("a file that was changed within two seconds is read until it is older", async () => {
  const { index, seen, edit, time } = await start();
  edit("memory/a.md", "walrus", 0);
  for (const later of [0, 1_000, 1_000]) {
    time.now += later;
    await index.look();
  }
  expect(seen.reads).toHaveLength(3);
  time.now += 1;
  for (let n = 0; n < 3; n++) await index.look();
  expect(seen.reads).toHaveLength(4);
});

test("another life reads nothing again that is the same, also what was young when it was taken in", async () => {
  const { index, build, seen, edit, time, files } = await start();
  edit("memory/a.md", "walrus");
  await files.write("memory/b.md", "penguin");
  edit("memory/b.md", "penguin", 0);
  await index.take("memory/b.md", "penguin");
  time.now += 10_000;
  await index.look();
  expect(seen.reads.sort()).toEqual(["memory/a.md", "memory/b.md"]);
  await build().look();
  expect(seen.reads).toHaveLength(2);
});

test("what was written is found without looking, and what is gone is not found after it", async () => {
  const { index, seen, files, found, remove, edit } = await start();
  await files.write("memory/a.md", "walrus");
  await index.take("memory/a.md", "walrus");
  expect(await found("walrus")).toEqual(["memory/a.md"]);
  expect([seen.lists, seen.changes]).toEqual([0, 1]);
  remove("memory/a.md");
  edit("memory/b.md", "penguin");
  await index.look();
  expect([await found("walrus"), await found("penguin")]).toEqual([[], ["memory/b.md"]]);
});

test("a note that is gone and comes back as it was is found again", async () => {
  const { index, found, remove, edit } = await start();
  edit("memory/a.md", "walrus");
  await index.look();
  remove("memory/a.md");
  await index.look();
  expect(await found("walrus")).toEqual([]);
  edit("memory/a.md", "walrus");
  await index.look();
  expect(await found("walrus")).toEqual(["memory/a.md"]);
});

test("a note that was written and is gone again is found until somebody looks", async () => {
  const { index, found } = await start();
  await index.take("memory/a.md", "walrus");
  expect(await found("walrus")).toEqual(["memory/a.md"]);
  await index.look();
  expect(await found("walrus")).toEqual([]);
});

test("a file with another time and the same words is nothing new", async () => {
  const { index, seen, edit } = await start();
  edit("memory/a.md", "walrus");
  await index.look();
  const before = seen.changes;
  edit("memory/a.md", "walrus", 2 * hour);
  await index.look();
  expect([seen.reads.length, seen.changes]).toEqual([2, before]);
});

test("a note that became too large is not found any more, and the others are", async () => {
  const { index, found, edit } = await start();
  edit("memory/a.md", "walrus");
  edit("memory/b.md", "walrus");
  await index.look();
  edit("memory/a.md", "walrus ".repeat(200_000));
  edit("memory/c.md", "too large from the beginning ".repeat(50_000));
  await index.look();
  expect(await found("walrus")).toEqual(["memory/b.md"]);
  expect(await found("beginning")).toEqual([]);
});

test("a note that is listed by nobody for a moment and yet is there stays", async () => {
  const { index, found, edit, files } = await start();
  edit("memory/a.md", "walrus");
  await index.look();
  files.list = async () => [];
  await index.look();
  expect(await found("walrus")).toEqual(["memory/a.md"]);
});

test("many files are taken in by the sixty-four, each once", async () => {
  const notes = createNotesInMemory();
  const sizes: number[] = [];
  const put: Notes["put"] = (owner, versions) => {
    sizes.push(versions.length);
    notes.put(owner, versions);
  };
  const { index, edit, seen } = await start({ notes: { ...notes, put } });
  for (let n = 0; n < 130; n++) edit(`memory/${n}.md`, `walrus ${n}`);
  await index.look();
  expect(sizes).toEqual([64, 64, 2]);
  // Each time something was put, and once for what an earlier life may have left undone.
  expect(seen.changes).toBe(4);
  await index.look();
  expect([sizes.length, seen.changes]).toEqual([3, 4]);
});

const rests: [took: number, rest: number][] = [
  [9, 0],
  [10, 500],
  [100, 5_000],
  [600, 30_000],
  [5_000, 30_000],
];

test.each(rests)("after a look that took %i ms none is taken for %i ms, unless it must be", async (took, rest) => {
  const { index, takes, seen, time } = await start();
  takes(took);
  await index.look();
  expect(seen.lists).toBe(1);
  if (rest) {
    time.mono += rest - 1;
    await index.look();
    expect(seen.lists).toBe(1);
    time.mono += 1;
  }
  await index.look();
  expect(seen.lists).toBe(2);
  await index.look(true);
  expect(seen.lists).toBe(3);
});

test("who asks to look while somebody looks waits for that look", async () => {
  const { index, seen, edit, found } = await start();
  edit("memory/a.md", "walrus");
  await Promise.all([index.look(), index.look(true), index.look()]);
  expect(seen.lists).toBe(1);
  expect(await found("walrus")).toEqual(["memory/a.md"]);
});

test("an index that fails is replaced by one that is made from the files, once; other faults are told", async () => {
  const notes = createNotesInMemory();
  let fault: Error | undefined;
  const words: Notes["words"] = (...given) => {
    if (fault) throw fault;
    return notes.words(...given);
  };
  const { index, edit, found, seen, takes } = await start({ notes: { ...notes, words } });
  takes(1_000);
  edit("memory/a.md", "walrus");
  await index.look();
  fault = new Problem("invalid", "a bad question");
  await expect(found("walrus")).rejects.toBe(fault);
  fault = new Error("odd");
  await expect(found("walrus")).rejects.toBe(fault);
  expect(seen.lists).toBe(1);
  fault = new Problem("storage_failed", "the disk is gone");
  expect(await found("walrus")).toEqual(["memory/a.md"]);
  expect(seen.lists).toBe(2);
  const failing = () => {
    throw fault;
  };
  await expect(index.ask(failing)).rejects.toBe(fault);
  expect(seen.lists).toBe(2);
});

test("without an index file, a memory without notes answers as an empty index does, and the first note is found", async () => {
  const { build, found, edit } = await start();
  const index = build(null);
  const empty = createNotesInMemory();
  const answers = (notes: Omit<Notes, "put">) => [
    notes.files("a"),
    notes.list("a", { limit: 9 }),
    notes.foreign("a", 9),
    notes.file("a", "x.md"),
    notes.count("a", 0),
    notes.rowsOf("a", ["private"]),
    notes.words("a", "walrus", 9),
    notes.near("a", "m", Float32Array.of(1), 9),
    notes.section(1),
    notes.bare("a", "m", 9),
    notes.confirm("a", "x.md", { hash: "", stamp: "" }),
    notes.remove("a", "x.md"),
    notes.touch("a", ["x.md"], 0),
    notes.embed("m", [{ row: 1, vector: Float32Array.of(1) }]),
  ];
  expect(await index.ask(answers)).toEqual(answers(empty));
  await index.look();
  expect(await index.ask(answers)).toEqual(answers(empty));
  edit("memory/a.md", "walrus");
  await index.look();
  expect(await found("walrus", index)).toEqual(["memory/a.md"]);
});
