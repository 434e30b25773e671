/**
 * The smallest world that still fails the same way. Each field of the setup is moved towards its simplest value (setup.ts), as far as the world
 * goes on failing; first with its own seed, then, where that does not fail any more, with a few others, because a simpler world takes another
 * course and the same mistake needs other luck in it.
 *
 * Always holds: what is returned failed when it was tried; nothing in it is less simple than it was. It is a local minimum: no single field can
 * be made simpler with the seeds that were tried. Ends after `tries`, or when the signal says so, with what it has.
 */
import { type Setup, simplest } from "../setup.ts";
import { isPart } from "./override.ts";

export interface Failing {
  seed: number;
  setup: Setup;
}

export interface ShrinkOptions {
  /** The size of the world if it fails the same way. */
  fails(world: Failing): Promise<number | undefined>;
  /** Other seeds for the same setup. */
  seeds: readonly number[];
  /** How many worlds may be played. */
  most: number;
  /** Tried at once. */
  jobs: number;
  signal: AbortSignal;
  /** Told of every world that is smaller than the last. */
  smaller?(world: Failing & { tries: number }): void;
}

export async function shrink(start: Failing, options: ShrinkOptions): Promise<Failing & { tries: number }> {
  const { fails, seeds, most, jobs, signal, smaller } = options;
  let best = start;
  let tries = 0;
  const over = () => tries >= most || signal.aborted;

  /** The first of these worlds, in their order, that fails. */
  async function firstOf(worlds: readonly Failing[]): Promise<Failing | undefined> {
    for (let at = 0; at < worlds.length && !over(); at += jobs) {
      const some = worlds.slice(at, at + jobs);
      tries += some.length;
      const sizes = await Promise.all(some.map(fails));
      const index = sizes.findIndex((size) => size !== undefined);
      if (index >= 0) return some[index];
    }
    return undefined;
  }

  /** Every field as far as it goes; again until none goes any further. Whether any did. Elsewhere: with the other seeds, the longest step. */
  async function passes(elsewhere = false): Promise<boolean> {
    for (let moved = false; ; moved = true) {
      const before = best;
      const stuck = new Set<string>();
      while (!over()) {
        const steps = simpler(best.setup).filter(({ field }) => !stuck.has(field));
        const field = steps[0]?.field;
        if (field === undefined) break;
        const { seed } = best;
        const next = await firstOf(
          elsewhere
            ? seeds.map((seed) => ({ seed, setup: steps[0]!.setup }))
            : steps.filter((step) => step.field === field).map(({ setup }) => ({ seed, setup })),
        );
        if (next) {
          best = next;
          smaller?.({ ...best, tries });
        } else stuck.add(field);
      }
      if (best === before) return moved;
    }
  }

  do await passes();
  while (!over() && (await passes(true)));

  // The same world with the seed in which the least happens.
  const { setup } = best;
  const worlds = [best.seed, ...seeds].map((seed) => ({ seed, setup }));
  const sizes = signal.aborted ? [] : await Promise.all(worlds.map(fails));
  const least = Math.min(...sizes.map((size) => size ?? Number.POSITIVE_INFINITY));
  const index = sizes.indexOf(least);
  return { ...(worlds[index] ?? best), tries: tries + sizes.length };
}

export interface Step {
  /** The field that differs, as a path. */
  field: string;
  setup: Setup;
}

/** All setups that are simpler in one field; those of one field together, the longest step first. */
export const simpler = (setup: Setup): Step[] =>
  steps(setup as unknown as Part, simplest as unknown as Part, "").map(({ field, part }) => ({
    field,
    setup: part as unknown as Setup,
  }));

type Part = Record<string, unknown>;

function steps(part: Part, simple: Part, path: string): { field: string; part: Part }[] {
  return Object.keys(simple).flatMap((name) => {
    const field = `${path}${name}`;
    const put = (value: unknown) => ({ field, part: { ...part, [name]: value } });
    const inside = (value: Part, goal: Part) =>
      steps(value, goal, `${field}.`).map((step) => ({ field: step.field, part: { ...part, [name]: step.part } }));
    const [value, goal] = [part[name], simple[name]];
    if (isPart(value)) return isPart(goal) ? inside(value, goal) : [put(goal), ...inside(value, without(value))];
    return towards(value, goal).map(put);
  });
}

/** Values that are nearer to the simplest one, the nearest first. Whole numbers: there, halfway, an eighth. Anything else has no middle. */
function towards(value: unknown, goal: unknown): unknown[] {
  if (Object.is(value, goal)) return [];
  if (typeof value !== "number" || typeof goal !== "number" || !Number.isInteger(value)) return [goal];
  const way = goal - value;
  const part = (share: number) => value + Math.sign(way) * Math.ceil(Math.abs(way) * share);
  return [...new Set([goal, part(1 / 2), part(1 / 8)])];
}

/** A part that is missing in the simplest world: there its rates, and nothing else, can be simpler than they are. */
const without = (part: Part): Part =>
  Object.fromEntries(
    Object.entries(part).map(([field, value]) => [
      field,
      typeof value === "number" && value > 0 && value < 1 ? 0 : value,
    ]),
  );
