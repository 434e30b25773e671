/**
 * npm run sim -- [--seeds 500] [--from 1|commit] [--seed 42] [--bug NAME] [--twice] [--trace AGENT]
 *                [--with '{"agents":1,"crashes":0}']
 * npm run sim -- planted [--seeds 2000] [--from commit | NAME …]
 *
 * Plays the worlds that failed once (seeds.json) and then the seeds from --from (with `commit`: other ones for each commit), one after the
 * other, and stops at the first that breaks a promise, printing the one command that plays it again. With --bug a planted bug is switched on
 * and the run must find it. Fails if a kind of fault never happened in 200 seeds or more that are not drawn. --trace prints what happens to an
 * agent, and then its log. --with replaces fields of the setup that each seed draws (setup.ts): nested fields one by one, null for a part
 * that is not there. Many seeds, on all cores: npm run sim:campaign.
 */
import { parseArgs } from "node:util";
import { bugs } from "./bugs.ts";
import type { Overrides } from "./campaign/override.ts";
import "./plant.ts";
import failures from "./seeds.json" with { type: "json" };

interface Failure {
  seed: number;
  with?: Overrides;
  was: string;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: "string", default: "500" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    bug: { type: "string" },
    twice: { type: "boolean", default: false },
    trace: { type: "string" },
    with: { type: "string" },
    verbose: { type: "boolean", default: false },
  },
});

if (positionals[0] === "planted") {
  const { drawn, reportHunts } = await import("./planted.ts");
  const { commitOf, firstSeed } = await import("./campaign/commit.ts");
  const named = positionals.length > 1 ? positionals.slice(1) : undefined;
  const names = named ?? (values.from === "commit" ? drawn(firstSeed(commitOf())) : undefined);
  process.exit((await reportHunts(Number(values.seeds), names)) ? 0 : 1);
}
const { runSeed } = await import("./seed.ts");
const { sureFaults, unreached } = await import("./coverage.ts");
const { commandOf, parseOverrides } = await import("./campaign/override.ts");
const { commitOf, firstSeed } = await import("./campaign/commit.ts");

const from = values.seed ? Number(values.seed) : values.from === "commit" ? fromCommit() : Number(values.from);
const fresh = Array.from({ length: values.seed ? 1 : Number(values.seeds) }, (_, index) => from + index);
const given = values.with ? overridesOf(values.with) : {};
/** Worlds that once broke a promise come first. They may differ from what their seed draws today. */
const known = (values.seed || values.bug ? [] : (failures as Failure[])).map(({ seed, with: overrides }) => ({
  seed,
  overrides: { ...(overrides && overridesOf(JSON.stringify(overrides))), ...given },
}));
const list = [...known, ...fresh.map((seed) => ({ seed, overrides: given }))];
const seeds = list.length;
const began = performance.now();
const totals: Record<string, number> = {};
let events = 0;
let steps = 0;

/** What nobody catches is found as well: a product that throws where nothing can be done about it. */
let died: ((error: Error) => never) | undefined;
process.on("uncaughtException", (error) => died?.(error));

for (const { seed, overrides } of list) {
  died = ({ message }) => fail(seed, overrides, [{ invariant: "died", what: message.slice(0, 300) }]);
  const outcome = await runSeed(seed, { with: overrides, ...(values.trace ? { tell } : {}) });
  if (values.twice || seed % 100 === 0) {
    const again = await runSeed(seed, { with: overrides });
    if (again.trace !== outcome.trace)
      fail(seed, overrides, [{ invariant: "determinism", what: "the same seed took another course the second time" }]);
  }
  if (outcome.violations.length) fail(seed, overrides, outcome.violations);
  for (const [name, times] of Object.entries(outcome.injected)) totals[name] = (totals[name] ?? 0) + times;
  events += outcome.events;
  steps += outcome.steps;
}

const seconds = (performance.now() - began) / 1000;
console.log(
  `${seeds} seeds, ${events} events, ${steps} steps in ${seconds.toFixed(1)} s: ${Math.round((seeds / seconds) * 60)} seeds a minute`,
);
if (values.verbose || !values.bug) {
  console.log(
    Object.entries(totals)
      .filter(([name]) => !/^(point|event|pair|tool|command|outcome) /.test(name))
      .map(([name, times]) => `${name} ${times}`)
      .join(", "),
  );
}
if (values.verbose) console.log(`never reached: ${unreached(totals).join(", ") || "nothing"}`);
if (values.bug) {
  console.error(
    `the planted bug ${values.bug} was not found in ${seeds} seeds: ${bugs.find((bug) => bug.name === values.bug)?.about}`,
  );
  process.exit(1);
}
const missing = seeds >= 200 && values.from !== "commit" ? sureFaults.filter((name) => !totals[name]) : [];
if (missing.length) {
  console.error(`these never happened, so nothing is known about them: ${missing.join(", ")}`);
  process.exit(1);
}
console.log("every promise held");

function fromCommit(): number {
  const commit = commitOf();
  const seed = firstSeed(commit);
  console.log(`seeds from ${seed}, ${commit ? `by the commit ${commit}` : "because there is no git"}`);
  return seed;
}

function overridesOf(text: string): Overrides {
  try {
    return parseOverrides(text);
  } catch (error) {
    console.error((error as Error).message);
    process.exit(2);
  }
}

function tell(agent: string, what: string): void {
  if (agent === values.trace) console.log(what);
}

function fail(seed: number, overrides: Overrides, violations: { invariant: string; what: string }[]): never {
  for (const { invariant, what } of violations) console.error(`seed ${seed} broke ${invariant}: ${what}`);
  console.error(`\nplay it again: ${commandOf(seed, overrides, values.bug)}`);
  process.exit(values.bug ? 0 : 1);
}
