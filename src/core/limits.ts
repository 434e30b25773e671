/** Limits that always hold; all can be set in the config. */
import { z } from "zod";

const count = z.number().int().positive();

export const Limits = z.object({
  /** Turns of a worker on one node. */
  turns_per_node: count.default(20),
  /** Seconds from a node's start to its end. */
  seconds_per_node: z.number().positive().default(600),
  /** How often a node whose model fails for good is tried again with the agent's own model, if that is another; 0: the coordinator decides. */
  node_retries: z.number().int().nonnegative().max(3).default(0),
  /** Turns of the coordinator since the last word of the human; of a worker without new mail. */
  turns_alone: count.default(200),
  /** The same call with the same result: from here on the result says so, and here whoever makes it is stopped. */
  same_call_nudge: count.default(3),
  same_call_stop: count.default(5),
  /** Turns on a node of which nothing lasts. */
  turns_without_progress: count.default(8),
  /** Messages between the same two participants of which nothing came. */
  messages_without_effect: count.default(10),
  spawn_depth: count.default(4),
  live_nodes: count.default(50),
  /** In a run without end: nodes and stages of a day. */
  nodes_per_run: count.default(200),
  workers_per_run: count.default(20),
  stages_per_run: count.default(50),
  concurrency: count.default(4),
  triggers: count.default(20),
  shortest_interval_seconds: z.number().positive().default(10),
  /** Fires of one trigger on events; more are recorded as missed. */
  event_fires_per_hour: count.default(60),
  /** How often an agent without end wakes by itself, unless it was created with a rhythm of its own. */
  cycle_seconds: z.number().positive().default(1_800),
  /** Crashes of one turn before its agent is paused. */
  resumes: count.default(3),
});
export type Limits = z.infer<typeof Limits>;
export const defaultLimits: Limits = Limits.parse({});
