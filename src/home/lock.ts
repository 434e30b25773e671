/**
 * The home folder, locked by one process at a time.
 *
 * Always holds: between `openHome` and `release` no other process holds this home, and the operating system releases the lock when the process
 * ends, however it ends. The lock file is never removed: a second process could otherwise lock a new file of the same name. `holder.json` only
 * tells people who holds the lock; nothing is decided by it, so it may be missing, stale or damaged.
 *
 * Not here: the permissions of an existing home (the seam does not show them; a new one is 0700).
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Clock, Files } from "../lib/world.ts";
import { onDisk } from "../schema/disk-error.ts";
import { Problem } from "../schema/problem.ts";

export interface HomeOptions {
  path: string;
  files: Files;
  clock: Clock;
  pid: number;
  /** When this process started (ISO 8601). */
  startedAt: string;
}

export interface Home {
  path: string;
  /** Unique to each holder of a home; an identity, not a secret. */
  nonce: string;
  release(): Promise<void>;
}

export interface Holder {
  pid: number;
  started_at: string;
  nonce: string;
}

const attempts = 4;
const pauseMs = 50;

/** Throws `home_locked`, naming the holder if it is known. */
export async function openHome({ path, files, clock, pid, startedAt }: HomeOptions): Promise<Home> {
  const lockPath = join(path, "lock");
  const holderPath = join(path, "holder.json");
  await onDisk("create", path, () => files.makeDir(path));
  const lock = await onDisk("lock", lockPath, () => takeLock(files, clock, lockPath));
  if (!lock) throw locked(path, await readHolder(files, holderPath));

  const nonce = createHash("sha256").update(`${path} ${pid} ${startedAt} ${clock.now()} ${clock.mono()}`).digest("hex");
  const holder: Holder = { pid, started_at: startedAt, nonce };
  try {
    await onDisk("write", holderPath, () => files.write(holderPath, `${JSON.stringify(holder)}\n`, { durable: false }));
  } catch (error) {
    await lock.release();
    throw error;
  }
  let held = true;
  return {
    path,
    nonce,
    async release() {
      if (held) await lock.release();
      held = false;
    },
  };
}

/** Null if nobody holds it or the holder is unknown. */
export async function readHolder(files: Files, path: string): Promise<Holder | null> {
  try {
    const { pid, started_at, nonce } = JSON.parse(String(await files.read(path)));
    return Number.isSafeInteger(pid) && typeof started_at === "string"
      ? { pid, started_at, nonce: String(nonce) }
      : null;
  } catch {
    return null; // only used to name the holder
  }
}

/** Processes that try at the same instant can all find the lock busy although none gets it, so a single refusal is retried. */
async function takeLock(files: Files, clock: Clock, path: string) {
  for (let attempt = 1; ; attempt++) {
    const lock = await files.lock(path);
    if (lock || attempt === attempts) return lock;
    await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
  }
}

function locked(path: string, holder: Holder | null): Problem {
  const who = holder ? `process ${holder.pid}, running since ${holder.started_at}` : "another process (unknown)";
  return new Problem("home_locked", `${path} is in use by ${who}; stop it first, or choose another home`, {
    path,
    holder,
  });
}
