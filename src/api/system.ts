/** The daemon itself. */
import { z } from "zod";
import { Amount } from "../schema/budget.ts";
import { AgentId, Time } from "../schema/ids.ts";
import { route } from "./route.ts";

const Recovery = z
  .object({ agents: z.number().int(), done: z.number().int() })
  .describe("Number of agents, and how many are loaded");

const state = z.enum(["starting", "ready"]);

export const systemRoutes = {
  health: route({
    method: "GET",
    path: "/health",
    tag: "daemon",
    summary: "Check that the daemon is running",
    about:
      "`starting` until every agent is loaded; requests are answered before that. With a challenge it proves that it knows the token: HMAC-SHA256 of `agiraph-health CHALLENGE` under the token, in hex.",
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
    summary: "The web page",
    ok: 200,
    answer: z.string(),
    kind: "file",
    open: true,
  }),
  pageFile: route({
    method: "GET",
    path: "/app/{path*}",
    tag: "daemon",
    summary: "A file of the web page; any other path returns the page, which routes by itself",
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
    summary: "Get the daemon's status: uptime, agents, what needs the human, cost today",
    ok: 200,
    answer: z.object({
      status: state,
      version: z.string(),
      pid: z.number().int(),
      home: z.string(),
      started_at: Time,
      starting: Recovery.optional(),
      agents: z.record(z.string(), z.number().int()).describe("Number of agents by status"),
      faults: z.array(z.object({ agent: AgentId, message: z.string() })).describe("Agents that cannot be opened"),
      config_problem: z
        .string()
        .optional()
        .describe(
          "What is wrong with config.yaml as it was last edited; the settings from before apply until it is fixed",
        ),
      untrusted: z
        .string()
        .optional()
        .describe("Set if this home is not trusted: why nothing in it works, and what to do"),
      working: z.number().int().describe("Participants at work right now"),
      needs_you: z.number().int().describe("Number of items that wait for the human"),
      unread: z.number().int(),
      spent_today: Amount,
      memory_mb: z.number().int(),
    }),
  }),
};
