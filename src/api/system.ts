/** The daemon itself. */
import { z } from "zod";
import { Amount } from "../schema/budget.ts";
import { AgentId, Time } from "../schema/ids.ts";
import { route } from "./route.ts";

const Recovery = z
  .object({ agents: z.number().int(), done: z.number().int() })
  .describe("Agents of the home, and how many of them are back");

const state = z.enum(["starting", "ready"]);

export const systemRoutes = {
  health: route({
    method: "GET",
    path: "/health",
    tag: "daemon",
    summary: "Whether it is there",
    about:
      "`starting` until every agent of the home is back; requests are answered before. With a challenge it proves that it knows the token: HMAC-SHA256 of `agiraph-health CHALLENGE` under the token, in hex.",
    query: z.object({ challenge: z.string().min(16).max(200).optional() }),
    ok: 200,
    answer: z.object({
      status: state,
      version: z.string(),
      starting: Recovery.optional(),
      proof: z.string().optional(),
    }),
    open: true,
  }),
  page: route({
    method: "GET",
    path: "/app",
    tag: "daemon",
    summary: "The page for people",
    ok: 200,
    answer: z.string(),
    kind: "file",
    open: true,
  }),
  pageFile: route({
    method: "GET",
    path: "/app/{path*}",
    tag: "daemon",
    summary: "A file of the page for people; whatever is no file is the page itself, which knows its own addresses",
    params: z.object({ path: z.string().max(2000) }),
    ok: 200,
    answer: z.string(),
    kind: "file",
    open: true,
  }),
  status: route({
    method: "GET",
    path: "/status",
    tag: "daemon",
    summary: "The daemon at a glance: since when, how many agents, what needs the human, what was spent today",
    ok: 200,
    answer: z.object({
      status: state,
      version: z.string(),
      pid: z.number().int(),
      home: z.string(),
      started_at: Time,
      starting: Recovery.optional(),
      agents: z.record(z.string(), z.number().int()).describe("How many, by status"),
      faults: z.array(z.object({ agent: AgentId, message: z.string() })).describe("Agents that cannot be opened"),
      untrusted: z
        .string()
        .optional()
        .describe("Nobody has trusted this home: why nothing in it works, and what to do"),
      working: z.number().int().describe("Participants that think or act right now"),
      needs_you: z.number().int().describe("What waits for the human"),
      unread: z.number().int(),
      spent_today: Amount,
      memory_mb: z.number().int(),
    }),
  }),
};
