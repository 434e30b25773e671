/**
 * A workflow: a team that is declared before it works. `Workflow` is the file that people write, `Team` what an agent is created with and keeps;
 * every run of it begins with the same workers and nodes (core/workflow.ts). Not here: whether its parts are consistent.
 */
import { z } from "zod";
import { BudgetLimit } from "./budget.ts";
import { Name } from "./ids.ts";
import { kit } from "./kit.ts";
import { Policy } from "./stage.ts";

/** Strict: a misspelt limit would be no limit. */
const Limit = z.strictObject(BudgetLimit.shape);

const role = {
  role: kit.role.describe("What it is for, in your words"),
  model: kit.model.describe("provider/model; the agent's if missing"),
  tools: z.array(z.string().min(1).max(200)).max(1_000).optional().describe("The tools it may use; all if missing"),
  max_turns: kit.max_turns,
  budget: Limit.optional(),
  memory: z.string().max(20_000).optional().describe("Text that it is given at the start"),
};

const PlanId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "small letters, digits and -, at most 40")
  .describe("The id that other nodes of the workflow use for it");

const node = {
  title: z.string().trim().min(1).max(100),
  spec: z.string().min(1).max(20_000).describe("The task as its worker reads it"),
  worker: z.string().min(1).max(100).optional().describe("The name of the worker that should do it; any if missing"),
  stage: z.string().min(1).max(100).optional().describe("The name of the stage it belongs to"),
};
const stage = { name: z.string().trim().min(1).max(100), policy: Policy.default("all") };

export const WorkflowName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "small letters, digits, - and _, at most 64")
  .describe("A workflow: the name of its file without .yaml");

/** Maximum sizes; the limits of the config come on top. */
const most = { workers: 100, nodes: 200, stages: 50 };

export const Team = z
  .strictObject({
    workflow: WorkflowName.optional().describe("The name of the workflow it comes from"),
    workers: z.array(z.strictObject({ name: Name, ...role })).max(most.workers),
    nodes: z
      .array(z.strictObject({ id: PlanId, ...node, depends_on: z.array(PlanId).max(most.nodes).default([]) }))
      .max(most.nodes)
      .default([])
      .describe("Ordered: a node is listed after those it depends on"),
    stages: z.array(z.strictObject(stage)).max(most.stages).default([]).describe("In the order in which they run"),
  })
  .describe("A declared team: every run starts with it");
export type Team = z.infer<typeof Team>;

/** A worker that needs no more than a role may be one line. */
const Role = z.preprocess((given) => (typeof given === "string" ? { role: given } : given), z.strictObject(role));

export const Workflow = z.strictObject({
  about: z.string().trim().min(1).max(500).describe("What it is for, in one sentence"),
  goal: z.string().min(1).max(100_000).optional().describe("The default goal of a new agent"),
  model: z.string().min(1).max(200).optional().describe("The default model"),
  budget: Limit.optional().describe("The default budget"),
  workers: z.record(Name, Role).refine((all) => Object.keys(all).length > 0, "name at least one worker"),
  stages: Team.shape.stages,
  nodes: z
    .array(z.strictObject({ id: PlanId.optional(), ...node, depends_on: z.array(PlanId).max(most.nodes).optional() }))
    .max(most.nodes)
    .default([]),
});
export type Workflow = z.infer<typeof Workflow>;
