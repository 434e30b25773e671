/** Workflows over HTTP. */
import type { WorkflowLine, workflowRoutes } from "../../api/workflows.ts";
import type { Handlers } from "../handler.ts";
import type { KnownWorkflow, Served } from "../house.ts";

export const workflowHandlers = ({ workflows }: Pick<Served, "workflows">): Handlers<typeof workflowRoutes> => ({
  async listWorkflows() {
    return { items: ((await workflows?.list()) ?? []).map(lineOf) };
  },
});

function lineOf({ name, from, path, ...one }: KnownWorkflow): WorkflowLine {
  const none = { about: null, goal: null, model: null, budget: {}, workers: [], nodes: [], stages: [], problem: null };
  if ("problem" in one) return { name, from, path, ...none, problem: one.problem };
  const { about, goal = null, model = null, budget = {} } = one.workflow;
  const { workers, nodes, stages } = one.team;
  return {
    ...{ name, from, path, about, goal, model, budget, problem: null },
    workers: workers.map(({ name: called, role, model: own }) => ({
      name: called,
      role,
      ...(own === undefined ? {} : { model: own }),
    })),
    stages: stages.map((stage) => stage.name),
    nodes: nodes.map(({ spec: _spec, ...node }) => node),
  };
}
