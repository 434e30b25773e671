/** An agent as one file: given out, and taken in. */
import { z } from "zod";
import { BudgetLimit } from "../schema/budget.ts";
import { TriggerId } from "../schema/ids.ts";
import { Schedule } from "../schema/schedule.ts";
import { Action } from "../schema/trigger.ts";
import { OfAgent, Summary } from "./agents.ts";
import { route } from "./route.ts";

export const bundleType = "application/gzip";

const Brings = z
  .object({
    model: z.string(),
    other_models: z.array(z.string()).describe("Models of its workers"),
    commands: z.array(z.string()).describe("Commands of its autonomous workers"),
    tools: z.array(z.string()).nullable().describe("The only tools it may use; null: all"),
    skills: z.array(z.string()).describe("Disabled until they are accepted"),
    triggers: z
      .array(z.object({ id: TriggerId, schedule: Schedule, action: Action }))
      .describe("Disabled until a person enables them"),
    channels: z.array(z.string()).describe("Channels of its old home; only this home's are used"),
    folder: z.string().nullable().describe("Its project folder on the old machine; not readable here"),
    approvals_voided: z.number().int(),
    turns_ended: z.number().int(),
    budget: BudgetLimit.describe("What it may spend here"),
    budget_before: BudgetLimit,
  })
  .describe("What came with an imported agent");
export type Brings = z.infer<typeof Brings>;

export const bundleRoutes = {
  exportAgent: route({
    method: "GET",
    path: "/agents/{agent}/export",
    tag: "agents",
    summary: "Export an agent with its log, files and memory as one file",
    params: OfAgent,
    kind: "file",
    media: bundleType,
    ok: 200,
    answer: z.unknown(),
    errors: ["not_found"],
  }),
  importAgent: route({
    method: "POST",
    path: "/agents/import",
    tag: "agents",
    summary: "Import an agent from a file",
    about:
      "Its log is verified first. It starts paused, so that nothing is spent before a person has looked, and no permission from its old home applies here: " +
      "approvals are void, turns in progress are ended, triggers are disabled, skills wait to be accepted, its project folder is removed, and its budget is at most that of a new agent. " +
      "`brings` lists what came with it.",
    upload: bundleType,
    ok: 201,
    answer: Summary.extend({ brings: Brings }),
    errors: ["invalid", "name_taken", "path_escapes", "too_large"],
  }),
};
