import { expect, test } from "vitest";
import { defaultLimits, Limits } from "./limits.ts";

test("the limits that nobody has set are what people were told", () => {
  expect(defaultLimits).toEqual({
    turns_per_node: 20,
    seconds_per_node: 600,
    check_attempts: 3,
    node_retries: 0,
    turns_alone: 200,
    same_call_nudge: 3,
    same_call_stop: 5,
    turns_without_progress: 8,
    messages_without_effect: 10,
    agent_hops: 50,
    spawn_depth: 4,
    live_nodes: 50,
    nodes_per_run: 200,
    workers_per_run: 20,
    stages_per_run: 50,
    concurrency: 4,
    host_questions: 8,
    host_questions_per_run: 60,
    triggers: 20,
    shortest_interval_seconds: 10,
    event_fires_per_hour: 60,
    cycle_seconds: 1_800,
    resumes: 3,
  });
  expect(Limits.safeParse({ node_retries: 3 }).success).toBe(true);
  expect(Limits.safeParse({ node_retries: 4 }).success).toBe(false);
});
