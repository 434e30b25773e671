/**
 * Names on the simulated disk: folders, and where a path leads.
 *
 * Always holds: paths are absolute with "/"; an item is in one folder under one name. Errors look like Node's.
 * Not here: changing the tree (disk.ts). There are no links, and ".." is not understood.
 */
import type { Body } from "./body.ts";

export interface Folder {
  kind: "folder";
  entries: Map<string, Item>;
  frozen: boolean;
  changed: number;
}

export type Item = Folder | Body;

/** The name under which an item is found; the same folder and name are the same slot. */
export interface Slot {
  folder: Folder;
  name: string;
}

export const createFolder = (changed: number): Folder => ({
  kind: "folder",
  entries: new Map(),
  frozen: false,
  changed,
});

/** The caller's own to change. */
export const partsOf = (path: string): string[] => [...split(path)];

/** The same few hundred paths are asked for again and again. */
const known = new Map<string, readonly string[]>();

function split(path: string): readonly string[] {
  const had = known.get(path);
  if (had) return had;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  if (known.size >= 4096) known.clear();
  known.set(path, parts);
  return parts;
}

/** Null if there is no such item; throws ENOTDIR if the path leads through a file. */
export function find(root: Folder, path: string, call = "open"): Item | null {
  return follow(root, split(path), call, path);
}

function follow(root: Folder, parts: readonly string[], call: string, path: string): Item | null {
  let item: Item = root;
  for (const part of parts) {
    if (item.kind === "file") throw fault("ENOTDIR", call, path);
    const next = item.entries.get(part);
    if (!next) return null;
    item = next;
  }
  return item;
}

/** The slot of a path whose folder exists; throws ENOENT or ENOTDIR if it does not. */
export function slotOf(root: Folder, path: string, call: string): Slot {
  const parts = partsOf(path);
  const name = parts.pop();
  if (name === undefined) throw fault("EINVAL", call, path);
  const folder = follow(root, parts, call, path);
  if (!folder) throw fault("ENOENT", call, path);
  if (folder.kind === "file") throw fault("ENOTDIR", call, path);
  return { folder, name };
}

/** Every file under the folder with its path. */
export function* walk(folder: Folder, path = ""): Generator<[string, Body]> {
  for (const [name, item] of folder.entries) {
    if (item.kind === "file") yield [`${path}/${name}`, item];
    else yield* walk(item, `${path}/${name}`);
  }
}

const texts = {
  EACCES: "permission denied",
  EBADF: "file closed",
  EEXIST: "file already exists",
  EINVAL: "invalid argument",
  EIO: "i/o error",
  EISDIR: "illegal operation on a directory",
  ENOENT: "no such file or directory",
  ENOSPC: "no space left on device",
  ENOTDIR: "not a directory",
  ENOTEMPTY: "directory not empty",
  EROFS: "read-only file system",
};

export function fault(code: keyof typeof texts, syscall: string, path?: string): NodeJS.ErrnoException {
  const message = `${code}: ${texts[code]}, ${syscall}${path === undefined ? "" : ` '${path}'`}`;
  return Object.assign(new Error(message), { code, syscall, ...(path === undefined ? {} : { path }) });
}
