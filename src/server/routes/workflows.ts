/** Workflows over HTTP. */
import type { WorkflowLine, workflowRoutes } from "../../api/workflows.ts";
import { Problem } from "../../schema/problem.ts";
import type { Handlers } from "../handler.ts";
import type { KnownWorkflow, Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const workflowHandlers = ({
  workflows,
  runtime,
}: Pick<Served, "workflows" | "runtime">): Handlers<typeof workflowRoutes> => ({
  async freezeRun({ params: { agent, run }, query: { name = agent } }) {
    assertKnown(runtime, agent);
    if (!workflows) throw new Problem("not_offered", "there are no workflows here");
    const state = await (await runtime.reading(agent)).stateOf(run);
    return { name, text: workflows.freeze(state, name) };
  },
  async listWorkflows() {
    return { items: ((await workflows?.list()) ?? []).map(lineOf) };
  },
});

export function lineOf({ name, from, path, ...one }: KnownWorkflow): WorkflowLine {
  const none = {
    about: null,
    goal: null,
    model: null,
    budget: {},
    params: [],
    workers: [],
    nodes: [],
    stages: [],
    led: true,
  };
  if ("problem" in one) return { name, from, path, ...none, problem: one.problem };
  const { about = null, goal, model = null, budget, params } = one;
  const { workers, nodes, stages, lead, kickoff } = one.team;
  return {
    ...{ name, from, path, about, goal, model, budget, params: [...params], problem: null },
    workers: workers.map(({ name: called, role, model: own }) => ({
      name: called,
      role,
      ...(own === undefined ? {} : { model: own }),
    })),
    led: lead !== false,
    ...(kickoff === undefined ? {} : { kickoff }),
    stages: stages.map((stage) => stage.name),
    nodes: nodes.map(({ spec: _spec, ...node }) => node),
  };
}
