/**
 * One seed: a whole life of a home, from nothing through chaos to calm, with every promise checked on the way and at the end.
 *
 * chaos: faults, crashes, people. calm: no faults, running processes, helpful people; everything must come to rest within ten virtual
 * minutes. Then the logs are read raw and compared with everything that anyone was told.
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
  if ((await time.run({ ms: calmMs, until: resting })) !== "until")
    witness.violated("I4", `no rest after ten calm minutes: ${restless(fleet, human, agents)}`);
  // Late timers and retries may wake someone again; then everyone must rest again, and the streams and the index catch up.
  await time.run({ ms: 10_000, until: probe });
  await time.run({ ms: calmMs, until: resting });
  const processes = () => fleet.hosts.map((host) => host.up()?.world.number).join();
  /** A power loss may have damaged a checkout that nobody has used since: whoever uses it next must find it as it was. */
  const useCheckouts = async () => {
    let over = false;
    const uses = agents.flatMap((agent) => {
      const open = fleet.opened(agent);
      return [...(open?.live.state().workspaces.keys() ?? [])].map((id) => open!.reading.checkouts.open(id));
    });
    void Promise.allSettled(uses).then(() => (over = true));
    await time.run({ ms: calmMs, until: () => probe() || over });
  };
  let written: Map<string, number>;
  let before: string;
  do {
    before = processes();
    if (setup.project || setup.moves) await useCheckouts();
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
