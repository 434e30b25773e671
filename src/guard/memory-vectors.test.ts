import { expect, test } from "vitest";
import { createSimWorld } from "../../sim/world.ts";
import { createNotesInMemory, type Notes } from "../search/notes.ts";
import { createNoteFiles } from "./memory-files.ts";
import { createNoteIndex } from "./memory-index.ts";
import { agentPlace } from "./memory-place.ts";
import { createVectors } from "./memory-vectors.ts";

/** Sections that want vectors, an embedder that can be held up or fail, and virtual time. */
function start() {
  const sim = createSimWorld({ seed: 1, config: { buggify: 0, late: 0 } });
  const notes = createNotesInMemory();
  const limits: number[] = [];
  const counted: Notes = {
    ...notes,
    bare(owner, model, limit) {
      limits.push(limit);
      return notes.bare(owner, model, limit);
    },
  };
  const { files, clock } = sim.incarnate();
  const place = agentPlace("/home", "a1");
  const options = {
    owner: "a1",
    files: createNoteFiles(files, place),
    clock,
    notes: counted,
    changed: () => undefined,
  };
  const index = createNoteIndex(options);
  const asked: string[][] = [];
  let answer: (signal: AbortSignal) => Promise<unknown> = async () => undefined;
  const embedder = {
    id: "m1",
    async embed(texts: readonly string[], signal: AbortSignal) {
      asked.push([...texts]);
      await answer(signal);
      return texts.map(() => Float32Array.from([1, 0]));
    },
  };
  const vectors = createVectors({ owner: "a1", index, embedder, clock });
  return {
    sim,
    notes,
    vectors,
    asked,
    limits,
    /** From now on the embedder does this first. */
    answer(next: (signal: AbortSignal) => Promise<unknown>) {
      answer = next;
    },
    /** A file of so many sections. */
    put: (path: string, count: number) =>
      notes.put("a1", [
        {
          path,
          hash: `${path} ${count}`,
          stamp: "",
          head: { tier: "working", visibility: "private" },
          size: 1,
          fresh: 0,
          sections: Array.from({ length: count }, (_, n) => ({ heading: `Part ${n}`, text: `words ${n}` })),
        },
      ]),
    bare: () => notes.bare("a1", "m1", 1_000).length,
  };
}

test("every section gets its vector, sixteen at a time, and then nobody is asked again", async () => {
  const { vectors, asked, limits, put, bare, sim } = start();
  put("a.md", 40);
  vectors.touch();
  expect(bare()).toBe(40);
  await vectors.idle();
  expect(asked.map(({ length }) => length)).toEqual([16, 16, 8]);
  expect(new Set(asked.flat()).size).toBe(40);
  expect(bare()).toBe(0);
  expect(new Set(limits)).toEqual(new Set([512]));
  vectors.touch();
  await vectors.idle();
  expect(asked).toHaveLength(3);
  expect(await sim.time.run({ steps: 1 })).toBe("idle");
});

test("what comes while others are made is made as well, by the same work", async () => {
  const { vectors, asked, put, bare, answer } = start();
  const { promise, resolve } = Promise.withResolvers<void>();
  answer(() => promise);
  put("a.md", 1);
  vectors.touch();
  const work = vectors.idle();
  await new Promise(setImmediate);
  expect(asked).toHaveLength(1);
  put("b.md", 1);
  vectors.touch();
  await new Promise(setImmediate);
  expect(asked).toHaveLength(1);
  resolve();
  await work;
  expect([asked.length, bare()]).toEqual([2, 0]);
});

test("what comes just when nothing was found to do is not forgotten", async () => {
  const { vectors, put, bare } = start();
  vectors.touch();
  put("a.md", 16);
  vectors.touch();
  await vectors.idle();
  expect(bare()).toBe(0);
});

test("what comes while an embedder fails is tried at once, without the pause", async () => {
  const { vectors, asked, put, bare, answer } = start();
  const { promise, reject } = Promise.withResolvers<void>();
  answer(() => promise);
  put("a.md", 1);
  vectors.touch();
  const work = vectors.idle();
  await new Promise(setImmediate);
  vectors.touch();
  answer(async () => undefined);
  reject(new Error("no"));
  await work;
  await vectors.idle();
  expect([asked.length, bare()]).toEqual([2, 0]);
});

test("a section means its headings and its text; as many as go together are asked for once", async () => {
  const { vectors, asked, notes } = start();
  const sections = [
    { heading: "", text: "plain words" },
    { heading: "One › Two", text: "## Two\n\nwords below" },
    ...Array.from({ length: 14 }, (_, n) => ({ heading: "", text: `more ${n}` })),
  ];
  const head = { tier: "working" as const, visibility: "private" as const };
  notes.put("a1", [{ path: "a.md", hash: "h", stamp: "", head, size: 1, fresh: 0, sections }]);
  vectors.touch();
  await vectors.idle();
  expect(asked).toHaveLength(1);
  expect(asked[0]).toHaveLength(16);
  expect(asked[0]).toEqual(expect.arrayContaining(["plain words", "One. Two. words below"]));
});

test("an embedder that fails is asked again after a minute, or when something new comes, and then once", async () => {
  const { vectors, asked, put, bare, answer, sim } = start();
  answer(() => Promise.reject(new Error("no")));
  put("a.md", 1);
  vectors.touch();
  await vectors.idle();
  await sim.time.run({ ms: 59_999 });
  expect(asked).toHaveLength(1);
  await sim.time.run({ ms: 2 });
  expect(asked).toHaveLength(2);
  await vectors.idle();
  answer(async () => undefined);
  put("b.md", 1);
  vectors.touch();
  await vectors.idle();
  expect([asked.length, bare()]).toEqual([3, 0]);
  expect(await sim.time.run({ steps: 1 })).toBe("idle");
});

test("what is closed makes nothing more, neither now nor later, and says so to the embedder", async () => {
  const { vectors, asked, put, bare, answer, sim } = start();
  let told: AbortSignal | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  answer((signal) => {
    told = signal;
    return promise;
  });
  put("a.md", 1);
  vectors.touch();
  await new Promise(setImmediate);
  expect(told?.aborted).toBe(false);
  const work = vectors.idle();
  vectors.close();
  expect(told?.aborted).toBe(true);
  resolve();
  await work;
  vectors.touch();
  await vectors.idle();
  expect([asked.length, bare()]).toEqual([1, 1]);
  expect(await sim.time.run({ steps: 1 })).toBe("idle");
});

test("what is closed while it waits to try again, or fails because of it, does not wait", async () => {
  for (const closed of ["after", "before"]) {
    const { vectors, asked, put, answer, sim } = start();
    const { promise, reject } = Promise.withResolvers<void>();
    answer(() => promise);
    put("a.md", 1);
    vectors.touch();
    const work = vectors.idle();
    await new Promise(setImmediate);
    if (closed === "before") vectors.close();
    reject(new Error("no"));
    await work;
    if (closed === "after") vectors.close();
    expect(await sim.time.run({ steps: 1 })).toBe("idle");
    expect(asked).toHaveLength(1);
  }
});
