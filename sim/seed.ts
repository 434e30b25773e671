/**
 * One seed: a whole life of a home, from nothing through chaos to calm, with every promise checked on the way and at the end.
 *
 * chaos: faults, crashes, people. calm: no faults, running processes, helpful people; everything must come to rest within ten virtual
 * minutes (thirty if channels fail while the clock jumps). Then the logs are read raw and compared with everything that anyone was told.
 */
import { type Overrides, override } from "./campaign/override.ts";
import { planChaos } from "./chaos.ts";
import { createFleet } from "./fleet.ts";
import type { Violation } from "./history.ts";
import { createHuman } from "./human.ts";
import { createRandom } from "./random.ts";
import { checkAlways, restless } from "./rest.ts";
import { drawSetup, type Setup } from "./setup.ts";
import { judge } from "./verdict.ts";
import { createWitness, type Tell } from "./witness.ts";
import { createSimWorld } from "./world.ts";

export interface Outcome {
  seed: number;
  violations: Violation[];
  steps: number;
  events: number;
  /** Faults and points that happened, by name. */
  injected: Record<string, number>;
  /** Equal for two runs of a seed, or the simulation is not deterministic. */
  trace: string;
}

export interface SeedOptions {
  /** What differs from the setup that the seed draws. */
  with?: Overrides;
  tell?: Tell;
}

const calmMs = 600_000;
/** What a power loss may do to a folder. */
const losses = ["torn", "lost_tail", "lost_create", "lost_write", "lost_rename", "lost_remove"] as const;

const scratchOf = (run: string, id: string): string =>
  id === run ? "scratch" : id.startsWith("worker-") ? `workers/${id.slice(7)}/scratch` : `nodes/${id}/scratch`;

export const setupOf = (seed: number, overrides: Overrides = {}): Setup =>
  override(drawSetup(createRandom(seed).fork("setup")), overrides);

export async function runSeed(seed: number, { with: overrides = {}, tell }: SeedOptions = {}): Promise<Outcome> {
  const setup = setupOf(seed, overrides);
  const sim = createSimWorld({ seed, config: setup.world });
  const { time } = sim;
  const witness = createWitness(sim, tell);
  const agents = Array.from({ length: setup.agents }, (_, index) => `a${index + 1}`);
  const fleet = createFleet(sim, setup, witness);
  fleet.boot();
  const human = createHuman(sim, setup, fleet, agents, witness);

  let steps = 0;
  const probe = () => {
    if (++steps % 8 === 0) {
      checkAlways(fleet, setup, agents, witness);
      human.check();
    }
    return false;
  };
  const resting = () => probe() || (steps % 16 === 0 && restless(fleet, human, agents) === undefined);

  planChaos(sim, setup, fleet, witness, setup.chaosMs);
  await time.run({ ms: setup.chaosMs, until: probe });

  sim.calm();
  fleet.calm();
  human.calm();
  fleet.boot();
  // A clock that jumps forward uses up the short pauses of a channel that fails; the next is sixteen minutes long.
  const patienceMs = setup.post && setup.clockJumps ? 3 * calmMs : calmMs;
  if ((await time.run({ ms: patienceMs, until: resting })) !== "until")
    witness.violated("I4", `no rest after ${patienceMs / 60_000} calm minutes: ${restless(fleet, human, agents)}`);
  // Late timers and retries may wake someone again; then everyone must rest again, and the streams and the index catch up.
  await time.run({ ms: 10_000, until: probe });
  await time.run({ ms: calmMs, until: resting });
  const processes = () => fleet.hosts.map((host) => host.up()?.world.number).join();
  /** A power loss may have damaged a workspace that nobody has used since, or it was used on another host: whoever looks next must find it as it was. */
  const isDamaged = () =>
    setup.project ||
    setup.moves ||
    setup.hosts > 1 ||
    sim.disks().some(({ injected }) => losses.some((name) => injected[name]));
  const lookAtWorkspaces = async () => {
    let over = false;
    const looks = agents.flatMap((agent) => {
      const open = fleet.opened(agent);
      if (!open) return [];
      const { run, workspaces, scratches } = open.live.state();
      const ids = new Set([...workspaces.keys(), ...scratches.keys()]);
      return [...ids].map((id) => open.reading.files.look({ of: "workspace" }, scratchOf(run!.id, id)));
    });
    void Promise.allSettled(looks).then(() => (over = true));
    await time.run({ ms: calmMs, until: () => probe() || over });
  };
  let written: Map<string, number>;
  let before: string;
  do {
    before = processes();
    if (isDamaged()) await lookAtWorkspaces();
    written = new Map(agents.map((agent) => [agent, fleet.opened(agent)?.live.durableSeq() ?? 0]));
    await time.run({ ms: 3_000 });
    await time.run({ ms: calmMs, until: resting });
  } while (processes() !== before); // a point that kills may still do so: who reads along needs an owner that lives

  const events = await judge({ setup, fleet, human, witness, agents: written });
  return {
    seed,
    violations: witness.violations(),
    steps: time.steps,
    events,
    injected: witness.injected(),
    trace: time.trace.value(),
  };
}
