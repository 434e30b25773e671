/** Agents over HTTP. */
import type { agentRoutes, Summary } from "../api/agents.ts";
import { summaryOf } from "../api/summary.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { Problem } from "../schema/problem.ts";
import type { Handlers } from "./handler.ts";
import type { Served } from "./house.ts";

export const agentHandlers = ({ runtime, budget, model }: Served): Handlers<typeof agentRoutes> => ({
  async createAgent({ body: { model: wanted, budget: own, name, cycle_seconds, ...given }, key }) {
    const limit = { ...budget, ...own };
    const agent = await runtime.create(
      {
        ...given,
        model: await model(wanted),
        ...(name === undefined ? {} : { name }),
        ...(cycle_seconds === undefined ? {} : { cycle_seconds }),
        ...(Object.keys(limit).length ? { budget: limit } : {}),
      },
      { actor: "human", ...(key === undefined ? {} : { key }) },
    );
    return await runtime.read(agent, summaryOf);
  },
  async listAgents() {
    const items: Summary[] = [];
    for (const agent of runtime.agents()) items.push(await runtime.read(agent, summaryOf));
    return { items, next: null };
  },
  async getAgent({ params: { agent } }) {
    assertKnown(runtime, agent);
    return await runtime.read(agent, summaryOf);
  },
});

/** Throws `not_found` and names those there are. */
export function assertKnown(runtime: Runtime, agent: string): void {
  const all = runtime.agents();
  if (all.includes(agent)) return;
  const some = all.length > 20 ? [...all.slice(0, 20), "…"] : all;
  throw new Problem("not_found", `there is no agent ${agent}; there are ${some.join(", ") || "none yet"}`);
}
