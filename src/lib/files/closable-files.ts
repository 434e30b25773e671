/**
 * Files that can be revoked: for an agent that was closed and will be opened again, here or elsewhere.
 *
 * Always holds: after `close` no call begins, and once `close` has resolved none is running. So a successor never sees a write, rename or removal
 * of its predecessor arrive late. Locks and open files can still be released.
 */
import type { Files } from "../world.ts";

export interface ClosableFiles {
  files: Files;
  isClosed(): boolean;
  /** Resolves when the running calls have ended, however they did. */
  close(): Promise<void>;
}

/** `refusal` is what a call after `close` throws. */
export function createClosableFiles(files: Files, refusal: () => Error): ClosableFiles {
  let closed = false;
  let underWay = 0;
  const waiting: (() => void)[] = [];

  async function during<T, G extends unknown[]>(call: (...given: G) => Promise<T>, given: G): Promise<T> {
    if (closed) throw refusal();
    underWay++;
    try {
      return await call(...given);
    } finally {
      if (--underWay === 0) for (const resolve of waiting.splice(0)) resolve();
    }
  }

  /** Each method of the object, except those that only release. */
  function guard<T extends object>(target: T): T {
    const methods = target as Record<string, (...given: unknown[]) => Promise<unknown>>;
    const guarded: typeof methods = {};
    for (const name in methods) {
      const method = methods[name]!;
      guarded[name] = name === "close" ? method : (...given) => during(method, given);
    }
    return guarded as T;
  }

  return {
    files: {
      ...guard(files),
      open: async (path) => guard(await during(files.open, [path])),
      within: (root) => guard(files.within(root)),
    },
    isClosed: () => closed,
    close() {
      closed = true;
      return underWay === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve));
    },
  };
}
