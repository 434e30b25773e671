/**
 * The files of one memory: reading, replacing, listing. Only valid note names are listed; links and hidden files are skipped. A write is durable on
 * return.
 */

import { dirname, join } from "node:path";
import { walkTree } from "../lib/files/tree.ts";
import type { Files } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import { deepest, type Place, pathOf, todo } from "./memory-place.ts";

export interface NoteStat {
  path: string;
  size: number;
  /** Milliseconds since 1970. */
  changed: number;
}

export interface NoteFiles {
  read(name: string): Promise<string | null>;
  write(name: string, text: string): Promise<void>;
  stat(name: string): Promise<NoteStat | null>;
  /** All notes, sorted by path: the main file, those beside it, the to-do list, and everything below memory/; at most `most`. */
  list(most?: number): Promise<NoteStat[]>;
}

const largest = 1_000_000;
/** Concurrent stats. */
const together = 64;

export function createNoteFiles(files: Files, place: Place): NoteFiles {
  async function stat(name: string): Promise<NoteStat | null> {
    const found = await files.stat(join(place.root, name));
    return found?.kind === "file" ? { path: name, size: found.size, changed: found.changed } : null;
  }

  /** Names of notes below a folder; every folder after the files of its parent. */
  async function* below(folder: string): AsyncGenerator<string> {
    const list = async (path: string) => {
      const entries = (await files.list(join(place.root, path))).filter(({ name }) => !name.startsWith("."));
      return entries.toSorted((a, b) => Number(a.kind === "folder") - Number(b.kind === "folder"));
    };
    const walk = walkTree(list, { from: folder, enter: (_, depth) => depth < deepest });
    for await (const { path, kind } of walk) if (kind === "file" && path.endsWith(".md")) yield path;
  }

  return {
    stat,
    async read(name) {
      const path = await pathOf(files, place, name);
      const found = await stat(name);
      if (!found) return null;
      if (found.size > largest)
        throw new Problem("too_large", `${name} has ${found.size} bytes; a note may have at most ${largest}; split it`);
      return String((await files.read(path)) ?? "");
    },
    async write(name, text) {
      const size = Buffer.byteLength(text);
      if (size > largest)
        throw new Problem(
          "too_large",
          `${name} would have ${size} bytes; a note may have at most ${largest}; split it`,
        );
      const path = await pathOf(files, place, name);
      await files.makeDir(dirname(path));
      await files.write(path, text);
    },
    async list(most = 100_000) {
      const found: NoteStat[] = [];
      let names: string[] = [place.main, ...place.beside, todo];
      const look = async () => {
        for (const one of await Promise.all(names.map(stat))) if (one) found.push(one);
        names = [];
      };
      // A link in place of the folder is ignored.
      const own = (await files.stat(join(place.root, "memory")))?.kind === "folder";
      for await (const name of own ? below("memory") : []) {
        names.push(name);
        if (names.length >= together) await look();
        if (found.length >= most) break;
      }
      await look();
      return found.slice(0, most).sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
}
