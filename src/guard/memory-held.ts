/**
 * The memory of a run that has read what strangers or other agents wrote. What it writes is held beside its run: the run itself reads and finds it,
 * and no later run does until the human accepts it. The memory of the agent is not changed.
 */

import { Problem } from "../schema/problem.ts";
import type { Memory, Written } from "../toolkit/memory.ts";
import type { OwnMemory } from "./memory.ts";
import { hashOf } from "./memory-index.ts";

export interface Held extends Written {
  content: string;
  /** The hash of the agent's own version, if it has one. */
  base: string | null;
}

/** `held` is told of every write, also of one that a crash may have hidden. */
export function holdMemory(own: OwnMemory, held: OwnMemory, tell: (written: Held) => Promise<void>): Memory {
  async function kept(written: Written): Promise<Written> {
    const [content, before] = [(await held.read(written.path)) ?? "", await own.read(written.path)];
    await tell({ ...written, content, base: before === null ? null : hashOf(before) });
    return { ...written, held: true };
  }

  /** The run's first write of a note begins with the agent's version of it. */
  async function begin(path: string): Promise<void> {
    if ((await held.read(path)) !== null) return;
    const before = await own.read(path);
    if (before !== null) await held.edit(path, () => before);
    await held.read(path);
  }

  return {
    read: async (path) => (await held.read(path)) ?? (await own.read(path)),
    async write(path, content) {
      if ((await held.read(path)) === null && (await own.isUnread(path)))
        throw new Problem("stale", `${path} has changed since you last read it; read it, then write the full new text`);
      await begin(path);
      return await kept(await held.write(path, content));
    },
    async edit(path, change) {
      await begin(path);
      return await kept(await held.edit(path, change));
    },
    origin: async (path) => (await held.origin(path)) ?? (await own.origin(path)),
    isGuarded: async () => false,
    async list() {
      const mine = await held.list();
      const names = new Set(mine.map(({ path }) => path));
      return [...mine, ...(await own.list()).filter(({ path }) => !names.has(path))].sort((a, b) =>
        a.path < b.path ? -1 : 1,
      );
    },
    async search(query, limit) {
      const [mine, lasting] = [await held.search(query, limit), await own.search(query, limit)];
      const names = new Set((await held.list()).map(({ path }) => path));
      const found = [...mine.found, ...lasting.found.filter(({ path }) => !names.has(path))];
      return { found: found.sort((a, b) => b.score - a.score).slice(0, limit), by: lasting.by };
    },
  };
}
