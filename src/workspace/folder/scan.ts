/**
 * Reads a folder into a tree. A file is not read again if size, times and inode are those of the last scan, unless its time is so close to that
 * scan that it may have been changed since within the same tick of the disk's clock.
 *
 * Content is stored as it is read, a few files at once; `stored` resolves when all of it is durable.
 */
import { hash } from "node:crypto";
import { isDraft } from "../../lib/files/draft-name.ts";
import { walkTree } from "../../lib/files/tree.ts";
import type { FileStat, Within } from "../../lib/world.ts";
import { isRefusedPath } from "../refused-path.ts";
import { bounds, type LeftOut } from "../workspaces.ts";
import type { Blobs, Tree, TreeFile } from "./tree.ts";

/** A file as it looked when it was read. */
export type Seen = Pick<FileStat, "changed" | "inode" | "ctime">;

export interface Before {
  tree: Tree;
  /** When it was looked at. */
  at: number;
  seen: ReadonlyMap<string, Seen>;
}

export interface ScanOptions {
  before?: Before | undefined;
  /** Names at the top that are never part of it. */
  ignore?: readonly string[];
  /** Names at the top that are left out, and told of. */
  leave?: readonly string[];
}

export interface Scan {
  tree: Tree;
  seen: Map<string, Seen>;
  leftOut: LeftOut[];
  /** How many files were read. */
  read: number;
}

/** Made by programs, and large. */
const ignored = new Set([".git", "node_modules", ".venv", "__pycache__", ".DS_Store"]);
/** Ticks of disks, and how far their clocks are from ours. */
const racyMs = 2_000;
const bytesAtOnce = 4 * 1024 * 1024;
const filesAtOnce = 8;

export async function scanFolder(within: Within, blobs: Blobs, options: ScanOptions = {}): Promise<Scan> {
  const { before, ignore = [], leave = [] } = options;
  const tree = new Map<string, TreeFile>();
  const seen = new Map<string, Seen>();
  const leftOut: LeftOut[] = [];
  const store = createQueue(blobs);
  let [bytes, read, entries] = [0, 0, 0];
  const skip = ({ name, path }: { name: string; path: string }) => {
    if (ignore.includes(path) || isDraft(name)) return true;
    if (!ignored.has(name) && !leave.includes(path)) return false;
    leftOut.push({ path, why: `${name} is not saved` });
    return true;
  };
  const list = (path: string) => within.list(path, bounds.files + 1);
  try {
    for await (const { path, kind, size, executable, ...stat } of walkTree(list, { skip })) {
      if (++entries > bounds.entries) {
        leftOut.push({ path, why: `there are more than ${bounds.entries} files and folders; this and all after it` });
        break;
      }
      if (kind === "folder") continue;
      const why = kind === "other" ? "it is a link or similar" : tooMuch(size, tree.size, bytes);
      if (why) {
        leftOut.push({ path, why });
        continue;
      }
      const old = before?.tree.get(path);
      const isOld = old?.size === size && isUnchanged(before!, path, stat);
      const file = isOld ? { sha256: old.sha256, size } : await readFile(path);
      if (typeof file === "string") leftOut.push({ path, why: file });
      else if (file) {
        bytes += file.size;
        tree.set(path, { ...file, ...(executable ? { executable } : {}) });
        seen.set(path, { changed: stat.changed, inode: stat.inode, ctime: stat.ctime });
      }
    }
  } finally {
    await store.end();
  }
  return { tree, seen, leftOut, read };

  async function readFile(path: string): Promise<TreeFile | string | undefined> {
    try {
      const content = await within.read(path, bounds.file);
      if (!content) return undefined;
      read++;
      const file = { sha256: hash("sha256", content), size: content.length };
      // What the log has named before is there.
      if (before?.tree.get(path)?.sha256 !== file.sha256) await store.put(content);
      return file;
    } catch (error) {
      if (isRefusedPath(error)) return error.message;
      throw error;
    }
  }
}

/** Whether a file still is what was read, as far as the disk says. Without `at`: also if it was read a moment ago. */
export function isUnchanged(
  { seen, at = Number.POSITIVE_INFINITY }: Partial<Before>,
  path: string,
  { changed, inode, ctime }: Seen,
): boolean {
  const old = seen?.get(path);
  const isSameFile = old?.changed === changed && old.inode === inode && old.ctime === ctime;
  return isSameFile && Math.max(changed, ctime ?? 0) < at - racyMs;
}

/** Stores several at once, so that they share what the disk does to make them durable. Bounded, so that large ones are not all in memory. */
function createQueue(blobs: Blobs): { put(content: Buffer): Promise<void>; end(): Promise<void> } {
  const waiting = new Set<Promise<unknown>>();
  let held = 0;
  let failed: { error: unknown } | undefined;
  const check = () => {
    if (failed) throw failed.error;
  };
  return {
    async put(content) {
      while (waiting.size >= filesAtOnce || (waiting.size && held + content.length > bytesAtOnce))
        await Promise.race(waiting);
      check();
      held += content.length;
      const job = blobs
        .put(content)
        .catch((error) => {
          failed ??= { error };
        })
        .finally(() => {
          held -= content.length;
          waiting.delete(job);
        });
      waiting.add(job);
    },
    async end() {
      await Promise.all(waiting);
      check();
    },
  };
}

/** Without reading a file: whether all of it could be saved. */
export async function isSmall(within: Within): Promise<boolean> {
  let [entries, count, bytes] = [0, 0, 0];
  const skip = ({ name }: { name: string }) => ignored.has(name);
  for await (const { kind, size } of walkTree((path) => within.list(path, bounds.files + 1), { skip })) {
    if (kind === "file" && size <= bounds.file) bytes += size;
    if (kind === "file") count++;
    if (count > bounds.files || bytes > bounds.bytes || ++entries > bounds.entries) return false;
  }
  return true;
}

function tooMuch(size: number, files: number, bytes: number): string | undefined {
  if (size > bounds.file) return `it has ${size} bytes; at most ${bounds.file} are saved`;
  if (files >= bounds.files || bytes + size > bounds.bytes)
    return `there are more than ${bounds.files} files or ${bounds.bytes} bytes; a git repository has no such limit`;
  return undefined;
}
