/**
 * The memories of an agent's participants: the coordinator's in the agent's home, each worker's in its own folder.
 *
 * Always holds: the files are the source of truth and are durable before anything else happens; the index and the vectors follow and may be lost.
 * No write stores a secret, overwrites what its writer has not seen, or leaves the memory's folder. Writes of one memory are serialised. After a
 * crash every acknowledged write is there, and repeating one changes nothing.
 *
 * Not here: when an agent should remember (prompts), whether it may (policy), its character (the soul).
 */
import type { Embedder } from "../lib/embedder.ts";
import type { World } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import type { Notes } from "../search/notes.ts";
import type { Memory } from "../toolkit/memory.ts";
import { createNoteFiles } from "./memory-files.ts";
import { createNoteIndex, hashOf } from "./memory-index.ts";
import { isLog, logName, withEntry } from "./memory-log.ts";
import { openingOf } from "./memory-opening.ts";
import { nameOf, type Place } from "./memory-place.ts";
import { searchNotes } from "./memory-search.ts";
import { createVectors } from "./memory-vectors.ts";
import { findSecrets, scrub } from "./secrets.ts";

export interface Memories {
  /** The same object for the same place. */
  of(place: Place): OwnMemory;
  /** Stops background work. */
  close(): void;
}

export interface OwnMemory extends Memory {
  /**
   * A person's write: replaces the file, after `admit` has seen the current text (it may throw). The memory's owner has to read it again before
   * replacing it. Text with a secret is `forbidden`.
   */
  put(path: string, content: string, admit: (there: string | null) => void): Promise<void>;
  /** The opening; empty if the memory is. */
  opening(now: number): Promise<string>;
  /** Resolves when the index is up to date and every section that can have a vector has one. For tests and measurements; nobody else waits. */
  indexed(): Promise<void>;
}

export interface MemoryOptions {
  world: Pick<World, "files" | "clock" | "point">;
  /** The index of sections; in memory if missing. */
  notes?: Notes | undefined;
  /** Missing: search is by words alone. */
  embedder?: Embedder | undefined;
  /** How long a search waits for its vector. */
  patienceMs?: number;
  /** How long a search checks the files for edits by hand; an edit that takes longer to find is found by the next search. */
  lookMs?: number;
}

export function createMemory(options: MemoryOptions): Memories {
  const memories = new Map<string, OwnMemory & { close(): void }>();
  return {
    of(place) {
      const memory = memories.get(place.owner) ?? open(place, options);
      memories.set(place.owner, memory);
      return memory;
    },
    close() {
      for (const memory of memories.values()) memory.close();
    },
  };
}

function open(place: Place, { world, notes, embedder, patienceMs = 1000, lookMs = 200 }: MemoryOptions) {
  const { clock } = world;
  const { owner } = place;
  const files = createNoteFiles(world.files, place);
  const index = createNoteIndex({ owner, files, clock, notes, changed: () => vectors?.touch() });
  const vectors = embedder && createVectors({ owner, index, embedder, clock });
  /** The version of each file that its owner has seen. */
  const seen = new Map<string, string>();
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = last.then(work, work);
    last = mine.catch(() => undefined);
    return mine;
  }

  async function store(name: string, text: string): Promise<void> {
    await files.write(name, text);
    seen.set(name, hashOf(text));
    await world.point?.("memory.written");
    // The note is saved whatever happens to the index.
    await index.take(name, text).catch(() => undefined);
  }

  return {
    read: (path: string) =>
      inTurn(async () => {
        const name = nameOf(place, path);
        const text = await files.read(name);
        if (text === null) return null;
        seen.set(name, hashOf(text));
        return scrub(text);
      }),

    write: (path: string, content: string) =>
      inTurn(async () => {
        const name = nameOf(place, path);
        refuseSecrets(name, content);
        const there = await files.read(name);
        if (isLog(name)) return log(name, there, content);
        if (there === content) return { path: name, outcome: "unchanged" as const };
        if (there?.trim() && seen.get(name) !== hashOf(there))
          throw new Problem(
            "stale",
            `${name} has changed since you last read it; read it, then write the full new text`,
          );
        await store(name, content);
        return { path: name, outcome: there === null ? ("created" as const) : ("replaced" as const) };
      }),

    edit: (path: string, change: (text: string) => string) =>
      inTurn(async () => {
        const name = nameOf(place, path);
        const there = await files.read(name);
        const text = change(there ?? "");
        if (text === (there ?? "")) return { path: name, outcome: "unchanged" as const };
        if (findSecrets(text).length > findSecrets(there ?? "").length) refuseSecrets(name, text);
        const known = there === null || seen.get(name) === hashOf(there);
        await store(name, text);
        // A writer of a part has not seen the rest.
        if (!known) seen.delete(name);
        return { path: name, outcome: there === null ? ("created" as const) : ("replaced" as const) };
      }),

    put: (path: string, content: string, admit: (there: string | null) => void) =>
      inTurn(async () => {
        const name = nameOf(place, path);
        const there = await files.read(name);
        admit(there);
        if (there === content) return;
        if (findSecrets(content).length > findSecrets(there ?? "").length) refuseSecrets(name, content);
        await store(name, content);
        seen.delete(name);
      }),

    list: async () => (await files.list()).map(({ path, size }) => ({ path, size })),
    search: (query: string, limit: number) =>
      searchNotes(query, limit, { owner, index, embedder, clock, patienceMs, lookMs }),
    opening: (now: number) => inTurn(() => openingOf(place, files, now, (name, text) => seen.set(name, hashOf(text)))),
    async indexed() {
      await index.look(true);
      vectors?.touch();
      await vectors?.idle();
    },
    close: () => vectors?.close(),
  };

  async function log(name: string, there: string | null, content: string) {
    const now = clock.now();
    if (name !== logName(now))
      throw new Problem("wrong_state", `${name} is not today's log; only ${logName(now)} can be appended to`);
    const text = withEntry(there, content, now);
    if (text === (there ?? "")) return { path: name, outcome: "unchanged" as const };
    await store(name, text);
    return { path: name, outcome: "appended" as const };
  }
}

/** Names the kind and the line, never the value. */
function refuseSecrets(name: string, text: string): void {
  const [first, ...more] = findSecrets(text);
  if (!first) return;
  const others = more.length ? ` (and ${more.length} more)` : "";
  throw new Problem(
    "forbidden",
    `${name} was not written: line ${first.line} has what looks like a secret (${first.kind})${others}. Memory stores no secrets; note where it is kept instead`,
  );
}
