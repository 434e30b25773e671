/**
 * A team that is declared before it works: what a run starts with (core/run/workflow.ts). A workflow file (workflow-file.ts) becomes one.
 * Not here: whether its parts are consistent.
 */
import { z } from "zod";
import { BudgetLimit } from "./budget.ts";
import { DocumentName } from "./document.ts";
import { Checks, IfUnverified } from "./evidence.ts";
import { Name } from "./ids.ts";
import { kit } from "./kit.ts";
import { nodeLimits } from "./node-limits.ts";
import { PolicyRule } from "./policy-rule.ts";
import { Schedule } from "./schedule.ts";
import { SetupStep } from "./setup-step.ts";
import { Policy } from "./stage.ts";

/** Strict: a misspelt limit would be no limit. */
export const TeamBudget = z.strictObject(BudgetLimit.shape);

export const teamRole = {
  role: kit.role.describe("What it is for, in your words"),
  model: kit.model.describe("provider/model; the agent's if missing"),
  tools: z.array(z.string().min(1).max(200)).max(1_000).optional().describe("The tools it may use; all if missing"),
  max_turns: kit.max_turns,
  budget: TeamBudget.optional(),
  memory: z.string().max(20_000).optional().describe("Text that it is given at the start"),
  soul: kit.soul,
  single_inference: kit.single_inference,
  ref: kit.ref,
};

export const PlanId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, "small letters, digits and -, at most 40")
  .describe("The id that other nodes of the workflow use for it");

/** What another node of the team published: its id, or one file of it. */
const PlannedRef = z
  .string()
  .max(1_000)
  .regex(/^[a-z0-9][a-z0-9-]{0,39}(\/[^/\0]+)*$/, "NODE or NODE/FILE");

export const teamNode = {
  title: z.string().trim().min(1).max(100),
  spec: z.string().min(1).max(20_000).describe("The task as its worker reads it"),
  acceptance: z.string().min(1).max(20_000).optional().describe("When it is done"),
  checks: Checks.optional().describe("Done at publish, on exactly what is published, to prove the result"),
  if_unverified: IfUnverified.optional(),
  worker: z.string().min(1).max(100).optional().describe("The name of the worker that should do it; any if missing"),
  stage: z.string().min(1).max(100).optional().describe("The name of the stage it belongs to"),
  refs: z
    .record(z.string().min(1).max(64), PlannedRef)
    .optional()
    .describe("What it is shown of nodes above it, by a name: NODE or NODE/FILE. It waits for them"),
  model: kit.model.describe("The model for this node; its worker's if missing"),
  workspace: z
    .literal("scratch")
    .optional()
    .describe("It works in an empty folder instead of a checkout of the agent's folder"),
  ...nodeLimits,
};
const stage = { name: z.string().trim().min(1).max(100), policy: Policy.default("all"), ...nodeLimits };

export const ParamName = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,39}$/, "small letters, digits, _ and -, at most 40")
  .describe("The name of a parameter");
export const ParamValue = z.union([z.string().max(100_000), z.number(), z.boolean()]);
export type ParamValue = z.infer<typeof ParamValue>;

export const WorkflowTag = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, "small letters, digits, ., - and _, at most 40")
  .describe("Which instance of a workflow");

export const WorkflowName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "small letters, digits, - and _, at most 64")
  .describe("A workflow: the name of its file without .yaml");

/** Maximum sizes; the limits of the config come on top. */
export const teamMost = { workers: 100, nodes: 200, stages: 50, setup: 20, documents: 50, triggers: 20, policy: 100 };

/** A trigger that is declared with the team. */
export const teamTrigger = {
  schedule: Schedule,
  to: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe("Whom it wakes; the lead if missing, or the human if nobody leads"),
  text: z.string().min(1).max(20_000).describe("What it is told"),
};

export const Team = z
  .strictObject({
    workflow: WorkflowName.optional().describe("The name of the workflow it comes from"),
    tag: WorkflowTag.optional(),
    workers: z.array(z.strictObject({ name: Name, ...teamRole })).max(teamMost.workers),
    nodes: z
      .array(z.strictObject({ id: PlanId, ...teamNode, depends_on: z.array(PlanId).max(teamMost.nodes).default([]) }))
      .max(teamMost.nodes)
      .default([])
      .describe("Ordered: a node is listed after those it depends on"),
    stages: z.array(z.strictObject(stage)).max(teamMost.stages).default([]).describe("In the order in which they run"),
    lead: z
      .literal(false)
      .optional()
      .describe("false: nobody leads the run; what would go to the lead goes to the human, and the run ends when idle"),
    coordinator: z
      .strictObject({
        model: kit.model.describe("Who thinks for the coordinator; the agent's model if missing"),
        prompt: z.string().min(1).max(20_000).optional().describe("What it is told besides"),
        soul: kit.soul.describe("Who a new agent of this team is: the first version of its SOUL.md"),
      })
      .optional()
      .describe("What is special about the one who leads"),
    setup: z.array(SetupStep).max(teamMost.setup).optional().describe("Runs before the run starts, in this order"),
    documents: z
      .array(
        z.strictObject({
          name: DocumentName,
          owner: z.string().min(1).max(100).optional().describe("The one who may write it; everyone if missing"),
          text: z.string().max(100_000).default(""),
        }),
      )
      .max(teamMost.documents)
      .optional()
      .describe("Shared texts that are there when the run starts"),
    context: z
      .literal("kept")
      .optional()
      .describe("The documents of the run before are there again; none are if missing"),
    triggers: z
      .array(z.strictObject(teamTrigger))
      .max(teamMost.triggers)
      .optional()
      .describe("What wakes somebody at a time or on an event, while it works"),
    policy: z
      .array(PolicyRule)
      .max(teamMost.policy)
      .optional()
      .describe("Rules for its tool calls, besides those of the config: the stricter verdict counts"),
    params: z.record(ParamName, ParamValue).optional().describe("The values that its texts were filled with"),
    kickoff: z
      .string()
      .min(1)
      .max(100_000)
      .optional()
      .describe("The first message: to those it mentions, else to the lead, or to everyone if nobody leads"),
    on_idle: z
      .enum(["finish", "stay"])
      .optional()
      .describe("Without a lead: whether the run is finished when everybody is idle (default), or waits for messages"),
  })
  .describe("A declared team: a run starts with it");
export type Team = z.infer<typeof Team>;
