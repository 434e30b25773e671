/**
 * npm run mutation -- [FILE …] [--sample N] [--seeds N] [--json] [--workers N] [--accepted] [--report]
 *
 * Changes the code in many small ways (mutants.ts), one at a time, and sees whether a test or the simulation notices. Prints a table of files
 * and the survivors that nobody has accepted (accepted.json). FILE: only these. --sample: N mutants, spread evenly. --seeds: of the
 * simulation, at most, for what the tests do not notice (6). --accepted: tries accepted survivors, too, which otherwise count as survivors
 * without a try, for they cost most of the time. --report: what is known with today's tests, without trying anything. Goes on where the last
 * run was ended: what it knows is in dist/mutation.
 *
 * Fails if less than 85 % of all are killed, or an accepted survivor is stale.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readAccepted } from "./accepted.ts";
import { hashOfTests, readCoverage } from "./coverage.ts";
import { hunt, type Quarry } from "./hunt.ts";
import { reportOf, tableOf } from "./report.ts";
import { openResults } from "./results.ts";
import { readTargets, root } from "./targets.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string" },
    seeds: { type: "string", default: "6" },
    json: { type: "boolean", default: false },
    accepted: { type: "boolean", default: false },
    report: { type: "boolean", default: false },
    workers: { type: "string", default: String(availableParallelism()) },
  },
});
const wanted = 85;
/** Seeds of the simulation that are looked at for what they reach. */
const reach = 150;

const all = readTargets();
const chosen = positionals.length
  ? all.filter(({ file }) => positionals.some((name) => file.endsWith(name.replace(/^\.\//, ""))))
  : all;
if (!chosen.length) throw new Error(`none of these files is mutated: ${positionals.join(", ")}`);
const results = openResults(join(root, "dist/mutation/results.jsonl"));
const tell = (line: string) => process.stderr.write(`${line}\n`);

const every = chosen.flatMap((target) => target.mutants.map((_, index) => ({ target, index })));
const step = values.sample ? Math.max(1, every.length / Number(values.sample)) : 1;
const sample = every.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step));
/** A survivor is tried again with other tests, and with more seeds. */
const tests = `${hashOfTests(reach)} ${values.seeds}`;
const accepted = readAccepted();
const known = ({ target, index }: Quarry) =>
  results.of(target.file, target.hash, index, tests) ??
  (values.accepted || !accepted.reason(target.mutants[index]!) ? undefined : ({ fate: "survived" } as const));

if (!values.report) {
  const workers = Number(values.workers);
  const coverage = await readCoverage(join(root, "dist/mutation/coverage.jsonl"), workers, reach, tell);
  for (const line of coverage.unusable) tell(`left out: ${line}`);
  const left = sample.filter((quarry) => !known(quarry));
  tell(`${left.length} mutants to try, ${sample.length - left.length} known`);
  let done = 0;
  await hunt(left, coverage, { workers, seeds: Number(values.seeds) }, ({ target, index }, outcome) => {
    results.add({ file: target.file, hash: target.hash, index, tests, ...outcome });
    if (++done % 100 === 0) tell(`${done} of ${left.length}: ${target.file}`);
  });
}

const report = reportOf(chosen, sample, (quarry) => known(quarry)?.fate, accepted);
const stale = accepted.stale(all.flatMap(({ mutants }) => mutants));
if (values.json) console.log(JSON.stringify({ ...report, stale }));
else {
  for (const { file, line, change, fate, accepted } of report.survivors)
    if (!accepted) console.log(`${file}:${line}: ${change}${fate === "none" ? "   (not covered)" : ""}`);
  console.log(`\n${tableOf(report)}`);
  for (const line of report.needless) console.log(`accepted, but killed: ${line}`);
}
for (const line of stale) console.error(`accepted, but there is no such mutant any more: ${line}`);
process.exitCode = report.total.score < wanted || stale.length ? 1 : 0;
