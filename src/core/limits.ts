/** Limits that always hold; all can be set in the config. */
import { z } from "zod";

const count = z.number().int().positive();

export const Limits = z.object({
  /** Turns of a worker on one node. */
  turns_per_node: count.default(20),
  /** Seconds from a node's start to its end. */
  seconds_per_node: z.number().positive().default(600),
  /** How often a worker may try to publish what does not pass the checks of its node; with the last attempt the node ends as `if_unverified` says. */
  check_attempts: count.default(3),
  /** How often a node whose model fails permanently is retried with the agent's own model, if that is another; 0: the coordinator decides. */
  node_retries: z.number().int().nonnegative().max(3).default(0),
  /** Turns of the coordinator since the human's last message; of a worker without new mail. */
  turns_alone: count.default(200),
  /** The same call with the same result: from this count on the result says so, and at the next limit its caller is stopped. */
  same_call_nudge: count.default(3),
  same_call_stop: count.default(5),
  /** Turns on a node without progress. */
  turns_without_progress: count.default(8),
  /** Messages between the same two participants without progress. */
  messages_without_effect: count.default(10),
  /** Messages from agent to agent in a row, since a human last spoke to one of them. */
  agent_hops: count.default(50),
  spawn_depth: count.default(4),
  live_nodes: count.default(50),
  /** In an infinite run: nodes and stages per day. */
  nodes_per_run: count.default(200),
  workers_per_run: count.default(20),
  stages_per_run: count.default(50),
  concurrency: count.default(4),
  /** Open questions about hosts that commands want to reach, and those of a run; further hosts are refused. */
  host_questions: count.default(8),
  host_questions_per_run: count.default(60),
  triggers: count.default(20),
  shortest_interval_seconds: z.number().positive().default(10),
  /** Firings of one trigger on events; more are recorded as missed. */
  event_fires_per_hour: count.default(60),
  /** How often an infinite agent wakes by itself, unless it was created with its own interval. */
  cycle_seconds: z.number().positive().default(1_800),
  /** Crashes of one turn before its agent is paused. */
  resumes: count.default(3),
});
export type Limits = z.infer<typeof Limits>;
export const defaultLimits: Limits = Limits.parse({});
