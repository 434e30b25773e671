/**
 * A folder on the real disk that no path leads out of (path traversal; contract: sim/within.contract.ts, the race: within.test.ts).
 *
 * Always holds: a file is opened from a held folder (hold.ts), never through a link, without blocking on a pipe, and is checked before a byte of it
 * is used. A hard-linked file is refused: its other name may be anywhere.
 */
import { constants, type Stats } from "node:fs";
import * as fs from "node:fs/promises";
import { refusal, stepsOf } from "../files/steps.ts";
import type { FileStat, Within } from "../world.ts";
import { draftOf } from "./draft.ts";
import { emptyFolder, entriesIn, inBatches } from "./entries.ts";
import { type FileHold, hold as holdHere, missing } from "./hold.ts";
import { readFlags } from "./regular.ts";
import { shareOwner } from "./sandbox-user.ts";

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW = 0 } = constants;

/** What is created is for its owner, or as any program of this user would create it; the umask has its say in both. */
const own = { file: 0o600, folder: 0o700 };
const usual = { file: 0o666, folder: 0o777 };

const mostRead = 64 * 1024 * 1024;
const mostListed = 12_000;
const atOnce = 1024 * 1024;

export function createWithin(root: string, hold = holdHere): Within {
  /** Runs `act` in the folder of these steps; null if it does not exist. */
  async function inside<T>(
    steps: readonly string[],
    make: number | false,
    act: (held: FileHold) => Promise<T>,
  ): Promise<T | null> {
    const held = await hold(root, steps, make);
    if (!held) return null;
    return await act(held).finally(() => held.close());
  }

  /** The same for a path that must have a name: in the folder of the name. */
  function beside<T>(
    path: string,
    make: number | false,
    act: (held: FileHold, name: string) => Promise<T>,
  ): Promise<T | null> {
    const steps = stepsOf(path);
    const name = steps.pop();
    if (name === undefined) throw refusal("EISDIR", "the folder itself is not a file");
    return inside(steps, make, (held) => act(held, name));
  }

  return {
    async read(path, most = mostRead) {
      return await beside(path, false, async (held, name) => {
        const file = await missing(fs.open(held.at(name), readFlags)).catch((error) => noFile(path, error));
        if (!file) return null;
        try {
          const stat = await file.stat();
          admit(path, stat, most);
          await held.confirm(name, file);
          return await readAll(path, file, stat.size, most);
        } finally {
          await file.close();
        }
      });
    },

    async write(path, content, { durable = true, executable, shared = false } = {}) {
      const modes = shared ? usual : own;
      await beside(path, modes.folder, async (held, name) => {
        const there = await missing(fs.lstat(held.at(name)));
        if (there) admit(path, there, Number.POSITIVE_INFINITY);
        const draft = draftOf(name);
        let given = true;
        const file = await fs.open(
          held.at(draft),
          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
          there ? own.file : modes.file,
        );
        try {
          try {
            await held.confirm(draft, file);
            given = await shareOwner(held.path, held.at(draft));
            const mode = modeOf(there ?? (await file.stat()), executable);
            await file.chmod(mode);
            await file.writeFile(content);
            if (durable) await file.sync();
          } finally {
            await file.close();
          }
          await held.confirm();
          await fs.rename(held.at(draft), held.at(name));
          if (!given) await shareOwner(held.path, held.at(name));
        } catch (error) {
          await fs.rm(held.at(draft), { force: true }).catch(() => undefined);
          throw error;
        }
        if (durable) await held.sync();
      });
    },

    async makeDir(path) {
      await inside(stepsOf(path), own.folder, (held) => held.sync());
    },

    async list(path, most = mostListed) {
      const found = await inside(stepsOf(path), false, async (held) => {
        const entries = await inBatches(await entriesIn(held.path, most), async ({ name }) => {
          const stat = await missing(fs.lstat(held.at(name)));
          return { name, ...statOf(stat) }; // gone meanwhile, or a name that is not valid text: it cannot be opened either
        });
        await held.confirm();
        return entries;
      });
      return (found ?? []).sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    async stat(path) {
      if (stepsOf(path).length === 0) return await inside([], false, async (held) => statOf(await fs.stat(held.path)));
      return await beside(path, false, async (held, name) => {
        const stat = await missing(fs.lstat(held.at(name)));
        await held.confirm();
        return stat && statOf(stat);
      });
    },

    async readLink(path) {
      return await beside(path, false, async (held, name) => {
        const target = await missing(fs.readlink(held.at(name))).catch((error) => {
          if (error.code === "EINVAL") return null; // it is not a link
          throw error;
        });
        await held.confirm();
        return target;
      });
    },

    async remove(path) {
      const steps = stepsOf(path);
      await beside(path, false, async (held, name) => {
        if (!(await missing(fs.lstat(held.at(name))))?.isDirectory()) return await unlink(held, name);
        await clear(steps);
        await held.confirm();
        await missing(fs.rmdir(held.at(name)));
      });
    },
  };

  async function clear(steps: readonly string[]): Promise<void> {
    await inside(steps, false, async (held) => {
      await emptyFolder(held.path, async (entry) => {
        if (!entry.isDirectory()) return await unlink(held, entry.name);
        await clear([...steps, entry.name]);
        await held.confirm();
        await missing(fs.rmdir(held.at(entry.name)));
      });
    });
  }
}

async function unlink(held: FileHold, name: string): Promise<void> {
  await held.confirm();
  await missing(fs.unlink(held.at(name)));
}

/** Only a regular file with one name and within the size limit. */
function admit(path: string, stat: Stats, most: number): void {
  if (stat.isDirectory()) throw refusal("EISDIR", `${path} is a folder`);
  if (stat.isSymbolicLink()) throw refusal("ELOOP", `${path} is a link; links are not followed`);
  if (!stat.isFile()) throw refusal("EFTYPE", `${path} is neither a file nor a folder`);
  if (stat.nlink > 1)
    throw refusal("EMLINK", `${path} has ${stat.nlink} names (hard links); copy it to a file of its own`);
  if (stat.size > most) throw refusal("EFBIG", `${path} has ${stat.size} bytes; at most ${most} are read`);
}

function noFile(path: string, error: NodeJS.ErrnoException): never {
  if (error.code === "ELOOP" || error.code === "EMLINK")
    throw refusal("ELOOP", `${path} is a link; links are not followed`);
  if (error.code === "ENXIO" || error.code === "EOPNOTSUPP")
    throw refusal("EFTYPE", `${path} is neither a file nor a folder`);
  throw error;
}

/** That of the file it replaces, else as it was created. Who may read it may run it. */
function modeOf(before: Stats, executable: boolean | undefined): number {
  const mode = before.mode & 0o777;
  if (executable === undefined) return mode;
  return executable ? mode | ((mode & 0o444) >> 2) : mode & ~0o111;
}

/** It may grow while it is read, and some files report size 0 and are not empty. The reported size is read without another copy. */
async function readAll(path: string, file: fs.FileHandle, size: number, most: number): Promise<Buffer> {
  const first = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await file.read(first, filled, Math.min(atOnce, size - filled), null);
    if (bytesRead === 0) return first.subarray(0, filled);
    filled += bytesRead;
  }
  const parts: Buffer[] = [first];
  for (;;) {
    const part = Buffer.allocUnsafe(parts.length === 1 ? 1_024 : atOnce);
    const { bytesRead } = await file.read(part, 0, part.length, null);
    if (bytesRead === 0) return parts.length === 1 ? first : Buffer.concat(parts, filled);
    filled += bytesRead;
    if (filled > most) throw refusal("EFBIG", `${path} has more than the ${most} bytes that are read`);
    parts.push(part.subarray(0, bytesRead));
  }
}

function statOf(stat: Stats | null): FileStat {
  const kind = stat?.isFile() ? "file" : stat?.isDirectory() ? "folder" : "other";
  const executable = stat?.isFile() && stat.mode & 0o100 ? { executable: true as const } : {};
  const identity = stat ? { inode: stat.ino, ctime: stat.ctimeMs } : {};
  return { kind, size: stat?.size ?? 0, changed: stat?.mtimeMs ?? 0, ...executable, ...identity };
}
