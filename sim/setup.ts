/**
 * The kind of world a seed plays in: one `Setup`, drawn before anything happens.
 *
 * Swarm: a seed begins with the simplest world, in which nothing goes wrong, and switches a few kinds on: first how many, then which, then
 * how strong. Most are off, so that rare combinations get room; some seeds have none (quiet.ts says what must hold there), some exactly
 * one, some all. Sizes (agents, messages, who may run at once) differ in every seed.
 *
 * A new kind is a field of Setup, its simplest value in `simplest`, and its draw in `kinds`; or in `drawSetup`, as that of agent CLIs and of mail, if the worlds of
 * known seeds are to stay.
 */
import { noFaults } from "./faults.ts";
import type { SimRandom } from "./random.ts";
import { defaultConfig, type SimConfig } from "./world.ts";

export interface Setup {
  world: SimConfig;
  /** How long things go wrong, in virtual milliseconds. */
  chaosMs: number;
  agents: number;
  /** Messages the human posts to each agent. */
  posts: number;
  /** Times the process is killed while things happen. */
  crashes: number;
  /** Times the process is ended in an orderly way, and started again. */
  stops: number;
  /** A point at which the process dies every time it comes there, for a while. */
  poison: string | undefined;
  /** Chance that the client does not hear an acknowledgement and asks again. */
  lostAcks: number;
  /** How the model behaves; `haste` is the chance that it ends its work when it could go on. */
  model: { errors: number; cuts: number; nonsense: number; text: number; haste: number; slowMs: number };
  /** The model has a window: it fills up, and requests may be refused as too large. */
  window: { tokens: number; overflows: number } | undefined;
  /** Calls are put to the human, who may say no. */
  asks: boolean;
  /** People are told outside as well, by a channel that fails; or by several, others in each life of a process. */
  post: { failures: number; slowMs: number; untilMs: number; changing?: boolean } | undefined;
  budget: { usd: number } | undefined;
  concurrency: number;
  snapshotEvery: number;
  index: boolean;
  /** Agents that nobody needs are closed, and people look away now and then; never if missing. */
  restAfterMs: number | undefined;
  alwaysReplay: boolean;
  /** People who edit files by hand. */
  edits: number;
  /** Times people write their files through us, as the page does. */
  writes: number;
  /** Files that people give to each agent. */
  uploads: number;
  /** Times each agent is visited by the daemon's door, over HTTP; the door is closed with none. */
  visits: number;
  /** Agents are exported, and imported into another home. */
  moves: boolean;
  /** Proposals, documents, triggers, pauses: what the human does besides talking. */
  deeds: number;
  clockJumps: number;
  /** Times the human stops the agent, lets it go on, or gives it a new run. */
  lives: number;
  /** The agent works without end, in cycles of so many seconds; people finish it in the end. */
  cycle: number | undefined;
  /** Its team is written down before it begins. */
  planned: boolean;
  /** Some workers are programs of their own. */
  programs: boolean;
  /** Some workers, or everyone, are driven by an agent CLI. `faults`: the chance of trouble in a turn of it; `gateway`: it calls models through us. */
  cli: { faults: number; gateway: boolean; leads: boolean } | undefined;
  /** Agents write to each other, and to some that are not there. */
  mail: boolean;
  /** Participants write documents together and put questions to the vote. */
  teamwork: boolean;
  /** How many teams of other agents the first agent takes part in. */
  guests: number;
  /** Nodes have checks, which pass or fail, hang, or cannot be done. */
  checks: boolean;
  /** Agents work on a folder of the user's: they merge, and what they merged is handed over. */
  project: boolean;
  /** Several hosts share one store; leases move. */
  hosts: 1 | 2 | 3;
  /** Times one of several hosts is cut off from the others. */
  pauses: number;
}

/**
 * The value of each field that makes the simplest world. Shrinking moves the fields towards it, in this order; a world of which a field is
 * already there is not made simpler by it. A number goes there by halves, so it must lie at the calm end.
 */
export const simplest: Setup = {
  agents: 1,
  hosts: 1,
  pauses: 0,
  crashes: 0,
  stops: 0,
  poison: undefined,
  lives: 0,
  deeds: 0,
  edits: 0,
  writes: 0,
  uploads: 0,
  visits: 0,
  moves: false,
  posts: 0,
  clockJumps: 0,
  cycle: undefined,
  planned: false,
  programs: false,
  cli: undefined,
  mail: false,
  teamwork: false,
  guests: 0,
  checks: false,
  project: false,
  window: undefined,
  asks: false,
  post: undefined,
  budget: undefined,
  restAfterMs: undefined,
  alwaysReplay: false,
  index: false,
  lostAcks: 0,
  concurrency: 1,
  snapshotEvery: 1_000,
  chaosMs: 1_000,
  world: { ...defaultConfig, buggify: 0, power: 0, late: 0, disk: noFaults },
  model: { errors: 0, cuts: 0, nonsense: 0, text: 0.05, haste: 0.5, slowMs: 1 },
};

