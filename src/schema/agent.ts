/** The agent: a lasting identity with its goal, its mode and its lifecycle status. */
import { z } from "zod";
import { BudgetLimit } from "./budget.ts";
import { AgentId, RunId, Time } from "./ids.ts";
import { kit } from "./kit.ts";
import { defineNoun } from "./noun.ts";
import { Team } from "./workflow.ts";

const ReachedLimit = z
  .object({
    account: z.string().min(1).describe("agent, run, day:2026-01-31, worker:ann or node:n1"),
    unit: z.enum(["usd", "tokens", "turns", "seconds"]),
  })
  .describe("The budget limit that stopped it");

export const FailedEndpoint = z
  .object({
    host: z.string().min(1).describe("Host and port, as in its address"),
    setting: z.string().min(1).optional().describe("The setting that chose its address"),
    why: z.string().min(1).describe("What it answered, or why it could not be reached"),
  })
  .describe("The provider's endpoint that a failed model call was sent to");
export type FailedEndpoint = z.infer<typeof FailedEndpoint>;

export const Reason = z
  .object({
    code: z.string().min(1).describe("e.g. limit.turns, budget, provider, human"),
    message: z.string().min(1),
    next_mover: z.string().min(1).describe("Who must act before this can continue"),
    until: Time.optional(),
    limit: ReachedLimit.optional(),
    endpoint: FailedEndpoint.optional(),
  })
  .describe("Why something is paused or ended without completing");
export type Reason = z.infer<typeof Reason>;

/** What an agent is created with and keeps. */
const bounds = {
  tools: z
    .array(z.string().min(1).max(200))
    .max(1_000)
    .optional()
    .describe(
      "The tools that it and its workers may use; all if missing. Always there, named or not: tools that change only the log, and those nobody works without (publish, finish, decline, the board, messages, refs, its own memory)",
    ),
  context_window: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("Context window in tokens, unless the model's own is smaller"),
  folder: z
    .string()
    .min(1)
    .max(4_096)
    .optional()
    .describe(
      "An existing folder of this machine, best a git repository: it reads it as project/…, and works on checkouts of it. The folder itself is changed only by a merge",
    ),
  merge: z
    .literal("auto")
    .optional()
    .describe("When a run is finished, what was merged in it is merged into the user's branch without asking"),
  team: Team.optional(),
  soul: kit.soul.describe("The first version of SOUL.md: who it is, whatever it works on; a default if missing"),
};
export const AgentTools = bounds.tools;
export const AgentFolder = bounds.folder;
export const AgentMerge = bounds.merge;
export const AgentSoul = bounds.soul;

/** An agent's first prompt takes 10,000 tokens, and compaction starts at three quarters: a smaller window leaves no room to work. */
export const ContextWindow = z
  .number()
  .int()
  .min(16_000)
  .max(10_000_000)
  .optional()
  .describe("Context window in tokens, unless the model's own is smaller; less than 16,000 leaves no room to work");

const shared = {
  id: AgentId,
  goal: z.string().min(1).max(100_000),
  mode: z.enum(["finite", "infinite"]),
  model: z.string().min(1),
  cycle_seconds: z.number().positive().optional().describe("How often an infinite agent wakes by itself"),
  start: z.boolean(),
  created_at: Time,
  ...bounds,
};

export const Agent = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("active") }),
  z.object({
    ...shared,
    status: z.literal("paused"),
    reason: Reason,
    since: Time,
    heard: z.boolean().optional().describe("The human has sent the message it was waiting for, so it resumes"),
  }),
  z.object({
    ...shared,
    status: z.literal("stopped"),
    since: Time,
    heard: z.boolean().optional().describe("The human has sent a message since: it resumes"),
  }),
  z.object({ ...shared, status: z.literal("completed"), summary: z.string(), since: Time }),
  z.object({ ...shared, status: z.literal("failed"), reason: Reason, since: Time }),
  z.object({ ...shared, status: z.literal("archived"), since: Time }),
]);
export type Agent = z.infer<typeof Agent>;

/** As shown to people. `active` is one of the first three, derived from who is running and which questions are open. */
export const AgentStatus = z.enum([
  "idle",
  "working",
  "waiting_for_human",
  "paused",
  "stopped",
  "completed",
  "failed",
  "archived",
]);
export type AgentStatus = z.infer<typeof AgentStatus>;

const agentEvents = {
  "agent.created": z.object({
    agent: AgentId,
    goal: shared.goal,
    mode: shared.mode,
    model: shared.model,
    cycle_seconds: shared.cycle_seconds,
    version: z.number().int().positive(),
    budget: BudgetLimit.optional(),
    start: z.boolean().optional().describe("Its first run begins at once"),
    ...bounds,
  }),
  "agent.moved": z
    .object({
      inert: z
        .boolean()
        .optional()
        .describe(
          "What was allowed and armed in its old home does not hold here either: its approvals are void, its triggers disarmed",
        ),
    })
    .describe("It was imported into another home: its project folder on the old machine does not apply here"),
  "agent.paused": z.object({ reason: Reason }),
  "agent.resumed": z.object({}),
  "agent.stopped": z.object({
    summary: z.string().optional().describe("The board as it is reported to the coordinator"),
  }),
  "agent.reopened": z.object({}),
  "agent.completed": z.object({ run: RunId, summary: z.string() }),
  "agent.failed": z.object({ reason: Reason }),
  "agent.archived": z.object({}),
};

const agentCommands = {
  "agent.create": z.object({
    agent: AgentId,
    goal: shared.goal,
    mode: shared.mode.default("finite"),
    cycle_seconds: z
      .number()
      .positive()
      .max(31_536_000)
      .optional()
      .describe("How often an infinite agent wakes by itself; 1,800 if missing"),
    model: shared.model,
    budget: BudgetLimit.optional(),
    start: z.boolean().default(true).describe("Begin the first run at once"),
    ...bounds,
    context_window: ContextWindow,
  }),
  "agent.pause": z.object({ reason: Reason.optional() }),
  "agent.resume": z.object({}),
  "agent.stop": z.object({}),
  "agent.archive": z.object({}),
  "agent.move": z
    .object({
      most: BudgetLimit.describe("What a new agent of this home may spend; it may not spend more"),
      reason: Reason.describe("Why it is paused here"),
    })
    .describe("It was imported into another home: everything allowed, armed or running there ends, and it is paused"),
};

export const agent = defineNoun({
  name: "agent",
  events: agentEvents,
  commands: agentCommands,
  state: () => ({ agent: null as Agent | null }),
  reference: { Agent },
});
