/**
 * Folders saved by hashes: a version is a list of files (tree.ts), their content is in the agent's blobs.
 *
 * What we know of each folder (how its files looked when they were read) is noted beside it to save time. A note may be lost or older than the
 * log; nothing depends on it: `last` says which version counts.
 */
import { hash } from "node:crypto";
import { join } from "node:path";
import type { World } from "../../lib/world.ts";
import { refusedPath } from "../refused-path.ts";
import { type Archive, bounds, type Difference, inBounds } from "../workspaces.ts";
import { isUnchanged, type Seen, scanFolder } from "./scan.ts";
import {
  type Blobs,
  contentOf,
  loadStored,
  loadTree,
  type StoredTree,
  storeTree,
  type Tree,
  type TreeFile,
} from "./tree.ts";

export interface ArchiveOptions {
  world: Pick<World, "files" | "clock">;
  blobs: Blobs;
  /** Names at the top of a folder that are never part of it. */
  ignore: readonly string[];
  /** Names at the top of a folder that are left out, and told of. */
  leave?: readonly string[];
  /** Where we note what we know of each folder. */
  notes: string;
}

export interface TreeArchive extends Archive {
  /** Puts these files into a folder, which is created. */
  write(tree: Tree, folder: string): Promise<void>;
}

interface Note {
  version: string;
  at: number;
  depth: number;
  bytes: number;
  files: [string, TreeFile, Seen][];
}

/** So many bytes are compared with what was saved; of more the disk's word is taken for it that they have not changed. */
const mostVerified = 64 * 1024 * 1024;

interface Known extends StoredTree {
  at: number;
  seen: ReadonlyMap<string, Seen>;
}

export function createTreeArchive({ world, blobs, ignore, leave, notes }: ArchiveOptions): TreeArchive {
  const { files, clock } = world;
  const noteOf = (name: string): string => join(notes, `${name}.json`);

  async function load(name: string, last: string | undefined): Promise<Known | undefined> {
    const note = parseNote(await files.read(noteOf(name)));
    if (note && (last === undefined || note.version === last)) {
      const { version, at, depth, bytes } = note;
      const tree = new Map(note.files.map(([path, file]) => [path, file]));
      return { version, tree, depth, bytes, at, seen: new Map(note.files.map(([path, , seen]) => [path, seen])) };
    }
    // What cannot be loaded is stored anew, with all its files.
    const stored = last === undefined ? undefined : await loadStored(blobs, last).catch(() => undefined);
    return stored && { ...stored, at: 0, seen: new Map() };
  }

  async function save(name: string, { version, tree, depth, bytes, at, seen }: Known): Promise<void> {
    const listed = [...tree].map(([path, file]): Note["files"][number] => [path, file, seen.get(path)!]);
    await files.makeDir(notes);
    const note: Note = { version, at, depth, bytes, files: listed };
    await files.write(noteOf(name), JSON.stringify(note), { durable: false });
  }

  async function write(tree: Tree, folder: string): Promise<void> {
    await files.makeDir(folder);
    const to = files.within(folder);
    for (const [path, { sha256, executable }] of tree)
      await to.write(path, await contentOf(blobs, sha256), { durable: false, executable: executable === true });
  }

  return {
    write,
    async keep(name, folder, _commit, last) {
      const at = clock.now();
      const before = await load(name, last);
      const { tree, seen, leftOut, read } = await scanFolder(files.within(folder), blobs, { before, ignore, leave });
      const stored = await storeTree(blobs, tree, before);
      if (read || stored.version !== before?.version) await save(name, { ...stored, at, seen });
      return { version: stored.version, count: tree.size, ...inBounds(leftOut) };
    },
    restore: async (version, folder) => await write(await loadTree(blobs, version), folder),
    async differences(name, folder, version) {
      const within = files.within(folder);
      const note = parseNote(await files.read(noteOf(name)));
      const seen = new Map(note?.version === version ? note.files.map(([path, , seen]) => [path, seen]) : []);
      const found: Difference[] = [];
      let room = mostVerified;
      for (const [path, file] of await loadTree(blobs, version)) {
        const stat = await within.stat(path).catch(refusedPath);
        room -= file.size;
        if (!stat) found.push({ path, changed: null });
        else if (room >= 0 || stat.size !== file.size || !isUnchanged({ seen }, path, stat)) {
          const content = await within.read(path, bounds.file).catch(refusedPath);
          const isSame = content && hash("sha256", content) === file.sha256;
          if (!isSame) found.push({ path, changed: Math.max(stat.changed, stat.ctime ?? 0) });
        }
      }
      return found;
    },
    async putBack(version, paths, folder) {
      const tree = await loadTree(blobs, version);
      const within = files.within(folder);
      const done: string[] = [];
      for (const path of paths) {
        const file = tree.get(path);
        if (!file) continue;
        const content = await contentOf(blobs, file.sha256);
        const how = { durable: false, executable: file.executable === true };
        const isDone = await within.write(path, content, how).then(() => true, refusedPath);
        if (isDone) done.push(path);
      }
      return done;
    },
  };
}

/** Undefined for one that a power loss left torn, or that another version of the program wrote. */
function parseNote(note: Buffer | null): Note | undefined {
  try {
    const parsed = JSON.parse(String(note));
    return Array.isArray(parsed?.files) && typeof parsed.version === "string" ? parsed : undefined;
  } catch {
    return undefined;
  }
}
