/** Makes the agents, each once however often it has to ask, and talks to them. */
import { createCaller } from "../door.ts";
import type { Company } from "./company.ts";
import { projectOf } from "./customer.ts";
import { drawTeam, drawTeamWithGuest } from "./team.ts";

/** `met` is told of each agent that is there. */
export function createAgents(company: Company, agents: readonly string[], met: (agent: string) => void): void {
  const { sim, setup, fleet, witness } = company;
  const dice = company.dice("creator");
  const byDoor = setup.visits > 0 && fleet.hosts.length === 1;
  const client = createCaller({ sim, fleet, dice, lost: () => setup.lostAcks / 2 });

  async function create(agent: string, index: number): Promise<void> {
    const given = {
      goal: `goal of ${agent}`,
      name: agent,
      model: setup.cli?.leads ? `claude-code/${agent}` : `sim/${agent}`,
      ...(setup.cycle ? { mode: "infinite" as const, cycle_seconds: setup.cycle } : {}),
      ...(setup.moves && dice.chance(0.5) ? { folder: "/project" } : {}),
      ...(setup.project ? { folder: projectOf(agent), ...(index % 2 ? {} : { merge: "auto" as const }) } : {}),
      ...(setup.budget ? { budget: setup.budget } : {}),
      ...(index > 0 && index <= setup.guests
        ? { team: drawTeamWithGuest(dice.fork(`team of ${agent}`), agents[0]!) }
        : setup.planned && !(setup.guests && index === 0)
          ? { team: drawTeam(dice.fork(`team of ${agent}`)) }
          : {}),
    };
    const key = `create-${agent}`;
    await company.until(agent, "create", async () => {
      const id = byDoor
        ? (await client.createAgent({ body: given, key })).id
        : await company.ask(fleet.any(), (runtime) => runtime.create(given, { actor: "human", key }));
      if (id !== agent) witness.violated("I1", `${agent} was created as ${id}`);
      if (byDoor && dice.chance(setup.lostAcks)) throw new Error("the answer was not heard");
    });
    for (let n = 0; n < setup.posts; n++) {
      const to = dice.pick(["coordinator", "coordinator", "ann", "*"]);
      const post = { type: "message.post" as const, to, text: `hello ${n}` };
      sim.time.after(dice.int(3 * setup.chaosMs), () => void company.insist(agent, `post-${agent}-${n}`, post));
    }
    met(agent);
  }

  for (const [index, agent] of agents.entries()) void create(agent, index);
}
