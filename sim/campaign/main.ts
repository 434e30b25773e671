/**
 * npm run sim:campaign -- [--minutes 60 | --seeds 100000] [--from N] [--jobs N] [--name NAME] [--resume] [--bug NAME]
 *                         [--always-replay] [--with '{"hosts":3}'] [--patience 60] [--shrink 4000]
 *
 * New worlds on all cores until the time or the number is reached: two in three from new seeds, one in three made from a world that reached
 * something new (corpus.ts). Goes on after a violation: groups them, shrinks one of each group to the
 * smallest world that fails the same way, and writes campaigns/NAME/report.md with the commands that play them again. --resume goes on
 * with the latest campaign, or with that of --name; what it was given then still holds unless it is given anew. --with holds in every world.
 * --patience: after how many seconds a world counts as endless. --shrink: how many worlds may be played to shrink one.
 * Exit code 1 if there are violations.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { createRandom } from "../random.ts";
import { setupOf } from "../seed.ts";
import { simplest } from "../setup.ts";
import { openCampaign } from "./campaign.ts";
import { type CorpusState, createCorpus, emptyCorpus } from "./corpus.ts";
import { type Group, isOf } from "./group.ts";
import { commandOf, difference, type Overrides, override, parseOverrides } from "./override.ts";
import { createPool, type Task } from "./pool.ts";
import { describeReached } from "./reached.ts";
import { type Failing, shrink } from "./shrink.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    seeds: { type: "string" },
    from: { type: "string" },
    jobs: { type: "string", default: String(availableParallelism()) },
    name: { type: "string" },
    resume: { type: "boolean", default: false },
    bug: { type: "string" },
    "always-replay": { type: "boolean", default: false },
    with: { type: "string" },
    patience: { type: "string", default: "60" },
    shrink: { type: "string", default: "4000" },
  },
});

interface State {
  from: number;
  /** How many seeds were begun. */
  begun: number;
  /** Begun and not ended: played again when the campaign is resumed. */
  open: Task[];
  /** Holds in every world. */
  with: Overrides;
  bug?: string;
  corpus: CorpusState;
}

const number = (text: string | undefined) => (text === undefined ? undefined : Number(text));
const jobs = Number(values.jobs);

const campaign = openCampaign<Task, State>({
  kind: "sim",
  name: values.name,
  resume: values.resume,
  minutes: number(values.minutes) ?? (values.seeds || values.resume ? undefined : 60),
  count: number(values.seeds),
  counted: "seeds",
  begin: () => ({
    from: number(values.from) ?? Math.floor((Date.now() - Date.UTC(2026, 0, 1)) / 1000) * 100,
    begun: 0,
    open: [],
    corpus: emptyCorpus(),
    with: {
      ...(values.with ? parseOverrides(values.with) : {}),
      ...(values["always-replay"] ? { alwaysReplay: true } : {}),
    },
    ...(values.bug ? { bug: values.bug } : {}),
  }),
  again: ({ seed, with: overrides }, { bug }) => commandOf(seed, overrides, bug),
  describe: ({ state }) => describeReached(state.corpus),
  about: ({ seed, with: overrides }) => JSON.stringify(difference(simplest, setupOf(seed, overrides))),
});
const { report, stopped } = campaign;
const { state } = report;
const pool = createPool({
  jobs,
  args: state.bug ? ["--bug", state.bug] : [],
  patienceMs: Number(values.patience) * 1000,
});
console.log(`campaign ${report.name}: ${jobs} processes, seeds from ${state.from + state.begun}`);

const corpus = createCorpus(state.corpus);
const random = createRandom(state.from);
const left = state.open.splice(0);

function next(): Task & { mutated?: boolean } {
  const waiting = left.shift();
  if (waiting) return waiting;
  const seed = state.from + state.begun++;
  const dice = random.fork(`world ${seed}`);
  const made = dice.chance(1 / 3) ? corpus.mutate(dice, seed) : undefined;
  if (!made) return { seed, with: state.with };
  const setup = override(setupOf(made.seed, made.with), state.with);
  return { seed: made.seed, with: difference(setupOf(made.seed), setup), mutated: true };
}
const goesOn = () =>
  !campaign.over() && (report.totals.seeds ?? 0) + state.open.length < (report.end.count ?? Infinity);

