/**
 * Memory: how long a search takes among ten thousand notes and among a hundred thousand, how often it finds the note that is meant although the
 * question uses other words, and what is found after thirty weeks of work (memory-life.ts).
 *
 * The time is of the whole search, as a tool calls it: files looked at, words, the question's vector by the offline model in its thread, nearness,
 * sections. Only the stored vectors of the ten thousand are drawn by chance, since making them would take minutes; comparing them costs the same.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemory, type OwnMemory } from "../src/guard/memory.ts";
import { agentPlace } from "../src/guard/memory-place.ts";
import type { Embedder } from "../src/lib/embedder.ts";
import { machine } from "../src/lib/machine/index.ts";
import { createOfflineEmbedder } from "../src/lib/machine/offline-embedder.ts";
import { openIndex } from "../src/search/search.ts";
import type { Bench, Figure } from "./figure.ts";
import { life } from "./memory-life.ts";
import { paraphrases } from "./paraphrases.ts";
import { quantile, timed } from "./rounds.ts";

export const memory: Bench = {
  name: "memory",
  about:
    "Search by words and by meaning together, with the offline model: its time over ten thousand notes, and the share of paraphrased questions whose note comes first, against words alone.",
  async run(place) {
    const offline = createOfflineEmbedder();
    try {
      return [
        ...(await time(place.folder("notes"), Math.round(10_000 * place.size), offline, "memory")),
        ...(await time(place.folder("many"), Math.round(100_000 * place.size), offline, "memory.100k")),
        ...(await life(place.folder("life"), offline)),
        ...(await quality(place.folder("paraphrases"), offline)),
      ];
    } finally {
      await offline.close();
    }
  },
};

async function time(home: string, count: number, offline: Embedder, name: string): Promise<Figure[]> {
  const at = agentPlace(home, "a1");
  for (let n = 0; n < count; n++) note(at.root, `knowledge/${n % 100}/${n}.md`, text(n));
  const index = await openIndex({ path: join(home, "index.sqlite"), files: machine.files });
  const random: Embedder = {
    id: offline.id,
    embed: async (texts, signal, urgent) =>
      urgent ? await offline.embed(texts, signal, urgent) : texts.map(() => Float32Array.from({ length: 512 }, chance)),
  };
  const memories = createMemory({ world: machine, notes: index.notes, embedder: random });
  const own = memories.of(at);
  const filling = await timed(() => own.indexed());
  for (const [, question] of paraphrases.slice(0, 5)) await own.search(question, 6);
  const times: number[] = [];
  const vectors: number[] = [];
  const { signal } = new AbortController();
  for (let round = 0; round < 3; round++)
    for (const [, question] of paraphrases) {
      times.push(await timed(() => answered(own, question)));
      vectors.push(await timed(() => offline.embed([question], signal)));
    }
  const openings: number[] = [];
  for (const [, question] of paraphrases.slice(0, 20))
    openings.push(await timed(() => own.opening(machine.clock.now(), question)));
  const opening = quantile(openings, 0.5);
  const written = await timed(() => own.write("new.md", "A note that nobody knew."));
  const next = await timed(() => answered(own, "unknown note"));
  memories.close();
  index.close();
  const figure = (name: string, part: number): Figure => {
    const [value, baseline] = [quantile(times, part), quantile(vectors, part)];
    return { name, value, unit: "ms", baseline, ratio: value / baseline, goal: "< 50 ms", ok: value < 50 };
  };
  return [
    {
      ...figure(`${name}.search.p50`, 0.5),
      note: `${times.length} searches over ${count} notes, one file each, against the model's vector of the same question alone; slowest ${quantile(times, 1).toFixed(0)} ms. Indexing them took ${(filling / 1000).toFixed(1)} s; a write ${written.toFixed(0)} ms, the search after it ${next.toFixed(0)} ms.`,
    },
    figure(`${name}.search.p99`, 0.99),
    {
      name: `${name}.opening.p50`,
      value: opening,
      unit: "ms",
      baseline: null,
      ratio: null,
      goal: "< 100 ms",
      ok: opening < 100,
      note: `${openings.length} openings of the same memory, each for a task, slowest ${quantile(openings, 1).toFixed(0)} ms.`,
    },
  ];
}

async function quality(home: string, offline: Embedder): Promise<Figure[]> {
  const at = agentPlace(home, "a1");
  for (const [n, [text]] of paraphrases.entries()) note(at.root, `knowledge/${n}.md`, text);
  const words = createMemory({ world: machine }).of(at);
  const both = createMemory({ world: machine, embedder: offline, patienceMs: 60_000 }).of(at);
  // A search does not wait for files that it has not looked at yet; here it is the ranking that counts.
  await words.indexed();
  await both.indexed();
  const [alone, together] = [await ranksIn(words), await ranksIn(both)];
  const figure = (name: string, score: (ranks: readonly number[]) => number, goal: boolean): Figure => ({
    name,
    value: score(together),
    unit: "of 1",
    baseline: score(alone),
    ratio: score(together) / score(alone),
    goal: goal ? "above words alone" : null,
    ok: !goal || score(together) > score(alone),
  });
  const share = (most: number) => (ranks: readonly number[]) =>
    ranks.filter((rank) => rank <= most).length / ranks.length;
  return [
    {
      ...figure("memory.hit@1", share(1), true),
      note: `${paraphrases.length} questions over as many notes (bench/paraphrases.ts), words and meaning together against words alone.`,
    },
    figure("memory.hit@3", share(3), false),
    figure("memory.mrr", (ranks) => ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length, false),
  ];
}

/** The place of each question's note among what is found; infinite if it is not. */
async function ranksIn(own: OwnMemory): Promise<number[]> {
  const ranks: number[] = [];
  for (const [n, [, question]] of paraphrases.entries()) {
    const { found } = await own.search(question, paraphrases.length);
    const rank = found.findIndex(({ path }) => path === `memory/knowledge/${n}.md`) + 1;
    ranks.push(rank || Number.POSITIVE_INFINITY);
  }
  return ranks;
}

/** A search that went by words alone would be too quick to count. */
async function answered(own: OwnMemory, question: string): Promise<void> {
  const { by } = await own.search(question, 6);
  if (by !== "words and meaning") throw new Error(`${JSON.stringify(question)} was searched by ${by} only`);
}

function note(root: string, path: string, text: string): void {
  const file = join(root, "memory", path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, `${text}\n`);
}

/** Forty words of those that the questions and notes use, so that every question meets many notes. */
const vocabulary = paraphrases.flatMap(
  (pair) =>
    pair
      .join(" ")
      .toLowerCase()
      .match(/[a-z]+/g)!,
);

function text(n: number): string {
  const words = Array.from({ length: 40 }, () => vocabulary[Math.floor(next() * vocabulary.length)]);
  return `# Note ${n}\n\n${words.join(" ")}.`;
}

/** The same notes in every run. */
let seed = 1;
function next(): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
}
const chance = (): number => next() - 0.5;
