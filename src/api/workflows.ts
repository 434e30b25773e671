/** Workflows: teams that are written down and can be chosen for a new agent. */
import { z } from "zod";
import { BudgetLimit } from "../schema/budget.ts";
import { route } from "./route.ts";

export const WorkflowLine = z
  .object({
    name: z.string().describe("As createAgent takes it"),
    from: z.enum(["home", "example"]).describe("workflows/ of the home, or what came with Agiraph"),
    path: z.string().describe("The file"),
    about: z.string().nullable().describe("Null if the file cannot be used"),
    goal: z.string().nullable().describe("What it is for if nobody says more"),
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
    problem: z.string().nullable().describe("Why it cannot be used, with the line"),
  })
  .describe("A workflow at a glance");
export type WorkflowLine = z.infer<typeof WorkflowLine>;

export const workflowRoutes = {
  listWorkflows: route({
    method: "GET",
    path: "/workflows",
    tag: "agents",
    summary: "The workflows that a new agent can be made with",
    about:
      "Those of the home first; one of the home goes before an example of the same name. A file that cannot be used is there too, with its problem.",
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
