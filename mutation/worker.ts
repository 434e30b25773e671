/**
 * A process of the mutation run: has the tests and the simulation loaded with every mutant in the code, switches one on and runs tests until
 * one fails.
 *
 *   node mutation/worker.ts run|cover [FILE FIRST NUMBER]
 *
 * With FILE only that file has mutants, from FIRST on, and NUMBER is on from the beginning, for code that runs while it is loaded. One process
 * for each of these, so it does not prepare the other files.
 *
 * Always holds: a mutant counts as killed only by a test that passes again without it, or that failed in a process that ran nothing before.
 * Not here: endless loops and processes that run out of memory (pool.ts ends them).
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Form, instrument } from "./instrument.ts";
import { readTarget, readTargets, root } from "./targets.ts";
import type { Collected } from "./vitest.ts";

/** A test by its file and its number in it; a seed is `sim#42`. */
export type TestId = string;

export type Order =
  | { do: "cover"; file: string; from: number; count: number }
  | { do: "run"; mutant: number; tests: { id: TestId; limit: number }[] }
  | { do: "end" };

export interface Covered {
  id: TestId;
  name: string;
  /** Of processor time. */
  ms: number;
  /** Why it does not pass without any mutant. */
  error?: string;
  /** A bit for each mutant that it may notice. */
  hits: string;
}

export type Word =
  | { say: "ready" }
  | { say: "test"; id: TestId; limit: number }
  | { say: "covered"; tests: Covered[]; loading: string; error?: string }
  | { say: "killed"; id: TestId; why: string; clean: boolean }
  /** `reached`: the mutated code did run. What is done once for each process may have been done before. */
  | { say: "survived"; reached: boolean };

const form = process.argv[2] as Form;
const [lone, first = "", number = "-1"] = process.argv.slice(3);
const constant = Number(number);
const targets = lone === undefined ? readTargets() : [readTarget(lone, Number(first))];
const total = targets.at(-1)!.first + targets.at(-1)!.mutants.length;
const hits = new Uint8Array(total);
const { setTimeout, clearTimeout, setImmediate } = globalThis;
let active = constant;

Object.assign(globalThis, {
  __mutant(number: number): boolean {
    hits[number] = 1;
    return number === active;
  },
  __differs(number: number, truth: boolean, other: () => unknown, value: unknown): unknown {
    if (hits[number] === 1) return value;
    try {
      const given = other();
      if (truth ? !given !== !value : isObject(given) || !Object.is(given, value)) hits[number] = 1;
    } catch {
      hits[number] = 1;
    }
    return value;
  },
});
const isObject = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null);

const byUrl = new Map(targets.map((target) => [pathToFileURL(join(root, target.file)).href, target]));
const harness = new URL("./vitest.ts", import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "vitest" && context.parentURL !== harness
      ? { url: harness, shortCircuit: true }
      : next(specifier, context),
  load(url, context, next) {
    const target = byUrl.get(url.split("?")[0]!);
    if (!target) return next(url, context);
    const source = instrument(target.source, target.mutants, target.first, form);
    return { format: "module-typescript", source, shortCircuit: true };
  },
});

// The same examples each time, so that what a test reached it reaches again.
const { default: fc } = await import("fast-check");
fc.configureGlobal({ seed: 20, numRuns: 30 });
const { collect, prepare, run, end } = (await import(harness)) as typeof import("./vitest.ts");

const files = new Map<string, Promise<Collected[]>>();

function load(file: string): Promise<Collected[]> {
  const loaded = files.get(file) ?? collect(() => import(pathToFileURL(join(root, file)).href));
  files.set(file, loaded);
  return loaded;
}

/** What was thrown where nobody waited for it, during the test under way. */
let stray: unknown;
process.on("unhandledRejection", (error) => {
  stray ??= error;
});
process.on("uncaughtException", (error) => {
  stray ??= error;
});

