/**
 * A pool of open files, at most `limit` however many agents there are.
 *
 * Always holds: a file stays open while it is in use. When room is needed, the least recently used of the others is closed; when all are in use,
 * the next caller waits. A caller must therefore not use a second file meanwhile, or it could deadlock. After `close` nothing is opened. A handle
 * that failed is dropped, never reused: after a failed sync its state is unknown.
 */
import type { Files, OpenFile } from "../lib/world.ts";
import { closedProblem } from "./refusal.ts";

export interface Handles {
  /** Calls `call` with the open file, opening it first if needed. */
  use<T>(path: string, call: (file: OpenFile) => Promise<T>): Promise<T>;
  /** Forgets the handle: closed now, or as soon as its last user is done. The next use reopens the file. */
  drop(path: string): Promise<void>;
  close(): Promise<void>;
}

interface Handle {
  file: Promise<OpenFile>;
  users: number;
}

export function createHandles(files: Files, limit = 200): Handles {
  /** In order of use, least recent first. */
  const open = new Map<string, Handle>();
  const waiting: (() => void)[] = [];
  let over = false;

  async function take(path: string): Promise<Handle> {
    for (;;) {
      if (over) throw closedProblem(path);
      const known = open.get(path);
      if (known) {
        known.users++;
        open.delete(path);
        open.set(path, known);
        return known;
      }
      if (open.size < limit) {
        const handle = { file: files.open(path), users: 1 };
        open.set(path, handle);
        return handle;
      }
      const idle = open.entries().find(([, handle]) => handle.users === 0);
      if (idle) await drop(idle[0]);
      else await new Promise<void>((resolve) => waiting.push(resolve));
    }
  }

  async function drop(path: string): Promise<void> {
    const handle = open.get(path);
    if (!handle) return;
    open.delete(path);
    waiting.shift()?.();
    if (handle.users === 0) await shut(handle);
  }

  return {
    async use(path, call) {
      const handle = await take(path);
      try {
        const file = await handle.file.catch((error) => {
          if (open.get(path) === handle) open.delete(path);
          throw error;
        });
        return await call(file);
      } finally {
        handle.users--;
        if (handle.users === 0 && open.get(path) !== handle) await shut(handle);
        waiting.shift()?.();
      }
    },
    drop,
    async close() {
      over = true;
      for (const path of [...open.keys()]) await drop(path);
    },
  };
}

/** Everything that matters was synced before, so a failing close loses nothing; a file that never opened has nothing to close. */
async function shut(handle: Handle): Promise<void> {
  await handle.file.then((file) => file.close()).catch(() => undefined);
}
