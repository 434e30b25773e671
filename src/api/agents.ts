/** Agents: make one, look at it, let it pause, go on, stop, begin anew, end. */
import { z } from "zod";
import { AgentStatus, Reason } from "../schema/agent.ts";
import { Amount, BudgetLimit } from "../schema/budget.ts";
import { AgentId, RunId, Time } from "../schema/ids.ts";
import { Paging, page } from "./page.ts";
import { route } from "./route.ts";

export const OfAgent = z.object({ agent: AgentId });

export const Summary = z
  .object({
    id: AgentId,
    goal: z.string(),
    mode: z.enum(["finite", "infinite"]),
    status: z.union([AgentStatus, z.literal("quarantined")]),
    reason: Reason.extend({ since: Time.optional() }).optional().describe("Why it stands still"),
    model: z.string(),
    run: RunId.nullable(),
    current_stage: z.string().nullable(),
    node_count: z.number().int(),
    worker_count: z.number().int(),
    open_questions: z.number().int(),
    unread: z.number().int().describe("What the human has not read"),
    cost: Amount,
    created_at: Time,
    updated_at: Time,
    seq: z.number().int().describe("Of its last event: streams go on from here"),
    result: z.string().optional().describe("What it said when it finished"),
  })
  .describe("An agent at a glance");
export type Summary = z.infer<typeof Summary>;

export const agentRoutes = {
  createAgent: route({
    method: "POST",
    path: "/agents",
    tag: "agents",
    summary: "Give a goal to a new agent",
    body: z.object({
      goal: z.string().min(1).max(100_000),
      name: z.string().min(1).max(200).optional(),
      model: z.string().min(1).max(200).optional().describe("provider/model; what the config says if missing"),
      mode: z.enum(["finite", "infinite"]).default("finite"),
      cycle_seconds: z.number().positive().max(31_536_000).optional(),
      budget: BudgetLimit.optional(),
      start: z.boolean().default(true).describe("Begin its first run at once"),
    }),
    ok: 201,
    answer: Summary,
    errors: ["not_offered", "limit_reached", "key_reused"],
    example: { body: { goal: "Compare three ways to store events", budget: { usd: 2 } } },
  }),
  listAgents: route({
    method: "GET",
    path: "/agents",
    tag: "agents",
    summary: "All agents",
    query: Paging.extend({ archived: z.stringbool().default(false).describe("Also those that were archived") }),
    ok: 200,
    answer: page(Summary),
  }),
  getAgent: route({
    method: "GET",
    path: "/agents/{agent}",
    tag: "agents",
    summary: "One agent",
    params: OfAgent,
    ok: 200,
    answer: Summary,
    errors: ["not_found"],
  }),
};
