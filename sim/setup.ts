/** Swarm: every seed first draws what kind of world it is, so that no fault is always a little on and no size always the same. */
import { noFaults } from "./faults.ts";
import type { SimRandom } from "./random.ts";
import { defaultConfig, drawConfig, type SimConfig } from "./world.ts";

export interface Setup {
  world: SimConfig;
  /** How long things go wrong, in virtual milliseconds. */
  chaosMs: number;
  agents: number;
  /** Messages the human posts to each agent. */
  posts: number;
  /** Times the process is killed while things happen. */
  crashes: number;
  /** A point at which the process dies every time it comes there, for a while. */
  poison: string | undefined;
  /** Chance that the client does not hear an acknowledgement and asks again. */
  lostAcks: number;
  /** How the model behaves. */
  model: { errors: number; cuts: number; nonsense: number; text: number; slowMs: number };
  /** The model has a window: it fills up, and requests may be refused as too large. */
  window: { tokens: number; overflows: number } | undefined;
  /** Calls are put to the human, who may say no. */
  asks: boolean;
  /** People are told outside as well, by a channel that fails. */
  post: { failures: number; slowMs: number; untilMs: number } | undefined;
  budget: { usd: number } | undefined;
  concurrency: number;
  snapshotEvery: number;
  index: boolean;
  /** Agents that nobody needs are closed, and people look away now and then; never if missing. */
  restAfterMs: number | undefined;
  alwaysReplay: boolean;
  /** People who edit files by hand. */
  edits: number;
  /** Proposals, documents, triggers, pauses: what the human does besides talking. */
  deeds: number;
  clockJumps: number;
  /** Times the human stops the agent, lets it go on, or gives it a new run. */
  lives: number;
  /** The agent works without end, in cycles of so many seconds; people finish it in the end. */
  cycle: number | undefined;
  /** Its team is written down before it begins. */
  planned: boolean;
  /** Several hosts share one store; leases move. */
  hosts: 1 | 2 | 3;
  /** Times one of several hosts is cut off from the others. */
  pauses: number;
}

export function drawSetup(random: SimRandom): Setup {
  const hosts = random.chance(0.15) ? random.pick([2, 3] as const) : 1;
  const rest = random.fork("rest");
  const guard = random.fork("guard");
  const post = random.fork("post");
  const life = random.fork("life");
  return {
    world: drawConfig(random),
    chaosMs: 20_000,
    agents: random.pick([1, 1, 1, 1, 1, 1, 2, 3]),
    posts: 1 + random.int(4),
    crashes: random.pick([0, 1, 1, 2, 4]),
    poison: random.chance(0.15)
      ? random.pick([
          "turn.started",
          "turn.streaming",
          "turn.heard",
          "tool.started",
          "tool.ran",
          "publish.written",
          "publish.renamed",
          "log.appended",
          "log.synced",
          "snapshot.written",
        ])
      : undefined,
    lostAcks: random.pick([0, 0.1, 0.4]),
    model: {
      errors: random.pick([0, 0, 0.05, 0.2]),
      cuts: random.pick([0, 0, 0.05, 0.2]),
      nonsense: random.pick([0, 0.05, 0.2]),
      text: random.pick([0.05, 0.2]),
      slowMs: random.pick([1, 50, 2_000]),
    },
    window: guard.chance(0.25) ? { tokens: 100_000, overflows: guard.pick([0, 0.02, 0.1]) } : undefined,
    asks: guard.chance(0.2),
    post: post.chance(0.25)
      ? { failures: post.pick([0, 0.2, 0.6]), slowMs: post.pick([5, 200, 3_000]), untilMs: 20_000 }
      : undefined,
    budget: random.chance(0.4) ? { usd: random.pick([0.01, 0.03, 0.1]) } : undefined,
    concurrency: random.pick([1, 2, 4]),
    snapshotEvery: random.pick([10, 40, 1_000, 1_000]),
    index: random.chance(0.03),
    restAfterMs: rest.chance(0.3) ? rest.pick([50, 300, 3_000]) : undefined,
    alwaysReplay: random.chance(0.02),
    edits: random.pick([0, 0, 2]),
    deeds: random.pick([0, 1, 4]),
    clockJumps: random.pick([0, 0, 1]),
    lives: life.pick([0, 0, 0, 1, 3]),
    cycle: life.chance(0.15) ? life.pick([10, 20, 60]) : undefined,
    planned: random.fork("plan").chance(0.15),
    hosts,
    pauses: hosts === 1 ? 0 : random.pick([0, 1, 2, 4]),
  };
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
  poison: undefined,
  lives: 0,
  deeds: 0,
  edits: 0,
  posts: 0,
  clockJumps: 0,
  cycle: undefined,
  planned: false,
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
  model: { errors: 0, cuts: 0, nonsense: 0, text: 0.05, slowMs: 1 },
};