/** The reason why the test fails, or undefined. */
async function failure(id: TestId, mutant: number, limit: number): Promise<string | undefined> {
  const [file, number] = id.split("#") as [string, string];
  let body: () => Promise<void>;
  active = constant;
  try {
    if (file === "sim") {
      const { runSeed } = await import("../sim/seed.ts");
      body = async () => {
        const { violations } = await runSeed(Number(number));
        if (violations.length) throw new Error(`${violations[0]!.invariant}: ${violations[0]!.what}`);
      };
    } else {
      const test = (await load(file))[Number(number)]!;
      await prepare(test);
      body = () => run(test);
    }
  } catch (error) {
    return `loading: ${String(error)}`;
  }
  let timer: NodeJS.Timeout | undefined;
  const [began, used] = [performance.now(), process.cpuUsage()];
  const late = new Promise<never>((_, reject) => {
    // By processor time, or when nothing happens any more: other programs may have the machine.
    const look = () => {
      const { user, system } = process.cpuUsage(used);
      const [cpu, wall] = [(user + system) / 1000, performance.now() - began];
      if (cpu > limit || cpu < wall / 50 || wall > 50 * limit) reject(new Error("no end"));
      else timer = setTimeout(look, limit);
    };
    timer = setTimeout(look, limit);
  });
  stray = undefined;
  hits.fill(0);
  active = mutant;
  try {
    await Promise.race([body(), late]);
    await new Promise((resolve) => setImmediate(resolve));
    if (stray !== undefined) throw stray;
    return undefined;
  } catch (error) {
    return String(error).split("\n", 1)[0]!.slice(0, 200) || "thrown";
  } finally {
    active = constant;
    clearTimeout(timer);
  }
}

const bits = (): string => {
  const bytes = new Uint8Array(Math.ceil(total / 8));
  for (let number = 0; number < total; number++) if (hits[number]) bytes[number >> 3]! |= 1 << (number & 7);
  return Buffer.from(bytes).toString("base64");
};

/** All tests of a file, or `count` seeds. */
async function cover(file: string, from: number, count: number): Promise<Word> {
  hits.fill(0);
  let ids: { id: TestId; name: string }[];
  try {
    if (file === "sim") {
      await import("../sim/seed.ts");
      ids = Array.from({ length: count }, (_, index) => ({ id: `sim#${from + index}`, name: `seed ${from + index}` }));
    } else {
      const tests = await load(file);
      for (const test of tests) await prepare(test);
      ids = tests.map(({ name }, index) => ({ id: `${file}#${index}`, name }));
    }
  } catch (error) {
    return { say: "covered", tests: [], loading: bits(), error: String(error).slice(0, 300) };
  }
  const loading = bits();
  const tests: Covered[] = [];
  for (const { id, name } of ids) {
    const began = process.cpuUsage();
    const error = await failure(id, -1, 60_000);
    const { user, system } = process.cpuUsage(began);
    tests.push({ id, name, ms: (user + system) / 1000, hits: bits(), ...(error ? { error } : {}) });
  }
  return { say: "covered", tests, loading };
}

async function kill(mutant: number, tests: { id: TestId; limit: number }[]): Promise<Word> {
  let reached = false;
  for (const { id, limit } of tests) {
    say({ say: "test", id, limit });
    const why = await failure(id, mutant, limit);
    reached ||= hits[mutant] === 1;
    if (why === undefined) continue;
    say({ say: "test", id, limit });
    return { say: "killed", id, why, clean: constant < 0 && (await failure(id, -1, limit)) === undefined };
  }
  return { say: "survived", reached };
}

const say = (word: Word): void => void process.send!(word);

process.on("message", async (order: Order) => {
  if (order.do === "cover") say(await cover(order.file, order.from, order.count));
  else if (order.do === "run") say(await kill(order.mutant, order.tests));
  else {
    await end().catch(() => undefined);
    process.exit();
  }
});
process.on("disconnect", () => process.exit());
say({ say: "ready" });
