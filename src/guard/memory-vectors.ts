/**
 * Embeds the sections of one memory in the background, newest first; a changed model re-embeds all of them. Nobody waits for it: a section without
 * a vector is found by its words. If the embedder fails it is retried later.
 */
import type { Embedder } from "../lib/embedder.ts";
import type { Clock } from "../lib/world.ts";
import type { NoteIndex } from "./memory-index.ts";
import { splitPast } from "./note-head.ts";

export interface Vectors {
  /** There may be sections without a vector. */
  touch(): void;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
  close(): void;
}

/** Per request; the index is asked for more of them at a time, since finding them takes a moment in a large memory. */
const batch = 16;
const ahead = 512;
const pauseMs = 60_000;

export function createVectors(options: { owner: string; index: NoteIndex; embedder: Embedder; clock: Clock }): Vectors {
  const { owner, index, embedder, clock } = options;
  let work: Promise<void> | undefined;
  let again = false;
  const stop = new AbortController();
  let cancel: (() => void) | undefined;

  async function drain(): Promise<void> {
    for (;;) {
      again = false;
      const bare = stop.signal.aborted ? [] : await index.ask((notes) => notes.bare(owner, embedder.id, ahead));
      if (bare.length === 0 && !again) return;
      for (let from = 0; from < bare.length; from += batch) {
        const some = bare.slice(from, from + batch);
        const vectors = await embedder.embed(
          some.map(({ heading, text }) => meaningOf(heading, text)),
          stop.signal,
        );
        if (stop.signal.aborted) return;
        const made = some.map(({ row }, at) => ({ row, vector: vectors[at]! }));
        await index.ask((notes) => notes.embed(embedder.id, made));
      }
    }
  }

  function touch(): void {
    again = true;
    if (stop.signal.aborted || work) return;
    cancel?.();
    const later = () => {
      if (!stop.signal.aborted) cancel = clock.after(pauseMs, touch);
    };
    work = drain()
      .catch(later)
      .finally(() => {
        work = undefined;
        if (again) touch();
      });
  }

  return {
    touch,
    idle: async () => await work,
    close() {
      stop.abort();
      cancel?.();
    },
  };
}

/** What a section is about: the headings above it say what its text does not. What it said earlier is found by its words only. */
const meaningOf = (heading: string, text: string): string =>
  [
    ...heading.split(" › "),
    splitPast(text)
      .now.replace(/^[ \t]*#{1,6}[ \t].*$/gm, "")
      .trim(),
  ]
    .filter(Boolean)
    .join(". ");
