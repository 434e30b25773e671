/**
 * Keeps the index of one memory in step with its files. The files are the truth: what we write is taken in at once, what people change is found
 * by looking at size and time, and an index that is missing, behind or broken is made again from the files.
 *
 * Looking costs time in a memory of many files; there it is not done again before fifty times as long has passed, or half a minute. What is
 * indexed holds no secrets, even if the file does.
 */
import { hash } from "node:crypto";
import { sectionsOf } from "../lib/sections.ts";
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { createNotesInMemory, type NewNote, type NoteFile, type Notes } from "../search/notes.ts";
import type { NoteFiles, NoteStat } from "./memory-files.ts";
import { scrub } from "./secrets.ts";

export interface NoteIndex {
  /** Asks the index. If it fails, a new one in memory takes its place and is filled from the files. */
  ask<T>(question: (notes: Notes) => T): Promise<T>;
  /** Takes in what was just written. */
  take(name: string, text: string): Promise<void>;
  /** Looks for what changed on the disk, unless that was done just now; with `always` also then. */
  look(always?: boolean): Promise<void>;
}

/** Files taken in at once. */
const together = 64;
/** A file changed less than this ago may change again without its time showing it. */
const unsureMs = 2000;

export function createNoteIndex(options: {
  owner: string;
  files: NoteFiles;
  clock: Clock;
  notes: Notes | undefined;
  changed(): void;
}): NoteIndex {
  const { owner, files, clock, changed } = options;
  let notes = options.notes;
  /** What the index knows of the files; nobody else changes it. */
  let known: Map<string, NoteFile> | undefined;
  let looking: Promise<void> | undefined;
  let looked = { at: Number.NEGATIVE_INFINITY, took: 0 };

  const own = (): Notes => (notes ??= createNotesInMemory());

  function versionOf(path: string, text: string, stat: NoteStat | null): NewNote {
    const settled = stat && clock.now() - stat.changed > unsureMs;
    return { path, hash: hashOf(text), stamp: settled ? stampOf(stat) : "", sections: sectionsOf(scrub(text)) };
  }

  function put(versions: NewNote[]): void {
    if (versions.length === 0) return;
    const all = knownNow();
    own().put(owner, versions);
    for (const { path, hash, stamp } of versions) all.set(path, { hash, stamp });
    changed();
  }

  function remove(path: string): void {
    own().remove(owner, path);
    knownNow().delete(path);
  }

  const knownNow = () => (known ??= own().files(owner));

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
        own().confirm(owner, stat.path, version);
        knownNow().set(stat.path, { hash: version.hash, stamp: version.stamp });
      }
      if (fresh.length < together) continue;
      put(fresh);
      fresh = [];
    }
    put(fresh);
    for (const path of gone) if (!(await files.stat(path))) remove(path);
    // Whatever was left undone by an earlier life is looked for once.
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

  /** With what is there; if that fails, with a new one in memory. */
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
    ask: (question) => mended(() => question(own())),
    look,
    async take(name, text) {
      await mended(async () => put([versionOf(name, text, await files.stat(name))]));
    },
  };
}

export const hashOf = (text: string): string => hash("sha256", text);
const stampOf = ({ size, changed }: NoteStat): string => `${size} ${changed}`;