/** What differs in every seed and makes nothing go wrong by itself. */
function drawSizes(random: SimRandom): Setup {
  const large: Setup = {
    ...simplest,
    chaosMs: 20_000,
    agents: random.pick([1, 1, 1, 1, 1, 1, 2, 3]),
    posts: 1 + random.int(4),
    concurrency: random.pick([1, 2, 4]),
    world: {
      ...simplest.world,
      power: random.pick([0, 0.5, 0.8, 1]),
      start: defaultConfig.start + random.int(1000) * 86_400_000 + random.int(86_400_000),
      disk: { ...noFaults },
    },
    model: { ...simplest.model, text: random.pick([0.05, 0.2]), haste: 0, slowMs: random.pick([1, 50]) },
  };
  // Most worlds are small: they find more of most planted bugs in the same time than large ones do (docs/simulation.md).
  const size = random.next();
  if (size < 0.12) return large;
  const small = { ...large, agents: 1, posts: 1, chaosMs: 4_000 };
  return size < 0.3 ? small : { ...small, model: { ...large.model, haste: random.pick([0.3, 0.5, 0.5]) } };
}

interface Kind {
  /** How often it is chosen, compared with the others. */
  weight: number;
  turnOn(setup: Setup, random: SimRandom): void;
}

const kinds: Readonly<Record<string, Kind>> = {
  crashes: { weight: 5, turnOn: (setup, random) => (setup.crashes = random.pick([1, 1, 2, 4])) },
  stops: { weight: 1.5, turnOn: (setup, random) => (setup.stops = random.pick([1, 3])) },
  poison: { weight: 1.5, turnOn: (setup, random) => (setup.poison = random.pick(poisonous)) },
  buggify: { weight: 4, turnOn: ({ world }, random) => (world.buggify = random.pick([0.05, 0.2, 0.2, 0.5])) },
  late: { weight: 1, turnOn: ({ world }, random) => (world.late = random.pick([0.05, 0.3])) },
  enospc: { weight: 1, turnOn: ({ world }, random) => (world.disk.enospc = rate(random, 0.02)) },
  eio: { weight: 2, turnOn: ({ world }, random) => (world.disk.eio = rate(random, 0.02)) },
  erofs: { weight: 1, turnOn: ({ world }, random) => (world.disk.erofs = rate(random, 0.01)) },
  slowSync: { weight: 1, turnOn: ({ world }, random) => (world.disk.slowSync = rate(random, 0.1)) },
  clockJumps: { weight: 1, turnOn: (setup, random) => (setup.clockJumps = random.pick([1, 1, 2])) },
  lostAcks: { weight: 1.5, turnOn: (setup, random) => (setup.lostAcks = random.pick([0.1, 0.4])) },
  hosts: {
    weight: 4,
    turnOn(setup, random) {
      setup.hosts = random.pick([2, 3]);
      setup.chaosMs = Math.max(setup.chaosMs, 12_000); // several leases long
      setup.pauses = random.pick([0, 1, 2, 4, 4]);
    },
  },
  errors: { weight: 1, turnOn: ({ model }, random) => (model.errors = random.pick([0.05, 0.2])) },
  cuts: { weight: 1, turnOn: ({ model }, random) => (model.cuts = random.pick([0.05, 0.2])) },
  nonsense: { weight: 1, turnOn: ({ model }, random) => (model.nonsense = random.pick([0.05, 0.2])) },
  slowModel: { weight: 1, turnOn: ({ model }) => (model.slowMs = 2_000) },
  window: {
    weight: 1.5,
    turnOn: (setup, random) => (setup.window = { tokens: 100_000, overflows: random.pick([0, 0.02, 0.1]) }),
  },
  asks: { weight: 1, turnOn: (setup) => (setup.asks = true) },
  post: {
    weight: 1.5,
    turnOn: (setup, random) =>
      (setup.post = {
        failures: random.pick([0, 0.2, 0.6]),
        slowMs: random.pick([5, 200, 3_000]),
        untilMs: 20_000,
        changing: random.chance(0.4),
      }),
  },
  budget: { weight: 1.5, turnOn: (setup, random) => (setup.budget = { usd: random.pick([0.01, 0.03, 0.1]) }) },
  snapshots: { weight: 2, turnOn: (setup, random) => (setup.snapshotEvery = random.pick([10, 40])) },
  index: { weight: 0.2, turnOn: (setup) => (setup.index = true) },
  rest: { weight: 1.5, turnOn: (setup, random) => (setup.restAfterMs = random.pick([50, 300, 3_000])) },
  alwaysReplay: { weight: 0.15, turnOn: (setup) => (setup.alwaysReplay = true) },
  edits: { weight: 1, turnOn: (setup, random) => (setup.edits = random.pick([2, 6])) },
  writes: { weight: 1.5, turnOn: (setup, random) => (setup.writes = random.pick([2, 6])) },
  uploads: { weight: 1, turnOn: (setup, random) => (setup.uploads = random.pick([1, 4])) },
  visits: { weight: 2, turnOn: (setup, random) => (setup.visits = random.pick([2, 8])) },
  moves: { weight: 1, turnOn: (setup) => (setup.moves = true) },
  deeds: { weight: 2, turnOn: (setup, random) => (setup.deeds = random.pick([1, 4, 8])) },
  lives: { weight: 1.5, turnOn: (setup, random) => (setup.lives = random.pick([1, 3])) },
  cycle: { weight: 1, turnOn: (setup, random) => (setup.cycle = random.pick([10, 20, 60])) },
  programs: { weight: 1.5, turnOn: (setup) => (setup.programs = true) },
  planned: { weight: 1, turnOn: (setup) => (setup.planned = true) },
};

