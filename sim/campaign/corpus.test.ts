import { expect, test } from "vitest";
import { createRandom } from "../random.ts";
import { setupOf } from "../seed.ts";
import { createCorpus, emptyCorpus, type News } from "./corpus.ts";
import { difference, parseOverrides } from "./override.ts";

const news = (pairs: string[], files: News["files"] = {}): News => ({ pairs, files });
const file = (fresh: number[], hash = "h") => ({ hash, blocks: 4, fresh });

test("a world is kept for a pair of events or a block of the guided folders that is new, and for nothing else", () => {
  const state = emptyCorpus();
  const { learn } = createCorpus(state);
  const see = (seed: number, what: News) => learn({ seed, with: {} }, what);
  expect(see(1, news(["a b", "b c"]))).toBe(true);
  expect(see(2, news(["a b"]))).toBe(false);
  expect(see(3, news([], { "core/node.ts": file([0, 2]) }))).toBe(true);
  expect(see(4, news([], { "core/node.ts": file([0]) }))).toBe(false);
  expect(see(5, news([], { "server/app.ts": file([1]) }))).toBe(false);
  expect(state.kept.map(({ seed, pairs, blocks }) => [seed, pairs, blocks])).toEqual([
    [1, 2, 0],
    [3, 0, 2],
  ]);
  expect(state.files["core/node.ts"]!.reached).toBe("1.1.");
  expect(state.files["server/app.ts"]!.reached).toBe(".1..");
});

test("what is resumed knows what was reached; a file that changed is reached anew", () => {
  const state = emptyCorpus();
  createCorpus(state).learn({ seed: 1, with: {} }, news(["a b"], { "core/node.ts": file([0, 1]) }));
  const { learn } = createCorpus(JSON.parse(JSON.stringify(state)));
  expect(learn({ seed: 2, with: {} }, news(["a b"], { "core/node.ts": file([1]) }))).toBe(false);
  expect(learn({ seed: 3, with: {} }, news([], { "core/node.ts": file([1], "other") }))).toBe(true);
});

test("a mutation has the seed of a kept world and a few other fields, or its setup and another seed", () => {
  const state = emptyCorpus();
  const corpus = createCorpus(state);
  expect(corpus.mutate(createRandom(1), 1000)).toBeUndefined();
  for (let seed = 1; seed <= 20; seed++) corpus.learn({ seed, with: { crashes: 7 } }, news([`a ${seed}`]));
  const kinds = { seed: 0, setup: 0 };
  for (let n = 0; n < 200; n++) {
    const seed = 1000 + n;
    const made = corpus.mutate(createRandom(n), seed)!;
    const setup = setupOf(made.seed, parseOverrides(JSON.stringify(made.with)));
    if (made.seed === seed) {
      kinds.seed++;
      expect(state.kept.some((kept) => JSON.stringify(difference(setupOf(kept.seed, kept.with), setup)) === "{}")).toBe(
        true,
      );
    } else {
      kinds.setup++;
      const changed = Object.keys(difference(setupOf(made.seed, { crashes: 7 }), setup));
      expect(changed.length).toBeGreaterThan(0);
      expect(changed.length).toBeLessThan(4);
    }
  }
  expect(Math.min(kinds.seed, kinds.setup)).toBeGreaterThan(60);
});