/** Aborted some time after the last world was begun: what is still being shrunk stays as small as it is by then. */
const late = new AbortController();
/** Groups that are being shrunk, or were. */
const shrinking = new Map<Group<Task>, Promise<void>>();

async function play(task: Task, options?: { patienceMs: number }) {
  const { news, ...played } = await pool.play(task, options);
  return { ...played, isNew: corpus.learn(task, news) };
}

async function feed(): Promise<void> {
  while (goesOn()) {
    const { mutated, ...task } = next();
    state.open.push(task);
    const { violations, events, steps, ms, isNew } = await play(task);
    state.open = state.open.filter((each) => each !== task);
    campaign.count({
      seeds: 1,
      events,
      steps,
      "worlds that broke a promise": violations.length ? 1 : 0,
      "core seconds": ms / 1000,
      "made from a kept world": mutated ? 1 : 0,
      "new by a new seed": isNew && !mutated ? 1 : 0,
      "new by a kept world": isNew && mutated ? 1 : 0,
    });
    for (const violation of violations) {
      const group = campaign.found(violation, task, events);
      if (!group.shrunk?.done && !shrinking.has(group)) shrinking.set(group, shrinkGroup(group));
    }
  }
}

async function shrinkGroup(group: Group<Task>): Promise<void> {
  const { world, size, what } = group.shrunk ?? group.examples[0]!;
  const before = group.shrunk?.tries ?? 0;
  const slow = group.invariant === "hang";
  const texts = new Map<string, string>();
  const taskOf = ({ seed, setup }: Failing): Task => ({ seed, with: difference(setupOf(seed), setup) });
  const note = (smaller: Failing & { tries: number }, done: boolean) => {
    const world = taskOf(smaller);
    const text = texts.get(JSON.stringify(world)) ?? what;
    group.shrunk = { world, what: text, size, tries: before + smaller.tries, done };
  };
  const smallest = await shrink(
    { seed: world.seed, setup: setupOf(world.seed, world.with) },
    {
      async fails(candidate) {
        const task = taskOf(candidate);
        const { violations, events } = await play(task, slow ? { patienceMs: 10_000 } : undefined);
        const same = violations.find((violation) => isOf(violation, group));
        if (same) texts.set(JSON.stringify(task), same.what);
        return same && events;
      },
      seeds: Array.from({ length: slow ? 0 : 40 }, (_, index) => world.seed + 1 + index),
      most: Math.min(Number(values.shrink), slow ? 60 : Infinity),
      jobs,
      signal: AbortSignal.any([stopped, late.signal]),
      smaller: (smaller) => note(smaller, false),
    },
  );
  note(smallest, !stopped.aborted && !late.signal.aborted);
}

/** What was found with another commit may be mended. */
async function lookAgain(group: Group<Task>): Promise<void> {
  const { world } = group.shrunk ?? group.examples[0]!;
  const { violations } = await play(world);
  if (violations.some((violation) => isOf(violation, group))) delete group.gone;
  else group.gone = campaign.commit;
}

if (report.commits.length > 1) await Promise.all(report.groups.map(lookAgain));
for (const group of report.groups) if (!group.gone && !group.shrunk?.done) shrinking.set(group, shrinkGroup(group));
const interrupted = new Promise<void>((resolve) => stopped.addEventListener("abort", () => resolve()));
await Promise.race([interrupted, Promise.all(Array.from({ length: jobs * 2 }, feed))]);
setTimeout(() => late.abort(), Math.max(60_000, report.seconds * 100)).unref(); // a tenth of its time
await Promise.race([interrupted, Promise.all(shrinking.values())]);
pool.close();
for (const { seed } of pool.lost) console.log(`seed ${seed} lost its process once and not again`);
process.exit(campaign.close());
