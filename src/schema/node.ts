/** A node on the run's board, with its own folder. */
import { z } from "zod";
import { Reason } from "./agent.ts";
import { Change } from "./diff.ts";
import { CheckResult, Checks, Evidence, IfUnverified } from "./evidence.ts";
import { NodeId, ParticipantId, Sha256, StageId, SuggestionId, Time } from "./ids.ts";
import { nodeLimits } from "./node-limits.ts";
import { defineNoun } from "./noun.ts";

export const Wait = z
  .discriminatedUnion("for", [
    z.object({ for: z.literal("question"), question: z.string() }),
    z.object({ for: z.literal("nodes"), nodes: z.array(NodeId).min(1), deadline: Time.optional() }),
    z.object({
      for: z.literal("mail"),
      from: z.array(ParticipantId).min(1).optional().describe("The participants whose answer is awaited, if known"),
      deadline: Time.optional(),
    }),
  ])
  .describe("What a parked participant waits for");
export type Wait = z.infer<typeof Wait>;

/** A named reference to what another node published: NODE or NODE/FILE. */
export const Refs = z.record(
  z.string().min(1).max(64),
  z.string().regex(/^n\d+(-[a-z0-9-]+)?(\/[^/\0]+)*$/, "NODE or NODE/FILE"),
);

/** The task: the same when the node is run again. */
const spec = {
  task: z.string().min(1).max(100_000),
  name: z.string(),
  acceptance: z.string().optional(),
  checks: Checks.optional().describe("What is done at publish to prove its result"),
  if_unverified: IfUnverified.optional(),
  depends_on: z.array(NodeId),
  refs: Refs,
  max_turns: z.number().int().positive(),
  timeout_seconds: z.number().positive(),
  model: z.string().min(1).optional().describe("The model for this node"),
  workspace: z
    .literal("scratch")
    .optional()
    .describe(
      "It works in an empty folder; if missing, in a checkout of the user's repository or folder, if there is one",
    ),
  base: z
    .union([NodeId, z.literal("base")])
    .optional()
    .describe(
      "Its checkout starts from what this node published, or from the run's base; if missing, from what was merged",
    ),
  resolves: NodeId.optional().describe("Its checkout has the conflict of merging what this node published"),
};
export const NodeSpec = z.object(spec);
export type NodeSpec = z.infer<typeof NodeSpec>;

/** What a node is created with. */
const given = {
  ...spec,
  parent: NodeId.optional(),
  stage: StageId.optional(),
  wanted_worker: ParticipantId.optional(),
  retry_of: NodeId.optional().describe("The failed node that this one replaces"),
  suggestion: SuggestionId.optional().describe("The suggestion that it accepts"),
  again: NodeId.optional().describe("The node that it reruns"),
  planned: z.string().optional().describe("Its id in the workflow"),
};

const shared = {
  id: NodeId,
  ...given,
  creator: ParticipantId,
  depth: z.number().int().nonnegative(),
  checkpoint: z
    .string()
    .optional()
    .describe("What its worker reported when it stopped for its stage; removed when it continues"),
  retries: z.number().int().positive().optional().describe("How often it went back to the board with another model"),
  urged: z.boolean().optional().describe("Its worker was told to stop exploring and to produce"),
  results: z.array(CheckResult).optional().describe("Of its checks, on the content that was looked at last"),
  rejections: z.number().int().positive().optional().describe("How often what it wanted to publish was rejected"),
  attempts_left: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("How often its worker may try again, after a rejection"),
  turns: z.number().int().nonnegative(),
  created_at: Time,
};
const held = { worker: ParticipantId };
const begun = { ...held, started_at: Time };

export const Published = z.object({
  path: z.string().min(1),
  size: z.number().int().nonnegative(),
  sha256: Sha256,
});
export type Published = z.infer<typeof Published>;

const Limit = z
  .enum(["limit.turns", "limit.context"])
  .describe("The limit that was reached; its files were published as partial");

