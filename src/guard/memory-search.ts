/**
 * Hybrid search by words and by meaning: two lists, merged by rank (reciprocal rank fusion). A rank among the words is weighted by the share of the
 * query's words that the section has: one word of five says little, the only word says all.
 *
 * Always answers: without an embedder, or when the query's vector takes too long, by words alone, and says so. Recent edits by hand are found if
 * checking for them is quick, else with the next search.
 */
import type { Embedder } from "../lib/embedder.ts";
import { withTimeout } from "../lib/time/timeout.ts";
import type { Clock } from "../lib/world.ts";
import type { Visibility } from "../schema/note.ts";
import type { Ranked } from "../search/notes.ts";
import type { Search } from "../toolkit/memory.ts";
import type { NoteIndex } from "./memory-index.ts";

export interface SearchOptions {
  owner: string;
  index: NoteIndex;
  embedder: Embedder | undefined;
  clock: Clock;
  /** The timeout for the query's vector. */
  patienceMs: number;
  /** How long files are checked before a search continues without. */
  lookMs: number;
  /** Only notes that may be shown to others, in one of these ways. */
  only?: readonly Visibility[] | undefined;
}

/** How many results of each list take part. */
const deep = 50;
/** The larger, the less the first ranks count over the next. */
const evenness = 5;
/** Similarity below this is chance. */
const farthest = 0.1;

export async function searchNotes(query: string, limit: number, options: SearchOptions): Promise<Search> {
  const { owner, index, embedder, clock, patienceMs, lookMs, only } = options;
  const late = new AbortController();
  const asked = embedder?.embed([query], late.signal, true).catch(() => undefined);
  await withTimeout(
    clock,
    lookMs,
    index.look().catch(() => undefined),
  );
  const within = only && (await index.ask((notes) => notes.rowsOf(owner, only)));
  const byWords = await index.ask((notes) => notes.words(owner, query, deep, within));
  const [vector] = (asked && (await withTimeout(clock, patienceMs, asked))?.value) ?? [];
  late.abort();
  const byMeaning = vector
    ? (await index.ask((notes) => notes.near(owner, embedder!.id, vector, deep, within))).filter(
        ({ score }) => score > farthest,
      )
    : [];
  const best = fuse(
    byWords,
    byMeaning.map(({ row }) => ({ row, score: 1 })),
  ).slice(0, limit);
  const fits = new Map(byWords.map(({ row, score }) => [row, score]));
  for (const { row, score } of byMeaning) fits.set(row, Math.max(score, fits.get(row) ?? 0));
  const found = await index.ask((notes) =>
    best.flatMap(({ row, score }) => {
      const section = notes.section(row);
      if (!section) return [];
      const { path, heading, text } = section;
      const { noted, source, origin } = notes.file(owner, path) ?? {};
      const fit = fits.get(row) ?? 0;
      const about = { ...(noted ? { noted } : {}), ...(source ? { source } : {}), ...(origin ? { origin } : {}) };
      return [{ path, section: heading, text, score, fit, ...about }];
    }),
  );
  return { found, by: byMeaning.length ? "words and meaning" : "words" };
}

/** Best first; each list weighs by its scores. */
function fuse(...lists: (readonly Ranked[])[]): Ranked[] {
  const scores = new Map<number, number>();
  for (const list of lists)
    for (const [at, { row, score }] of list.entries())
      scores.set(row, (scores.get(row) ?? 0) + score / (evenness + at + 1));
  return [...scores].map(([row, score]) => ({ row, score })).sort((a, b) => b.score - a.score || a.row - b.row);
}
