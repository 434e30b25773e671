/** Teams that are written down, drawn at random: names that coordinators use too, stages one after the other, nodes that build on others. */
import type { Team } from "../../src/schema/workflow.ts";
import type { SimRandom } from "../random.ts";

/** Within the limits of host.ts. */
export function drawTeam(random: SimRandom): Team {
  const workers = ["Ann", "Bea", "Cai"].slice(0, random.int(4)).map((name) => ({
    name,
    role: "works",
    ...(random.chance(0.2) ? { max_turns: 1 + random.int(3) } : {}),
    ...(random.chance(0.2) ? { memory: "It rained." } : {}),
    ...(random.chance(0.2) ? { budget: { usd: 0.02 } } : {}),
  }));
  const stages = ["Look", "Write"].slice(0, random.int(3)).map((name) => ({
    name,
    policy: random.pick(["all", "majority", "any"] as const),
  }));
  const count = Math.max(stages.length, random.int(5));
  const names = Array.from({ length: count }, (_, at) => `p${at + 1}`);
  const nodes = names.map((id, at) => ({
    id,
    title: "x",
    spec: `make ${id}`,
    depends_on: names.slice(0, at).filter(() => random.chance(0.3)),
    // In the order of the stages, and none without a node.
    ...(stages.length ? { stage: stages[Math.floor((at * stages.length) / count)]!.name } : {}),
    ...(workers.length && random.chance(0.5) ? { worker: random.pick(workers).name } : {}),
  }));
  return { workers, stages, nodes, ...drawBeginning(random, workers), ...drawPreparation(random, workers) };
}

/** A small team in which a lasting agent takes part; somebody turns to it at once. */
export function drawTeamWithGuest(random: SimRandom, ref: string): Team {
  const limit = random.chance(0.2) ? { max_turns: 1 + random.int(2) } : {};
  return {
    workers: [
      { name: "Gus", role: "advises", ref, ...limit },
      { name: "Ann", role: "works" },
      { name: "Bea", role: "works" },
    ],
    stages: [],
    nodes: random.chance(0.3) ? [{ id: "p1", title: "x", spec: "make p1", depends_on: [] }] : [],
    ...(random.chance(0.6) ? { lead: false } : {}),
    kickoff: random.pick(["@Gus, have a look", "@Gus and @Ann, have a look", "@all begin"]),
  };
}

/** Before some runs commands are run and documents laid out. */
function drawPreparation(random: SimRandom, workers: readonly { name: string }[]): Pick<Team, "setup" | "documents"> {
  if (random.chance(0.75)) return {};
  const steps = ["one", "two", "three"].slice(0, random.int(4));
  const names = ["facts.md", "plan.txt"].slice(0, random.int(3));
  return {
    setup: steps.map((as) => ({ shell: `look ${as}`, ...(random.chance(0.7) ? { as } : {}), timeout_seconds: 20 })),
    documents: names.map((name) => ({
      name,
      text: "x ${{ setup.one }}",
      ...(workers.length && random.chance(0.5) ? { owner: random.pick(workers).name } : {}),
    })),
  };
}

/** Some teams begin with a message, and nobody leads some. */
function drawBeginning(random: SimRandom, workers: readonly { name: string }[]): Pick<Team, "lead" | "kickoff"> {
  const isLed = !workers.length || random.chance(0.6);
  const who = workers.length && random.chance(0.7) ? `@${random.pick(workers).name}, ` : "";
  return {
    ...(isLed ? {} : { lead: false }),
    ...(random.chance(isLed ? 0.2 : 0.7) ? { kickoff: `${who}have a look` } : {}),
  };
}
