/** The team that a request names: a workflow of this home, or the team itself. Every model in it is available. */
import type { BudgetLimit } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import type { ParamValue, Team } from "../schema/workflow.ts";
import type { Served } from "./house.ts";

export interface Declared {
  team?: Team;
  /** What the workflow says where the request does not. */
  goal?: string | undefined;
  model?: string | undefined;
  budget: BudgetLimit;
  folder?: string | undefined;
}

export interface Wanted {
  workflow?: string | undefined;
  params?: Record<string, ParamValue> | undefined;
  tag?: string | undefined;
  team?: Team | undefined;
}

export async function declaredTeam(
  { workflows, model }: Pick<Served, "workflows" | "model">,
  { workflow, team, params, tag }: Wanted,
): Promise<Declared> {
  if (workflow !== undefined && team) throw new Problem("invalid", "give a workflow or a team, not both");
  if (workflow === undefined && (params || tag))
    throw new Problem("invalid", "params and tag are for a workflow; the values of a team are in its texts");
  if (workflow === undefined)
    return team ? { team: await resolveModels(team, model), goal: team.kickoff, budget: {} } : { budget: {} };
  if (!workflows) throw new Problem("not_found", `there is no workflow ${workflow}; this home has none`);
  const { team: found, ...ready } = (await workflows.find(workflow)).start({ params, tag });
  return { ...ready, team: await resolveModels(found, model) };
}

/** With the full name of every model. Throws `not_offered`. */
async function resolveModels(team: Team, resolve: Served["model"]): Promise<Team> {
  const named = async <T extends { model?: string | undefined }>(one: T): Promise<T> =>
    one.model === undefined ? one : { ...one, model: await resolve(one.model) };
  return {
    ...team,
    workers: await Promise.all(team.workers.map(named)),
    nodes: await Promise.all(team.nodes.map(named)),
    ...(team.coordinator ? { coordinator: await named(team.coordinator) } : {}),
  };
}
