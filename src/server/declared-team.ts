/** The team that a request names: a workflow of this home, or the team itself. Every model in it is available. */
import type { Runtime } from "../runtime/runtime.ts";
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

export interface TeamWish {
  workflow?: string | undefined;
  params?: Record<string, ParamValue> | undefined;
  tag?: string | undefined;
  team?: Team | undefined;
}

export async function declaredTeam(
  { workflows, model, runtime }: Pick<Served, "workflows" | "model"> & { runtime: Pick<Runtime, "agents"> },
  { workflow, team, params, tag }: TeamWish,
): Promise<Declared> {
  if (workflow !== undefined && team) throw new Problem("invalid", "give a workflow or a team, not both");
  if (workflow === undefined && (params || tag))
    throw new Problem("invalid", "params and tag are for a workflow; the values of a team are in its texts");
  if (workflow === undefined)
    return team
      ? { team: await resolveModels(withGuests(team, runtime), model), goal: team.kickoff, budget: {} }
      : { budget: {} };
  if (!workflows) throw new Problem("not_found", `there is no workflow ${workflow}; this home has none`);
  const { team: found, ...ready } = (await workflows.find(workflow)).start({ params, tag });
  return { ...ready, team: await resolveModels(withGuests(found, runtime), model) };
}

/** Throws unless every guest (`ref`) is an agent of this home. */
function withGuests(team: Team, { agents }: Pick<Runtime, "agents">): Team {
  const wanted = team.workers.flatMap(({ name, ref }) => (ref === undefined ? [] : [{ name, ref }]));
  if (!wanted.length) return team;
  const there = [...agents()];
  const missing = wanted.find(({ ref }) => !there.includes(ref));
  if (!missing) return team;
  const names = there.join(", ") || "none";
  throw new Problem("not_found", `${missing.name}: there is no agent ${missing.ref} in this home; agents: ${names}`);
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