export const Node = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("pending") }),
  z.object({ ...shared, ...held, status: z.literal("assigned") }),
  z.object({ ...shared, ...begun, status: z.literal("running") }),
  z.object({ ...shared, ...begun, status: z.literal("waiting"), on: Wait, since: Time }),
  z.object({
    ...shared,
    ...begun,
    status: z.literal("completed"),
    summary: z.string(),
    partial: z.boolean(),
    limit: Limit.optional(),
    files: z.array(Published),
    evidence: Evidence.optional().describe("claimed if missing"),
    change: Change.optional(),
    ended_at: Time,
  }),
  z.object({
    ...shared,
    status: z.literal("failed"),
    worker: ParticipantId.optional(),
    reason: Reason,
    ended_at: Time,
  }),
  z.object({
    ...shared,
    status: z.literal("cancelled"),
    worker: ParticipantId.optional(),
    reason: Reason,
    ended_at: Time,
  }),
]);
export type Node = z.infer<typeof Node>;

const nodeEvents = {
  "node.created": z.object({ node: NodeId, ...given }),
  "node.wanted": z.object({ node: NodeId, worker: ParticipantId }),
  "node.assigned": z.object({ node: NodeId, worker: ParticipantId }),
  "node.started": z.object({ node: NodeId, worker: ParticipantId }),
  "node.completed": z.object({
    node: NodeId,
    worker: ParticipantId,
    summary: z.string(),
    partial: z.boolean(),
    limit: Limit.optional(),
    files: z.array(Published),
    evidence: Evidence.optional().describe("claimed if missing"),
    change: Change.optional().describe("What it changed in the user's repository or folder"),
  }),
  "node.rejected": z
    .object({
      node: NodeId,
      worker: ParticipantId,
      on: Sha256.describe("The hash of the content"),
      failed: z.array(z.number().int().positive()).describe("The numbers of the checks that failed"),
      attempt: z.number().int().positive(),
      attempts: z.number().int().positive().describe("How many there are"),
    })
    .describe("What its worker wanted to publish did not pass its checks; the node continues"),
  "node.retried": z.object({ node: NodeId, model: z.string().min(1), reason: Reason }),
  "node.checkpointed": z.object({ node: NodeId, worker: ParticipantId, summary: z.string() }),
  "node.failed": z.object({ node: NodeId, reason: Reason }),
  "node.cancelled": z.object({ node: NodeId, reason: Reason }),
};

export const nodeCommands = {
  "node.create": z.object({
    task: spec.task,
    name: z.string().min(1).max(100).optional(),
    acceptance: z.string().max(20_000).optional(),
    checks: spec.checks,
    if_unverified: spec.if_unverified,
    depends_on: z.array(NodeId).max(200).default([]),
    refs: Refs.default({}),
    worker: z.string().min(1).optional().describe("Id or name of the worker that should do it"),
    parent: NodeId.optional(),
    stage: z.string().min(1).max(100).optional().describe("Id or name of the open stage"),
    model: spec.model,
    retry_of: NodeId.optional().describe("The failed, cancelled or partially completed node that this one replaces"),
    suggestion: given.suggestion,
    ...nodeLimits,
    workspace: spec.workspace,
    base: spec.base,
    resolves: spec.resolves,
  }),
  "node.assign": z.object({ node: NodeId, worker: z.string().min(1) }),
  "node.want": z.object({ node: NodeId, worker: z.string().min(1) }),
  "node.publish": z.object({
    node: NodeId,
    summary: z.string().min(1).max(20_000),
    partial: z.boolean().default(false),
    limit: Limit.optional(),
    files: z.array(Published),
    on: Sha256.optional().describe("The hash of the content"),
    change: Change.optional(),
  }),
  "node.attempt": z
    .object({
      node: NodeId,
      on: Sha256,
      partial: z.boolean().default(false),
      limit: Limit.optional(),
    })
    .describe("Its checks have results: may this content be published?"),
  "node.checkpoint": z.object({ node: NodeId, summary: z.string().min(1).max(20_000) }),
  "node.fail": z.object({ node: NodeId, reason: Reason }),
  "node.cancel": z.object({ node: NodeId, reason: z.string().min(1).max(2_000) }),
};

export const node = defineNoun({
  name: "node",
  events: nodeEvents,
  commands: nodeCommands,
  state: () => ({ nodes: new Map<NodeId, Node>() }),
  reference: { Node },
});