export function drawSetup(random: SimRandom): Setup {
  const setup = drawSizes(random.fork("sizes"));
  const names = drawKinds(random.fork("kinds"));
  for (const name of names) kinds[name]!.turnOn(setup, random.fork(name));
  // Beside the kinds, so that the seeds of before that do not draw it keep their worlds.
  const cli = random.fork("cli");
  if (names.length === Object.keys(kinds).length || (names.length > 1 && cli.chance(0.1)))
    setup.cli = { faults: cli.pick([0, 0.2, 0.5]), gateway: cli.chance(0.5), leads: cli.chance(0.4) };
  if (names.length === Object.keys(kinds).length || (names.length > 1 && random.fork("checks").chance(0.3)))
    setup.checks = true;
  // The folder is on one machine.
  if (setup.hosts === 1 && names.length > 1 && random.fork("project").chance(0.12)) setup.project = true;
  const mail = random.fork("mail");
  const all = names.length === Object.keys(kinds).length;
  if (all || (names.length > 1 && mail.chance(0.12))) {
    setup.mail = true;
    // A world with everything is slow enough with one.
    if (!all) setup.agents = Math.max(setup.agents, mail.pick([2, 2, 3]));
    if (setup.poison !== undefined && mail.chance(0.5)) setup.poison = mail.pick(onTheWay);
  }
  const together = random.fork("together");
  if (all || (names.length > 1 && together.chance(0.15))) setup.teamwork = true;
  if (!all && setup.teamwork && together.chance(0.6)) {
    setup.guests = together.pick([1, 1, 2]);
    setup.agents = Math.max(setup.agents, 1 + setup.guests);
  }
  return setup;
}

/** Which kinds are on. */
function drawKinds(random: SimRandom): string[] {
  const names = Object.keys(kinds);
  const luck = random.next();
  const most = luck < 0.04 ? 0 : luck < 0.12 ? 1 : luck < 0.15 ? names.length : 2 + random.int(10);
  return Array.from({ length: most }, () => {
    let left = random.next() * names.reduce((sum, name) => sum + kinds[name]!.weight, 0);
    let at = 0;
    for (; at < names.length - 1; at++) {
      left -= kinds[names[at]!]!.weight;
      if (left < 0) break;
    }
    return names.splice(at, 1)[0]!;
  });
}

/** Whether no kind is on. */
export function isQuiet(setup: Setup): boolean {
  const { agents, posts, concurrency, chaosMs, world, model } = setup;
  const base = {
    ...simplest,
    ...{ agents, posts, concurrency, chaosMs },
    world: { ...simplest.world, power: world.power, start: world.start },
    model: { ...simplest.model, text: model.text, haste: model.haste, slowMs: Math.min(50, model.slowMs) },
  };
  return JSON.stringify(base) === JSON.stringify({ ...base, ...setup });
}

/** Between rare and frequent. */
const rate = (random: SimRandom, most: number): number => most * 10 ** -(1.5 * random.next());

/** Where a message between two agents is on its way. */
const onTheWay = ["outbox.sending", "outbox.sent", "outbox.recorded"];

const poisonous = [
  "turn.started",
  "turn.streaming",
  "turn.heard",
  "tool.started",
  "tool.ran",
  "publish.written",
  "publish.renamed",
  "check.done",
  "check.recorded",
  "log.appended",
  "log.synced",
  "snapshot.written",
];
