/**
 * The file that people write: a workflow. It becomes a `Team` (workflow.ts) when it is started (home/workflow-file.ts). Unknown fields are refused.
 * Editors get this as a JSON schema: docs/reference/workflow.schema.json.
 */
import { z } from "zod";
import { secondsOf } from "../lib/time/duration.ts";
import { DocumentName } from "./document.ts";
import { Name } from "./ids.ts";
import { SetupName, SetupStep } from "./setup-step.ts";
import {
  ParamName,
  ParamValue,
  PlanId,
  Team,
  TeamBudget,
  teamMost,
  teamNode,
  teamRole,
  teamTrigger,
  WorkflowName,
} from "./workflow.ts";

/** What stands before the dot of a name in an expression. */
export const namespaces: readonly string[] = ["params", "setup", "env", "workflow", "source"];

/** As people write it; seconds as a number. */
const Duration = z
  .union([z.number().positive(), z.string().max(40)])
  .refine((given) => secondsOf(given) !== undefined, "must be seconds, or a duration such as 30s, 5m or 2h");

const text = z.string().min(1).max(20_000);

const Prompt = z
  .union([text, z.strictObject({ system: text }), z.strictObject({ append: text })], {
    error: "must be a text, {system: TEXT}, or with ref {append: TEXT}",
  })
  .describe("What it is told: a text, {system: TEXT}, or with ref {append: TEXT}");

const Soul = z
  .union(
    [
      text,
      z.strictObject({
        role: text.optional(),
        expertise: z.array(text).max(50).optional(),
        style: text.optional(),
        principles: z.array(text).max(50).optional(),
      }),
    ],
    { error: "must be a text, or some of {role, expertise, style, principles}" },
  )
  .describe("Who it is, whatever it works on");

/** As the seed of workflows writes it: a duration or a cron expression. */
const wakeup = {
  schedule: z
    .union([z.number().positive(), z.string().min(1).max(100)])
    .optional()
    .describe("When it is woken by itself: a duration such as 30m, or a cron expression"),
  wakeup: z
    .union([z.number().positive(), z.string().min(1).max(100)])
    .optional()
    .describe("The same as schedule"),
  wakeup_prompt: text.optional().describe("What it is told then"),
};

const { role: _role, soul: _soul, ...limits } = teamRole;
const agent = {
  role: text.optional().describe("What it is for, in your words; the others see its first line"),
  prompt: Prompt.optional(),
  system_prompt: text.optional().describe("The same as prompt"),
  soul: Soul.optional(),
  ...wakeup,
  ...limits,
  agent_command: z.string().min(1).max(2_000).optional().describe("A program with a loop of its own that works for it"),
};
export const workflowAgent = z.strictObject(agent);

const worker = {
  ...teamRole,
  role: agent.role,
  prompt: agent.prompt,
  soul: Soul.optional(),
  agent_command: agent.agent_command,
  ...wakeup,
};
export const workflowWorker = z.strictObject(worker);

/** Who needs no more than a role may be one line. */
const short = <T extends z.ZodObject>(whole: T) =>
  z.union([z.string().min(1).max(20_000), whole], { error: "must be a role, or its fields" });

const people = <T extends z.ZodObject>(one: T, noun: string) =>
  z.record(Name, short(one)).refine((all) => Object.keys(all).length > 0, `name at least one ${noun}`);

const param = {
  type: z.enum(["string", "number", "boolean", "choice"]).optional().describe("string if missing; choice with choices"),
  about: z.string().trim().min(1).max(500).optional().describe("What it is for, in one sentence"),
  choices: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
  required: z.boolean().optional().describe("It must be given"),
  default: ParamValue.optional(),
  short: z
    .string()
    .regex(/^[a-zA-Z]$/, "one letter")
    .optional()
    .describe("Its short flag on the command line"),
};
export const workflowParam = z.strictObject(param);
export type WorkflowParam = z.infer<typeof workflowParam>;

const step = {
  shell: SetupStep.shape.shell,
  as: SetupName.refine((name) => !namespaces.includes(name), `must not be one of ${namespaces.join(", ")}`).optional(),
  timeout: Duration.optional().describe("Seconds, or a duration such as 5m; 120 if missing"),
};
export const workflowStep = z.strictObject(step);

