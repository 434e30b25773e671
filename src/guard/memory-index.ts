/**
 * Keeps the index of one memory in step with its files. The files are the source of truth: our own writes are indexed at once, edits by people are
 * found by size and mtime, and an index that is missing, behind or broken is rebuilt from the files.
 *
 * Checking takes time in a memory of many files; there it is not repeated before fifty times as long has passed, or half a minute. The index
 * contains no secrets, even if a file does.
 */
import { hash } from "node:crypto";
import { sectionsOf } from "../lib/text/sections.ts";
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { createNotesInMemory, type NewNote, type NoteFile, type Notes, noNotes } from "../search/notes.ts";
import type { NoteFiles, NoteStat } from "./memory-files.ts";
import { readNote } from "./note-head.ts";
import { scrub } from "./secrets.ts";

export interface NoteIndex {
  /** Queries the index. If it fails, a new one in memory replaces it and is filled from the files. */
  ask<T>(question: (notes: Omit<Notes, "put">) => T): Promise<T>;
  /** Indexes what was just written. */
  take(name: string, text: string): Promise<void>;
  /** Checks for changes on disk, unless that was done just now; with `always` also then. */
  look(always?: boolean): Promise<void>;
}

/** Files indexed at once. */
const together = 64;
/** A file changed less than this ago may change again with the same mtime. */
const unsureMs = 2000;
const dayMs = 86_400_000;

export function createNoteIndex(options: {
  owner: string;
  files: NoteFiles;
  clock: Clock;
  notes: Notes | undefined;
  changed(): void;
  /** Whether a note is of the core tier unless it says otherwise. */
  isCore?(path: string): boolean;
}): NoteIndex {
  const { owner, files, clock, changed } = options;
  let notes = options.notes;
  /** The files in the index; only this code changes them. */
  let known: Map<string, NoteFile> | undefined;
  let looking: Promise<void> | undefined;
  let looked = { at: Number.NEGATIVE_INFINITY, took: 0 };

  /** Without an index file, a database is made for the first note: most participants of a short run never have one. */
  const indexed = (): Omit<Notes, "put"> => notes ?? noNotes;

  function versionOf(path: string, text: string, stat: NoteStat | null): NewNote {
    const settled = stat && clock.now() - stat.changed > unsureMs;
    const { head, body } = readNote(scrub(text), options.isCore?.(path));
    const changed = stat?.changed ?? clock.now();
    // A copy of an old note, or a fresh checkout, is not a fresh note.
    const fresh = head.noted ? Math.min(Date.parse(head.noted) + dayMs, changed) : changed;
    const about = { head, size: Buffer.byteLength(text), fresh };
    return { path, hash: hashOf(text), stamp: settled ? stampOf(stat) : "", ...about, sections: sectionsOf(body) };
  }

  function put(versions: NewNote[]): void {
    if (versions.length === 0) return;
    const all = knownNow();
    notes ??= createNotesInMemory();
    notes.put(owner, versions);
    for (const { path, hash, stamp } of versions) all.set(path, { hash, stamp });
    changed();
  }

  function remove(path: string): void {
    indexed().remove(owner, path);
    knownNow().delete(path);
  }

  const knownNow = () => (known ??= indexed().files(owner));

  async function compare(): Promise<void> {
    const began = clock.mono();
    const gone = new Set(knownNow().keys());
    let fresh: NewNote[] = [];
    for (const stat of await files.list()) {
      const before = knownNow().get(stat.path);
      gone.delete(stat.path);
      if (before?.stamp === stampOf(stat)) continue;
      const text = await files.read(stat.path).catch(() => null); // too large, or gone again
      if (text === null) {
        if (before) remove(stat.path);
        continue;
      }
      const version = versionOf(stat.path, text, stat);
      if (version.hash !== before?.hash) fresh.push(version);
      else if (version.stamp !== before.stamp) {
        indexed().confirm(owner, stat.path, version);
        knownNow().set(stat.path, { hash: version.hash, stamp: version.stamp });
      }
      if (fresh.length < together) continue;
      put(fresh);
      fresh = [];
    }
    put(fresh);
    for (const path of gone) if (!(await files.stat(path))) remove(path);
    // Work that an earlier process left unfinished is looked for once.
    if (looked.at === Number.NEGATIVE_INFINITY) changed();
    looked = { at: clock.mono(), took: clock.mono() - began };
  }

  function look(always = false): Promise<void> {
    const quick = looked.took < 10;
    const rest = always || quick ? 0 : Math.min(30_000, looked.took * 50);
    if (clock.mono() - looked.at < rest) return Promise.resolve();
    looking ??= mended(compare).finally(() => {
      looking = undefined;
    });
    return looking;
  }

  /** With the existing index; if that fails, with a new one in memory. */
  async function mended<T>(work: () => T | Promise<T>): Promise<T> {
    const used = notes;
    try {
      return await work();
    } catch (error) {
      const broken = error instanceof Problem && error.code === "storage_failed";
      if (!broken || !used || used !== options.notes) throw error;
      notes = createNotesInMemory();
      known = undefined;
      looked = { at: Number.NEGATIVE_INFINITY, took: 0 };
      await compare();
      return await work();
    }
  }

  return {
    ask: (question) => mended(() => question(indexed())),
    look,
    async take(name, text) {
      await mended(async () => put([versionOf(name, text, await files.stat(name))]));
    },
  };
}

export const hashOf = (text: string): string => hash("sha256", text);
const stampOf = ({ size, changed }: NoteStat): string => `${size} ${changed}`;
