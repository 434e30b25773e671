/**
 * Holds a folder open while something is done in it, against TOCTOU races: nobody can put another in its place meanwhile.
 *
 * On Linux each step is opened from the folder before it (/proc/self/fd/N/name is openat) and links are not followed: there is no moment in which a
 * name could be swapped. Elsewhere the path is compared with its real path before, and what was opened with what is there after; a racer can then
 * make us fail, or leave an empty draft where it likes, but neither read nor change what is outside.
 */
import { constants, existsSync } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { refusal } from "../files/steps.ts";
import { shareOwner } from "./sandbox-user.ts";

export interface FileHold {
  /** The path of a name in this folder. */
  at(name: string): string;
  /** The folder's own. */
  path: string;
  /** Throws if what was opened under this name, or the folder itself, is not below the root. */
  confirm(name?: string, file?: fs.FileHandle): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Null if there is no such folder, unless it is to be created: with this mode, less what the umask takes away. */
export type Hold = (root: string, steps: readonly string[], make: number | false) => Promise<FileHold | null>;

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0 } = constants;

export const holdByHandle: Hold = async (root, steps, make) => {
  if (make !== false) await fs.mkdir(root, { recursive: true, mode: make });
  let handle = await missing(fs.open(root, O_RDONLY | O_DIRECTORY));
  if (!handle) return null;
  const at = (name: string) => `/proc/self/fd/${handle!.fd}/${name}`;
  try {
    for (const [index, step] of steps.entries()) {
      const path = at(step);
      if (make !== false && (await makeOne(path, make))) {
        await shareOwner(at("."), path);
        await handle.sync();
      }
      const next = await missing(fs.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)).catch((error) =>
        noFolder(path, steps.slice(0, index + 1), error),
      );
      await handle.close();
      handle = next;
      if (!handle) return null;
    }
  } catch (error) {
    await handle?.close();
    throw error;
  }
  const held = handle;
  return {
    at,
    path: `/proc/self/fd/${held.fd}`,
    confirm: async () => undefined,
    sync: () => held.sync(),
    close: () => held.close(),
  };
};

export const holdByPath: Hold = async (root, steps, make) => {
  if (make !== false) await fs.mkdir(root, { recursive: true, mode: make });
  let path = await missing(fs.realpath(root));
  for (const [index, step] of path ? steps.entries() : []) {
    path = join(path!, step);
    if (make !== false) await makeOne(path, make);
    const found = await missing(fs.lstat(path));
    if (!found) return null;
    if (!found.isDirectory()) await noFolder(path, steps.slice(0, index + 1));
  }
  if (!path) return null;
  const folder = path;
  const confirm = async (name?: string, file?: fs.FileHandle): Promise<void> => {
    const swapped = refusal("ELOOP", `${steps.join("/") || "the folder"} was changed while it was used`);
    // The real path also tells names apart that this disk treats as the same.
    if ((await fs.realpath(folder).catch(() => null)) !== folder) throw swapped;
    if (name === undefined || !file) return;
    const [there, opened] = [await missing(fs.lstat(join(folder, name))), await file.stat()];
    if (there?.ino !== opened.ino || there.dev !== opened.dev) throw swapped;
    if ((await fs.realpath(join(folder, name)).catch(() => null)) !== join(folder, name)) throw swapped;
  };
  await confirm();
  return {
    at: (name) => join(folder, name),
    path: folder,
    confirm,
    async sync() {
      if (process.platform === "win32") return;
      const handle = await fs.open(folder, "r");
      await handle.sync().finally(() => handle.close());
    },
    close: async () => undefined,
  };
};

export const hold: Hold = process.platform === "linux" && existsSync("/proc/self/fd") ? holdByHandle : holdByPath;

async function makeOne(path: string, mode: number): Promise<boolean> {
  try {
    await fs.mkdir(path, { mode });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function noFolder(path: string, steps: readonly string[], error?: unknown): Promise<never> {
  const found = await missing(fs.lstat(path));
  if (found?.isSymbolicLink()) throw refusal("ELOOP", `${steps.join("/")} is a link; links are not followed`);
  if (found && !found.isDirectory()) throw refusal("ENOTDIR", `${steps.join("/")} is not a folder`);
  throw error ?? refusal("ELOOP", `${steps.join("/")} was changed while it was used`);
}

export async function missing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