const workflowDocument = z.strictObject({
  owner: z.string().min(1).max(100).optional().describe("The one who may write it; everyone if missing"),
  text: z.string().max(100_000).default(""),
});

const when = {
  cron: z.string().min(1).max(100).optional().describe("At these times: minute hour day month weekday"),
  zone: z.string().max(60).optional().describe("The time zone of cron; UTC if missing"),
  every: Duration.optional().describe("Again and again after this time, if something is new"),
  after: Duration.optional().describe("Once, so long after the run has started"),
  idle: Duration.optional().describe("When nothing has happened for so long"),
  on: z.string().min(1).max(100).optional().describe("On these events: node.failed, message.received"),
  filter: z.record(z.string(), z.string()).optional().describe("With on: fields that the event must have"),
};
export const workflowTrigger = z.strictObject({ ...when, to: teamTrigger.to, text: teamTrigger.text });
export const workflowWhen: readonly string[] = ["cron", "every", "after", "idle", "on"];

export const Workflow = z
  .strictObject({
    name: WorkflowName.optional().describe("Its name; that of the file if missing"),
    about: z.string().trim().min(1).max(500).optional().describe("What it is for, in one sentence"),
    goal: z.string().min(1).max(100_000).optional().describe("The default goal of a new agent"),
    model: z.string().min(1).max(200).optional().describe("The default model"),
    budget: TeamBudget.optional().describe("The default budget"),
    context: z
      .union([z.literal("fresh"), z.strictObject({ folder: z.string().min(1).max(4_096) })], {
        error: "must be fresh, or {folder: DIR}",
      })
      .optional()
      .describe(
        "fresh (default): each run has a new agent. {folder}: one agent works on this folder, relative to the file, and keeps its memory and its documents from run to run",
      ),
    params: z
      .record(ParamName, z.union([ParamValue, workflowParam], { error: "must be a default value, or its fields" }))
      .optional()
      .describe("What differs from run to run, by name: ${{ params.NAME }}"),
    env: z
      .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,79}$/, "must be the name of an environment variable"))
      .max(50)
      .optional()
      .describe("Environment variables that may be used: ${{ env.NAME }}. Never keys or tokens"),
    setup: z
      .array(workflowStep)
      .max(teamMost.setup)
      .optional()
      .describe("Shell steps before the run starts; what one prints is ${{ setup.NAME }}"),
    agents: people(workflowAgent, "agent")
      .optional()
      .describe("The team by name. Nobody leads it, unless coordinator says so: it talks in the channel"),
    workers: people(workflowWorker, "worker")
      .optional()
      .describe("The team by name, led by a coordinator unless that is false"),
    coordinator: z
      .union([z.boolean(), z.strictObject({ model: agent.model, prompt: Prompt.optional(), soul: Soul.optional() })], {
        error: "must be true, false, or some of {model, prompt, soul}",
      })
      .optional()
      .describe("Whether the agent itself leads the team, and how"),
    kickoff: Team.shape.kickoff,
    documents: z
      .record(
        DocumentName,
        z.union([z.string().max(100_000), workflowDocument], { error: "must be a text, or its fields" }),
      )
      .optional()
      .describe("Shared texts that are there when the run starts, by their file name"),
    triggers: z
      .array(workflowTrigger)
      .max(teamMost.triggers)
      .optional()
      .describe("What wakes somebody at a time or on an event, while the run is open"),
    policy: Team.shape.policy,
    stages: Team.shape.stages,
    nodes: z
      .array(
        z.strictObject({
          id: PlanId.optional().describe("Made from its title if missing"),
          ...teamNode,
          depends_on: z.array(PlanId).max(teamMost.nodes).optional().describe("Nodes above it that it waits for"),
        }),
      )
      .max(teamMost.nodes)
      .default([]),
  })
  .describe("A workflow of Agiraph");
export type Workflow = z.infer<typeof Workflow>;

/** For editors: completion, and errors while one types. */
export const workflowSchema = (): object => ({
  title: "Agiraph workflow",
  ...z.toJSONSchema(Workflow, { io: "input", unrepresentable: "any" }),
});
