/**
 * Tries to kill one mutant after the other: with the tests that may notice it, first those made for the file, those that reach little else and
 * the quick ones; then, if it runs while files are loaded or once for each process, in a process of its own; then with the quickest seeds of the
 * simulation that reach it.
 *
 * Bounded: tests from elsewhere up to `testMs` of their time, `seeds` seeds. A survivor therefore is one that these do not notice.
 */
import { type Coverage, has, shareOf, type Test } from "./coverage.ts";
import { type Answer, startWorker, type Worker } from "./pool.ts";
import type { Fate } from "./results.ts";
import { type Target, testsOf } from "./targets.ts";

export interface Quarry {
  target: Target;
  index: number;
}

export interface Outcome {
  fate: Fate;
  by?: string;
  why?: string;
}

const testMs = 2_500;
/** A worker is replaced now and then: what mutants leave behind adds up. */
const mostInWorker = 400;

export async function hunt(
  list: readonly Quarry[],
  coverage: Coverage,
  { workers, seeds }: { workers: number; seeds: number },
  found: (quarry: Quarry, outcome: Outcome) => void,
): Promise<void> {
  const left = [...list];
  /** How often a test killed a mutant of a file: it may well do so again. */
  const kills = new Map<string, number>();
  const work = async () => {
    const hand = createHand();
    for (let quarry = left.shift(); quarry; quarry = left.shift()) {
      const outcome = await tryAll(quarry, coverage, seeds, kills, hand);
      if (outcome.by) {
        const key = `${quarry.target.file} ${outcome.by}`;
        kills.set(key, (kills.get(key) ?? 0) + 1);
      }
      found(quarry, outcome);
    }
    await hand.end();
  };
  await Promise.all(Array.from({ length: workers }, work));
}

async function tryAll(
  { target, index }: Quarry,
  { tests, loading }: Coverage,
  most: number,
  kills: Map<string, number>,
  hand: Hand,
): Promise<Outcome> {
  const mutant = target.first + index;
  const able = tests.filter(({ hits }) => has(hits, mutant));
  const home = testsOf(target.file);
  const folder = target.file.replace(/[^/]+$/, "");
  const near = (file: string): number => (home.includes(file) ? 0.1 : file.startsWith(folder) ? 0.3 : 1);
  const rank = ({ id, file, ms, hits }: Test): number =>
    (ms * near(file)) / (0.01 + shareOf(hits, target)) / (1 + (kills.get(`${target.file} ${id}`) ?? 0));
  const ordered = (some: Test[]) =>
    some
      .map((test) => ({ test, by: rank(test) }))
      .sort((a, b) => a.by - b.by)
      .map(({ test }) => test);
  const seeds = ordered(able.filter(({ file }) => file === "sim")).slice(0, most);
  const own = within(testMs, home, ordered(able.filter(({ file }) => file !== "sim")));

  const byTests = await hand.tryWith(mutant, own);
  if (byTests.kill) return { fate: "tests", ...byTests.kill };
  const runsAtLoad = has(loading, mutant);
  if (runsAtLoad || (own.length && !byTests.reached)) {
    const beside = tests.filter(({ file }) => file.startsWith(folder));
    const able = own.length ? own : ordered(nearTests(tests, target) ?? beside);
    const fromStart = await tryFromStart(target, mutant, within(testMs, home, able));
    if (fromStart) return { fate: "tests", ...fromStart };
  }
  const bySeeds = await hand.tryWith(mutant, seeds);
  if (bySeeds.kill) return { fate: "simulation", ...bySeeds.kill };
  return { fate: able.length || runsAtLoad ? "survived" : "none" };
}

/** Those that reach anything in the file, if any do. */
function nearTests(tests: readonly Test[], { first, mutants }: Target): Test[] | undefined {
  const near = tests.filter(({ file, hits }) => file !== "sim" && mutants.some((_, index) => has(hits, first + index)));
  return near.length ? near : undefined;
}

/** Those that are made for the file, and of the others as many as take this long, at least one. */
function within(ms: number, home: readonly string[], tests: Test[]): Test[] {
  let sum = 0;
  return tests.filter((test) => {
    if (home.includes(test.file)) return true;
    const isFirst = sum === 0;
    sum += test.ms;
    return isFirst || sum <= ms;
  });
}

type Kill = { by: string; why: string } | undefined;

interface Hand {
  tryWith(mutant: number, tests: Test[]): Promise<{ kill: Kill; reached: boolean }>;
  end(): Promise<void>;
}

const limited = (tests: Test[]) => tests.map(({ id, ms }) => ({ id, limit: Math.round(1_000 + 10 * ms) }));

/** A worker, and another one when it is used up. */
function createHand(): Hand {
  let worker: Worker | undefined;
  let used = 0;
  async function drop(): Promise<void> {
    await worker?.end();
    worker = undefined;
  }
  async function ask(mutant: number, tests: Test[]): Promise<{ answer: Answer; fresh: boolean }> {
    if (++used % mostInWorker === 0) await drop();
    worker ??= startWorker("run");
    const { fresh } = worker;
    worker.fresh = false;
    return { answer: await worker.ask({ do: "run", mutant, tests: limited(tests) }), fresh };
  }
  return {
    async tryWith(mutant, tests) {
      if (!tests.length) return { kill: undefined, reached: false };
      let { answer, fresh } = await ask(mutant, tests);
      if (answer.say === "killed" && !answer.clean) {
        await drop();
        if (!fresh) ({ answer } = await ask(mutant, tests));
        if (answer.say === "killed" && !answer.clean) await drop();
      }
      if (answer.say === "died") await drop();
      return { kill: killOf(answer), reached: answer.say !== "survived" || answer.reached };
    },
    end: drop,
  };
}

async function tryFromStart({ file, first }: Target, mutant: number, tests: Test[]): Promise<Kill> {
  const worker = startWorker("run", { file, first, mutant });
  const answer = await worker.ask({ do: "run", mutant, tests: limited(tests) });
  await worker.end();
  return killOf(answer);
}

const killOf = (answer: Answer): Kill =>
  answer.say === "killed" || answer.say === "died" ? { by: answer.id, why: answer.why } : undefined;
