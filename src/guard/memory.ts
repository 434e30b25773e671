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
import { withTimeout } from "../lib/time/timeout.ts";
import type { World } from "../lib/world.ts";
import type { Visibility } from "../schema/note.ts";
import { Problem } from "../schema/problem.ts";
import type { ListWish, NoteRow, Notes } from "../search/notes.ts";
import type { Memory, Search } from "../toolkit/memory.ts";
import { freshSince } from "./memory-fade.ts";
import { createNoteFiles } from "./memory-files.ts";
import { createNoteIndex, hashOf } from "./memory-index.ts";
import { isLog, logName, withEntry } from "./memory-log.ts";
import { foreignOf, openingOf } from "./memory-opening.ts";
import { nameOf, type Place } from "./memory-place.ts";
import { searchNotes } from "./memory-search.ts";
import { createVectors } from "./memory-vectors.ts";
import { readNote } from "./note-head.ts";
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
  /** The opening; empty if the memory is. `task`: what it is opened for; of a large memory what fits it is shown first. */
  opening(now: number, task?: string): Promise<string>;
  /** As much as fits of the notes that are left out of the opening because strangers' text had been read when they were written. It is data. */
  foreign(): Promise<string>;
  /** A search that does not count as use of what it finds; with `only`, among notes of these visibilities. */
  find(query: string, limit: number, only?: readonly Visibility[]): Promise<Search>;
  /** What is known about notes, the freshest first, and how many there are. */
  overview(wish: ListWish): Promise<Overview>;
  /** What is known about one note. */
  about(path: string): Promise<NoteRow | undefined>;
  /** The text of a note as `read` gives it, without its owner having read it. */
  peek(path: string): Promise<string | null>;
  /** Whether there is a version of it that its owner has not seen, so that it may not replace it. */
  isUnread(path: string): Promise<boolean>;
  /** Resolves when the index is up to date and every section that can have a vector has one. For tests and measurements; nobody else waits. */
  indexed(): Promise<void>;
}

export interface Overview {
  notes: NoteRow[];
  files: number;
  bytes: number;
  /** Left out of the opening because nobody has used them for long. */
  faded: number;
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

/** The first results of a search count as used. */
const counted = 3;
/** Of a task its beginning says what it is about. */
const longestTask = 1_000;

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
  const isCore = (path: string) => path === place.main;
  const index = createNoteIndex({ owner, files, clock, notes, isCore, changed: () => vectors?.touch() });
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

  const find = (query: string, limit: number, only?: readonly Visibility[]) =>
    searchNotes(query, limit, { owner, index, embedder, clock, patienceMs, lookMs, only });

  /** Whatever happens to the index, what was read is read. */
  async function used(paths: readonly string[]): Promise<void> {
    await index.ask((all) => all.touch(owner, [...new Set(paths)], clock.now())).catch(() => undefined);
  }

  return {
    read: (path: string) =>
      inTurn(async () => {
        const name = nameOf(place, path);
        const text = await files.read(name);
        if (text === null) return null;
        seen.set(name, hashOf(text));
        await used([name]);
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
        return { path: name, outcome: there === null ? ("created" as const) : ("replaced" as const), text: content };
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
        return { path: name, outcome: there === null ? ("created" as const) : ("replaced" as const), text };
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
    async search(query: string, limit: number) {
      const result = await find(query, limit);
      await used(result.found.slice(0, counted).map(({ path }) => path));
      return result;
    },
    find,
    opening: (now: number, task = "") =>
      inTurn(() => {
        const fitting = async (limit: number) => (await find(task.slice(0, longestTask), limit)).found;
        const given = { place, files, index, clock, now, lookMs, ...(task.trim() ? { find: fitting } : {}) };
        return openingOf(given, (name, text) => seen.set(name, hashOf(text)));
      }),
    foreign: () => inTurn(() => foreignOf({ place, files, index, clock, lookMs })),
    origin: async (path: string) => {
      const text = await files.read(nameOf(place, path));
      return text === null ? undefined : readNote(text).head.origin;
    },
    isGuarded: async () => false,
    async overview(wish: ListWish) {
      await withTimeout(
        clock,
        lookMs,
        index.look().catch(() => undefined),
      );
      return await index.ask((all) => ({ notes: all.list(owner, wish), ...all.count(owner, freshSince(clock.now())) }));
    },
    peek: async (path: string) => {
      const text = await files.read(nameOf(place, path));
      return text === null ? null : scrub(text);
    },
    isUnread: (path: string) =>
      inTurn(async () => {
        const name = nameOf(place, path);
        const there = isLog(name) ? null : await files.read(name);
        return there !== null && there.trim() !== "" && seen.get(name) !== hashOf(there);
      }),
    about: (path: string) => index.ask((all) => all.file(owner, nameOf(place, path))),
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
    return { path: name, outcome: "appended" as const, text };
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
