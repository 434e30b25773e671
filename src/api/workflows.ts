/** Workflows: teams that are written down and can be chosen for a new agent. */
import { z } from "zod";
import { BudgetLimit } from "../schema/budget.ts";
import { ParamValue, WorkflowName } from "../schema/workflow.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

export const WorkflowLine = z
  .object({
    name: z.string().describe("Name for createAgent"),
    from: z.enum(["home", "example"]).describe("workflows/ in the home, or included with Agiraph"),
    path: z.string().describe("The file"),
    about: z.string().nullable().describe("Null if the file is invalid, or does not say"),
    goal: z.string().nullable().describe("Default goal"),
    model: z.string().nullable(),
    budget: BudgetLimit,
    params: z.array(
      z.object({
        name: z.string(),
        type: z.enum(["string", "number", "boolean", "choice"]),
        about: z.string().optional(),
        choices: z.array(z.string()).optional(),
        required: z.boolean(),
        default: ParamValue.optional(),
        short: z.string().optional(),
      }),
    ),
    workers: z.array(z.object({ name: z.string(), role: z.string(), model: z.string().optional() })),
    led: z.boolean().describe("Whether a coordinator leads the team"),
    kickoff: z.string().optional().describe("The first message"),
    stages: z.array(z.string()),
    nodes: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        worker: z.string().optional(),
        stage: z.string().optional(),
        depends_on: z.array(z.string()),
      }),
    ),
    problem: z.string().nullable().describe("Why it is invalid, with the line"),
  })
  .describe("A workflow at a glance");
export type WorkflowLine = z.infer<typeof WorkflowLine>;

export const workflowRoutes = {
  freezeRun: route({
    method: "GET",
    path: "/agents/{agent}/runs/{run}/workflow",
    tag: "agents",
    summary: "Get a run as a workflow file: the team and the nodes that emerged in it",
    about:
      "The goal, and the parameters that the run had, become parameters; where their values stand in a text, the parameter stands there instead. Sub-nodes and what failed are left out.",
    params: OfAgent.extend({ run: z.string().min(1).describe("A run of the agent, e.g. r1") }),
    query: z.object({ name: WorkflowName.optional().describe("Name of the workflow; default: the agent's") }),
    ok: 200,
    answer: z.object({ name: z.string(), text: z.string().describe("YAML") }),
    errors: ["not_found", "wrong_state", "not_offered"],
    tools: [
      {
        name: "workflow_from_run",
        title: "Write a run down as a workflow",
        about:
          "A run of an agent as a YAML file that can be run again: its workers, nodes and dependencies, with parameters for what was specific.",
      },
    ],
  }),
  listWorkflows: route({
    method: "GET",
    path: "/workflows",
    tag: "agents",
    summary: "List the workflows for new agents",
    about:
      "The home's first; they take precedence over examples of the same name. Invalid files are listed too, with their problem.",
    ok: 200,
    answer: z.object({ items: z.array(WorkflowLine) }),
    tools: [
      {
        name: "workflow_list",
        title: "List workflows",
        about: "Teams that are written down: agent_create with workflow makes an agent with one of them.",
      },
    ],
  }),
};
