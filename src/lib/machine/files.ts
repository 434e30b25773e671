/**
 * Files on the real disk.
 *
 * Calls that only touch the page cache (the size of a file, a small append) are synchronous: a thread round trip takes ten times as long as the
 * call. Calls that wait for the disk, a sync above all, never block the event loop.
 */
import { constants, lstatSync, writeSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { FileEntry, Files, OpenFile } from "../world.ts";
import { draftOf } from "./draft.ts";
import { emptyFolder, entriesIn } from "./entries.ts";
import { openRegular } from "./regular.ts";
import { shareOwner } from "./sandbox-user.ts";
import { createWithin } from "./within.ts";

/** The most bytes that are appended synchronously. */
const atOnce = 256 * 1024;

export const files: Files = {
  async open(path) {
    const handle = await fs.open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
    try {
      // An empty file may be new, and then its name is not durable yet.
      if ((await handle.stat()).size === 0) await syncDir(dirname(path));
    } catch (error) {
      await handle.close();
      throw error;
    }
    return openFile(handle);
  },

  async read(path) {
    const file = await missing(openRegular(path, { follow: true }));
    return file && (await file.readFile().finally(() => file.close()));
  },

  async write(path, content, { durable = true, mode = 0o600 } = {}) {
    const draft = join(dirname(path), draftOf(basename(path)));
    try {
      await fs.writeFile(draft, content, { mode, flag: "wx", flush: durable });
      const given = await shareOwner(dirname(path), draft);
      await fs.rename(draft, path);
      if (!given) await shareOwner(dirname(path), path);
    } catch (error) {
      await fs.rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
    if (durable) await syncDir(dirname(path));
  },

  async move(from, to, { durable = true } = {}) {
    await fs.rename(from, to);
    if (!durable) return;
    await syncDir(dirname(to));
    if (dirname(from) !== dirname(to)) await syncDir(dirname(from));
  },

  async remove(path) {
    try {
      await removeAll(path);
    } catch (error) {
      if (!["EACCES", "EPERM"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
      await thaw(path);
      await removeAll(path);
    }
  },

  async makeDir(path) {
    const first = await fs.mkdir(path, { recursive: true, mode: 0o700 });
    if (!first) return;
    for (const made of between(first, path)) await shareOwner(dirname(made), made);
    for (let made = path; made.length >= first.length; made = dirname(made)) await syncDir(dirname(made));
  },

  async settle(path, top) {
    for (let folder = dirname(path); folder.length >= top.length; folder = dirname(folder)) await syncDir(folder);
  },

  async list(path, most = Number.POSITIVE_INFINITY) {
    const found = await missing(entriesIn(path, most));
    return (found ?? [])
      .map((entry): FileEntry => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },

  async stat(path) {
    await new Promise<void>(process.nextTick); // runnable code goes first: what it appends shares the sync that follows (store/log.ts)
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) return null;
    return { kind: kindOf(found), size: found.size, changed: found.mtimeMs, inode: found.ino, ctime: found.ctimeMs };
  },

  async freeze(path) {
    const { mode } = await fs.stat(path);
    await fs.chmod(path, mode & 0o555);
  },

  /** SQLite's exclusive lock is an OS lock on the file: it ends with the process, however the process ends. */
  async lock(path) {
    // SQLite would create it world-readable.
    await (await fs.open(path, constants.O_RDWR | constants.O_CREAT, 0o600)).close();
    const database = new DatabaseSync(path, { timeout: 0 });
    try {
      database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    } catch (error) {
      database.close();
      if (isTaken(error)) return null;
      throw error;
    }
    return { release: async () => database.close() };
  },

  within: createWithin,
};

function openFile(handle: fs.FileHandle): OpenFile {
  return {
    size: async () => (await handle.stat()).size,
    async append(bytes) {
      let written = 0;
      while (written < bytes.length) {
        const soon = bytes.length - written <= atOnce && handle.fd >= 0; // a closed handle refuses by itself
        written += soon ? writeSync(handle.fd, bytes, written) : (await handle.write(bytes, written)).bytesWritten;
      }
    },
    sync: () => handle.datasync(),
    truncate: (size) => handle.truncate(size),
    async read(offset, length) {
      const buffer = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const { bytesRead } = await handle.read(buffer, filled, length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
    close: () => handle.close(),
  };
}

/** Both and the folders between them, from the top. */
function between(first: string, last: string): string[] {
  return last.length <= first.length ? [first] : [...between(first, dirname(last)), last];
}

/** Read-only folders must be made writable before their content can be removed. */
async function thaw(path: string): Promise<void> {
  const found = await fs.lstat(path);
  if (!found.isDirectory()) return;
  await fs.chmod(path, 0o700);
  for await (const { name } of await fs.opendir(path)) await thaw(join(path, name));
}

/** Node's own creates a promise for every entry at once. */
async function removeAll(path: string): Promise<void> {
  const found = await missing(fs.lstat(path));
  if (!found) return;
  if (!found.isDirectory()) return void (await missing(fs.unlink(path)));
  await missing(emptyFolder(path, ({ name }) => removeAll(join(path, name))));
  await missing(fs.rmdir(path));
}

const kindOf = (entry: { isFile(): boolean; isDirectory(): boolean }): FileEntry["kind"] =>
  entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other";

/** SQLITE_BUSY or SQLITE_LOCKED: another process has the lock. */
const isTaken = (error: unknown): boolean => [5, 6].includes((error as { errcode?: number }).errcode ?? 0);

async function missing<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** A new or renamed entry is durable once its folder is synced. Windows cannot open folders and does not need it. */
async function syncDir(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await fs.open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
