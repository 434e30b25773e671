/** An agent as one file: given out, and taken in. */
import { z } from "zod";
import { BudgetLimit } from "../schema/budget.ts";
import { TriggerId } from "../schema/ids.ts";
import { Action, Schedule } from "../schema/trigger.ts";
import { OfAgent, Summary } from "./agents.ts";
import { route } from "./route.ts";

export const bundleType = "application/gzip";

const Brings = z
  .object({
    model: z.string(),
    other_models: z.array(z.string()).describe("Of its workers"),
    commands: z.array(z.string()).describe("What its workers run as programs of their own"),
    tools: z.array(z.string()).nullable().describe("The only ones it may use; all if null"),
    skills: z.array(z.string()).describe("Not in use before they are accepted"),
    triggers: z
      .array(z.object({ id: TriggerId, schedule: Schedule, action: Action }))
      .describe("Disarmed until a person arms them"),
    channels: z.array(z.string()).describe("That it knew; only those of this home count"),
    folder: z.string().nullable().describe("That it could read on its old machine; it cannot here"),
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
    summary: "The agent with its log, files and memory, as one file",
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
    summary: "Take in an agent from a file",
    about:
      "Its log is verified first. It is paused, so that nothing is spent before a person has looked, and nothing that was allowed in its old home holds here: " +
      "approvals are void, turns under way end, triggers are disarmed, skills wait to be accepted, its folder is gone, and its budget is at most that of a new agent. " +
      "`brings` says what came with it.",
    upload: bundleType,
    ok: 201,
    answer: Summary.extend({ brings: Brings }),
    errors: ["invalid", "name_taken", "path_escapes", "too_large"],
  }),
};
