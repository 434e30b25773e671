/** Workflows: teams that are written down and can be chosen for a new agent. */
import { z } from "zod";
import { BudgetLimit } from "../schema/budget.ts";
import { route } from "./route.ts";

export const WorkflowLine = z
  .object({
    name: z.string().describe("Name for createAgent"),
    from: z.enum(["home", "example"]).describe("workflows/ in the home, or included with Agiraph"),
    path: z.string().describe("The file"),
    about: z.string().nullable().describe("Null if the file is invalid"),
    goal: z.string().nullable().describe("Default goal"),
    model: z.string().nullable(),
    budget: BudgetLimit,
    workers: z.array(z.object({ name: z.string(), role: z.string(), model: z.string().optional() })),
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
