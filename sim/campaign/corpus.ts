/**
 * Worlds that reached something new, kept so that others can be made from them.
 *
 * New is: two types of events next to each other in a log that no log had before, or a block of core, runtime, store, engine, loop or guard that no
 * world had reached. A mutation is a kept world with a few fields of its setup drawn anew, or its setup with another seed; it is named by its
 * seed and what differs from what that seed draws, as every world.
 * Always holds: all of it is plain data in the campaign's report; a file that changed since is reached anew.
 */
import type { SimRandom } from "../random.ts";
import { setupOf } from "../seed.ts";
import type { Setup } from "../setup.ts";
import type { MarkedFile } from "./blocks.ts";
import { difference } from "./override.ts";
import type { Task } from "./pool.ts";

export interface CorpusState {
  /** `one.type other.type` */
  pairs: string[];
  /** Which blocks of each file were reached: a 1 or a dot for each. */
  files: Record<string, MarkedFile & { reached: string }>;
  kept: (Task & { pairs: number; blocks: number })[];
}

/** What one process saw for the first time. */
export interface News {
  pairs: string[];
  files: Record<string, MarkedFile & { fresh: number[] }>;
}

export interface Corpus {
  /** Whether the world reached something new; then it is kept. */
  learn(task: Task, news: News): boolean;
  /** A world made from a kept one; with `seed` if it gets a new one. None while few are kept. */
  mutate(random: SimRandom, seed: number): Task | undefined;
}

const guided = /^(core|runtime|store|engine|loop|guard)\//;
const few = 10;

export const emptyCorpus = (): CorpusState => ({ pairs: [], files: {}, kept: [] });

export function createCorpus(state: CorpusState): Corpus {
  const pairs = new Set(state.pairs);

  function learnFile(path: string, { hash, blocks, fresh }: News["files"][string]): number {
    const before = state.files[path];
    const reached = [...(before?.hash === hash ? before.reached : ".".repeat(blocks))];
    let found = 0;
    for (const block of fresh) {
      if (reached[block] !== "1") found++;
      reached[block] = "1";
    }
    state.files[path] = { hash, blocks, reached: reached.join("") };
    return guided.test(path) ? found : 0;
  }

  return {
    learn(task, news) {
      const found = news.pairs.filter((pair) => !pairs.has(pair));
      for (const pair of found) pairs.add(pair);
      state.pairs.push(...found);
      let blocks = 0;
      for (const [path, file] of Object.entries(news.files)) blocks += learnFile(path, file);
      if (found.length + blocks === 0) return false;
      state.kept.push({ ...task, pairs: found.length, blocks });
      return true;
    },
    mutate(random, seed) {
      if (state.kept.length < few) return undefined;
      const kept = random.pick(state.kept);
      const setup = setupOf(kept.seed, kept.with);
      if (random.chance(0.5)) return { seed, with: difference(setupOf(seed), setup) };
      const other = setupOf(seed);
      const fields = Object.keys(difference(setup, other)) as (keyof Setup)[];
      const changed = { ...setup };
      for (let left = 1 + random.int(3); left > 0 && fields.length; left--) {
        const [field] = fields.splice(random.int(fields.length), 1);
        Object.assign(changed, { [field!]: other[field!] });
      }
      return { seed: kept.seed, with: difference(setupOf(kept.seed), changed) };
    },
  };
}
