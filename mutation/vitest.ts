/**
 * What tests find under the name `vitest` in a worker of the mutation run: they are collected here and can be run one by one, again and
 * again, in one process. The expectations are vitest's own.
 *
 * A `beforeAll` runs once, before the first test that needs it and without a mutant. An `afterAll` runs when the process ends.
 */
import { expect, expectTypeOf, vi as real } from "vitest";

type Hook = () => unknown;

interface Suite {
  parent: Suite | null;
  before: Hook[];
  after: Hook[];
  beforeEach: Hook[];
  afterEach: Hook[];
  ready?: Promise<void>;
}

export interface Collected {
  name: string;
  suite: Suite;
  body(context: unknown): unknown;
}

type Body = (...given: never[]) => unknown;

const createSuite = (parent: Suite | null): Suite => ({ parent, before: [], after: [], beforeEach: [], afterEach: [] });

let suite = createSuite(null);
let collected: Collected[] = [];
const enclosed: { suite: Suite; body(): unknown }[] = [];
let finished: Hook[] = [];
const endings: Hook[] = [];

/** The tests that loading a file defines. */
export async function collect(load: () => Promise<unknown>): Promise<Collected[]> {
  suite = createSuite(null);
  collected = [];
  await load();
  for (let next = enclosed.shift(); next; next = enclosed.shift()) {
    suite = next.suite;
    next.body();
  }
  return collected;
}

/** What must have happened before the test can run. */
export async function prepare({ suite: own }: Collected): Promise<void> {
  for (const each of chain(own)) {
    each.ready ??= (async () => {
      for (const hook of each.before) {
        const undo = await hook();
        if (typeof undo === "function") endings.push(undo as Hook);
      }
      endings.push(...each.after);
    })();
    await each.ready;
  }
}

/** Throws what the test throws. */
export async function run({ suite: own, body }: Collected): Promise<void> {
  const suites = chain(own);
  finished = [];
  const mine = finished;
  try {
    for (const each of suites) for (const hook of each.beforeEach) await hook();
    await body({ expect, onTestFinished });
  } finally {
    for (const each of suites.toReversed()) for (const hook of each.afterEach) await hook();
    for (const hook of mine.toReversed()) await hook();
  }
}

export async function end(): Promise<void> {
  for (const hook of endings.toReversed()) await hook();
}

function chain(own: Suite): Suite[] {
  const suites: Suite[] = [];
  for (let each: Suite | null = own; each; each = each.parent) suites.unshift(each);
  return suites;
}

const isBody = (value: unknown): value is Body => typeof value === "function";

function define(name: unknown, ...given: unknown[]): void {
  const body = given.find(isBody);
  if (body) collected.push({ name: String(name), suite, body: body as Collected["body"] });
}

/** Its body runs when the file is loaded, so that it may use what stands below. */
function enclose(_: unknown, ...given: unknown[]): void {
  const body = given.find(isBody);
  if (body) enclosed.push({ suite: createSuite(suite), body: body as () => unknown });
}

const forEach =
  (define: (name: unknown, body: () => unknown) => void) =>
  (rows: readonly unknown[]) =>
  (name: unknown, ...given: unknown[]): void => {
    const body = given.find(isBody) as ((...row: unknown[]) => unknown) | undefined;
    for (const row of rows) define(name, () => body?.(...(Array.isArray(row) ? row : [row])));
  };

const leaveOut = (): void => undefined;

export const test = Object.assign(define, {
  each: forEach(define),
  skip: leaveOut,
  todo: leaveOut,
  runIf: (yes: unknown) => (yes ? define : leaveOut),
  skipIf: (yes: unknown) => (yes ? leaveOut : define),
});
export const it = test;
export const describe = Object.assign(enclose, {
  each: forEach(enclose),
  skip: leaveOut,
  runIf: (yes: unknown) => (yes ? enclose : leaveOut),
  skipIf: (yes: unknown) => (yes ? leaveOut : enclose),
});
export const beforeAll = (hook: Hook): void => void suite.before.push(hook);
export const afterAll = (hook: Hook): void => void suite.after.push(hook);
export const beforeEach = (hook: Hook): void => void suite.beforeEach.push(hook);
export const afterEach = (hook: Hook): void => void suite.afterEach.push(hook);
export const onTestFinished = (hook: Hook): void => void finished.push(hook);
export const vi = { fn: real.fn, setConfig: leaveOut };
export { expect, expectTypeOf };
