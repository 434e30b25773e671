/** Limits that always hold; all can be set in the config. */
import { z } from "zod";

/** Those that no config changed. */
export const defaultLimits = {
  /** Turns of a worker on one node. */
  turns_per_node: 20,
  /** Seconds from a node's start to its end. */
  seconds_per_node: 600,
  /** How often a worker may try to publish what does not pass the checks of its node; with the last attempt the node ends as `if_unverified` says. */
  check_attempts: 3,
  /** How often a node whose model fails permanently is retried with the agent's own model, if that is another; 0: the coordinator decides. */
  node_retries: 0,
  /** Turns of the coordinator since the human's last message; of a worker without new mail. */
  turns_alone: 200,
  /** The same call with the same result: from this count on the result says so, and at the next limit its caller is stopped. */
  same_call_nudge: 3,
  same_call_stop: 5,
  /** Turns on a node without progress. */
  turns_without_progress: 8,
  /** Messages between the same two participants without progress. */
  messages_without_effect: 10,
  /** Messages from agent to agent in a row, since a human last spoke to one of them. */
  agent_hops: 50,
  spawn_depth: 4,
  live_nodes: 50,
  /** In an infinite run: nodes and stages per day. */
  nodes_per_run: 200,
  workers_per_run: 20,
  stages_per_run: 50,
  concurrency: 4,
  /** Open questions about hosts that commands want to reach, and those of a run; further hosts are refused. */
  host_questions: 8,
  host_questions_per_run: 60,
  triggers: 20,
  shortest_interval_seconds: 10,
  /** Firings of one trigger on events; more are recorded as missed. */
  event_fires_per_hour: 60,
  /** How often an infinite agent wakes by itself, unless it was created with its own interval. */
  cycle_seconds: 1_800,
  /** Crashes of one turn before its agent is paused. */
  resumes: 3,
};
export type Limits = typeof defaultLimits;

/** Of those that are not a count of at least one. */
const shapes: Partial<Record<keyof Limits, z.ZodNumber>> = {
  seconds_per_node: z.number().positive(),
  node_retries: z.number().int().nonnegative().max(3),
  shortest_interval_seconds: z.number().positive(),
  cycle_seconds: z.number().positive(),
};

export const Limits = z.object(
  Object.fromEntries(
    Object.entries(defaultLimits).map(([name, value]) => [
      name,
      (shapes[name as keyof Limits] ?? z.number().int().positive()).default(value),
    ]),
  ) as Record<keyof Limits, z.ZodDefault<z.ZodNumber>>,
);
