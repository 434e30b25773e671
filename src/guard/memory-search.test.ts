import { rmSync, truncateSync, utimesSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Embedder } from "../lib/embedder.ts";
import { files as disk } from "../lib/machine/files.ts";
import { openIndex } from "../search/search.ts";
import { pathsOf, start } from "./memory.test-help.ts";
import type { MemoryOptions } from "./memory.ts";

describe("search by words", () => {
  const notes = {
    "knowledge/deploy.md": "# Deploy\n\nWe ship on Tuesdays.\n\n## Rollback\n\nRevert the release and purge the cache.",
    "knowledge/billing.md": "# Billing\n\nInvoices are sent by Stripe on the first.",
  };
  async function filled(options: Partial<MemoryOptions> = {}) {
    const started = await start(options);
    for (const [path, text] of Object.entries(notes)) await started.memory.write(path, text);
    return started;
  }

  test("finds sections, whole, with where they are, and says that it was by words only", async () => {
    const { memory } = await filled();
    expect(await memory.search("how do I purge caches?", 3)).toEqual({
      by: "words",
      found: [
        {
          path: "memory/knowledge/deploy.md",
          section: "Deploy › Rollback",
          text: "## Rollback\n\nRevert the release and purge the cache.",
          score: expect.any(Number),
          fit: 1,
        },
      ],
    });
    expect(pathsOf(await memory.search("Stripe", 3))).toEqual(["memory/knowledge/billing.md"]);
    expect(pathsOf(await memory.search("billing", 3))).toEqual(["memory/knowledge/billing.md"]);
    expect(pathsOf(await memory.search("the", 1))).toHaveLength(1);
  });

  test("takes any text as words", async () => {
    const { memory } = await filled();
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom('"', "a AND", "NEAR(", "text:x", "*", "owner : x")),
        async (query) => {
          expect((await memory.search(query, 5)).by).toBe("words");
        },
      ),
      { numRuns: 200 },
    );
  });

  test("knows at once what people change, add and delete by hand", async () => {
    const { memory, edit, root } = await filled();
    await memory.search("warm up", 1);
    await edit("memory/knowledge/deploy.md", "# Deploy\n\nWe ship with penguins.");
    await edit("memory/experiences/new.md", "walrus");
    rmSync(join(root, "memory/knowledge/billing.md"));
    await memory.indexed();
    expect(pathsOf(await memory.search("penguins", 3))).toEqual(["memory/knowledge/deploy.md"]);
    expect(pathsOf(await memory.search("walrus", 3))).toEqual(["memory/experiences/new.md"]);
    expect(pathsOf(await memory.search("stripe purge", 3))).toEqual([]);
  });

  test("a deleted, damaged or older index is made again from the files", async () => {
    const { memory, home, again } = await filled();
    const path = join(home, "index.sqlite");
    const open = () => openIndex({ path, files: disk });
    let index = await open();
    const found = async () => {
      const memory = again({ notes: index.notes });
      await memory.indexed();
      return pathsOf(await memory.search("purge", 3));
    };
    expect(await found()).toEqual(["memory/knowledge/deploy.md"]);
    index.close();

    await memory.write("knowledge/deploy.md", "no more of it");
    await memory.write("knowledge/other.md", "purge");
    index = await open();
    expect(index.notes.files("a1").size).toBe(2);
    expect(await found()).toEqual(["memory/knowledge/other.md"]);
    index.close();

    rmSync(path);
    index = await open();
    expect(await found()).toEqual(["memory/knowledge/other.md"]);
    index.close();

    truncateSync(path, 5000);
    index = await open();
    expect(await found()).toEqual(["memory/knowledge/other.md"]);
    index.close();
  });

  test("an index that fails while it is used is replaced, and nothing is missed", async () => {
    const index = await openIndex({ path: ":memory:" });
    const { memory } = await filled({ notes: index.notes });
    index.close();
    expect(pathsOf(await memory.search("purge", 3))).toEqual(["memory/knowledge/deploy.md"]);
    await memory.write("late.md", "albatross");
    expect(pathsOf(await memory.search("albatross", 3))).toEqual(["memory/late.md"]);
  });
});

/** Means nothing but knows three topics. */
function topical(
  model = "topics",
  options: { fails?: () => boolean; hangs?: boolean } = {},
): Embedder & { asked: string[] } {
  const topics = [/dog|puppy|hound/i, /car|vehicle|automobile/i, /rain|weather|storm/i];
  const asked: string[] = [];
  return {
    id: model,
    asked,
    async embed(texts) {
      asked.push(...texts);
      if (options.fails?.()) throw new Error("no");
      if (options.hangs) await new Promise(() => undefined);
      return texts.map((text) => Float32Array.from(topics, (topic) => (topic.test(text) ? 1 : 0)));
    },
  };
}

describe("search by meaning", () => {
  test("finds what shares no word, beside what does", async () => {
    const { memory } = await start({ embedder: topical() });
    await memory.write("a.md", "The puppy sleeps in the kitchen.");
    await memory.write("b.md", "An automobile needs oil.");
    await memory.indexed();
    expect(await memory.search("nothing of the kind", 5)).toEqual({ by: "words", found: [] });
    expect(await memory.search("hound", 1)).toMatchObject({
      by: "words and meaning",
      found: [{ path: "memory/a.md" }],
    });
    expect(pathsOf(await memory.search("vehicle kitchen", 2)).sort()).toEqual(["memory/a.md", "memory/b.md"]);
  });

  test("a section that stays keeps its vector when its file changes", async () => {
    const embedder = topical();
    const { memory } = await start({ embedder });
    await memory.write("a.md", "# One\n\ndog\n\n# Two\n\ncar");
    await memory.indexed();
    const before = embedder.asked.length;
    await memory.write("a.md", "# One\n\ndog\n\n# Two\n\ncar\n\n# Three\n\nrain");
    await memory.indexed();
    expect(embedder.asked.slice(before)).toEqual(["Three. rain"]);
  });

  test("another model means other vectors, for everything", async () => {
    const { memory, again, root } = await start({
      notes: (await openIndex({ path: ":memory:" })).notes,
      embedder: topical(),
    });
    await memory.write("a.md", "dog");
    await memory.indexed();
    let down = true;
    const embedder = topical("better", { fails: () => down });
    utimesSync(join(root, "memory/a.md"), 0, 0);
    expect((await again({ embedder }).search("dog", 1)).by).toBe("words");
    down = false;
    const later = again({ embedder });
    await expect.poll(async () => (await later.search("puppy", 1)).by).toBe("words and meaning");
    expect(embedder.asked).toContain("dog");
  });

  test("an embedder that fails or hangs only costs the meaning", async () => {
    for (const options of [{ fails: () => true }, { hangs: true }]) {
      const { memory } = await start({ embedder: topical("bad", options), patienceMs: 10 });
      await memory.write("a.md", "the dog sleeps");
      expect(await memory.search("dog", 1)).toMatchObject({ by: "words", found: [{ path: "memory/a.md" }] });
    }
  });
});
