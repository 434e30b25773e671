/** The board of the current run: its stages, its nodes, what was suggested; one node whole; and why a node does not move. */
import { z } from "zod";
import { Reason } from "../schema/agent.ts";
import { Amount } from "../schema/budget.ts";
import { Evidence } from "../schema/evidence.ts";
import { NodeId, ParticipantId, RunId, StageId, Time, TurnId } from "../schema/ids.ts";
import { Message } from "../schema/message.ts";
import { Node, Refs } from "../schema/node.ts";
import { Stage } from "../schema/stage.ts";
import { Suggestion } from "../schema/suggestion.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

export const BoardNode = z
  .object({
    id: NodeId,
    name: z.string(),
    status: z.enum(["pending", "assigned", "running", "waiting", "completed", "failed", "cancelled"]),
    headline: z.string().describe("A one-line remark"),
    stage: StageId.nullable(),
    parent: NodeId.nullable(),
    depends_on: z.array(NodeId),
    refs: Refs,
    creator: ParticipantId,
    worker: ParticipantId.nullable().describe("The worker that has or had it"),
    turns: z.number().int(),
    max_turns: z.number().int(),
    cost: Amount,
    partial: z.boolean().optional().describe("Completed with a partial result"),
    evidence: Evidence.optional().describe("Of a completed node: what stands behind its result"),
    checks: z
      .object({
        total: z.number().int().positive(),
        passed: z.number().int(),
        failed: z.number().int(),
        errored: z.number().int().describe("Checks that could not be done"),
        rejections: z.number().int().describe("How often what its worker wanted to publish was rejected"),
      })
      .optional()
      .describe("Of a node with checks: their results on the content that was looked at last; whole in the node"),
    reason: Reason.optional().describe("Why it failed or was cancelled"),
    created_at: Time,
    started_at: Time.optional(),
    ended_at: Time.optional(),
  })
  .describe("A node as the board shows it");
export type BoardNode = z.infer<typeof BoardNode>;

export const Board = z
  .object({
    run: RunId.nullable(),
    plan: z.string().nullable(),
    stages: z.array(Stage),
    nodes: z.array(BoardNode).describe("In the order they were created"),
    suggestions: z.array(Suggestion),
    seq: z.number().int().describe("Seq of the last event included; the cursor for streams"),
  })
  .describe("The board of the current run");
export type Board = z.infer<typeof Board>;

export const Link = z
  .object({
    what: z.string().describe("A node, a participant, a question, the agent or the run"),
    code: z.string(),
    text: z.string(),
    since: z.string().optional(),
    until: z.string().optional(),
    next_mover: z.string().optional(),
  })
  .describe("One reason; the next in the chain is its cause");

export const Why = z
  .object({ node: NodeId, chain: z.array(Link), words: z.string().describe("The chain in one line") })
  .describe("Why a node makes no progress, or how it ended, and who has to act");

export const ShortTurn = z
  .object({
    turn: TurnId,
    participant: ParticipantId,
    at: Time,
    said: z.string().describe("The beginning of its answer"),
    tools: z.array(z.object({ tool: z.string(), outcome: z.string().optional().describe("Missing while it runs") })),
    cost: Amount.optional(),
    failed: z.string().optional(),
  })
  .describe("A turn in short");
export type ShortTurn = z.infer<typeof ShortTurn>;

export const WholeNode = z
  .object({
    node: Node,
    headline: z.string(),
    cost: Amount,
    spec: z.string().nullable().describe("As it is on disk; people may have changed it"),
    manifest: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("What it published, from which inputs, at what cost"),
    turns: z.array(ShortTurn).describe("Its latest turns, oldest first"),
    messages: z.array(Message).describe("Messages of its worker while working on it, and those that mention the node"),
    why: Why.omit({ node: true }),
  })
  .describe("Everything about one node");

export const OfNode = OfAgent.extend({
  node: z.string().min(1).max(64).describe("Its id, or only the number: n3-nvidia-research, n3"),
});

export const boardRoutes = {
  decideSuggestion: route({
    method: "POST",
    path: "/agents/{agent}/suggestions/{suggestion}",
    tag: "board",
    summary: "Accept a worker's suggestion as a node, or dismiss it",
    about:
      "An accepted node is assigned to the worker that suggested it, unless retired. A suggestion is decided once; after that 409 `wrong_state`.",
    params: OfAgent.extend({ suggestion: z.string().min(1).max(64).describe("Its id: sg2") }),
    body: z.strictObject({
      decision: z.enum(["add", "dismiss"]),
      reason: z
        .string()
        .min(1)
        .max(2_000)
        .optional()
        .describe("Shown to the worker that suggested it; only with dismiss"),
    }),
    ok: 200,
    answer: Suggestion,
    errors: ["not_found", "wrong_state", "limit_reached", "invalid"],
    example: { body: { decision: "dismiss", reason: "After the first report" } },
  }),
  getBoard: route({
    method: "GET",
    path: "/agents/{agent}/board",
    tag: "board",
    summary: "The board of the current run",
    params: OfAgent,
    ok: 200,
    answer: Board,
    errors: ["not_found"],
    tools: [
      {
        name: "board_get",
        title: "Look at the board",
        about:
          "The work of an agent's latest run: the plan, every node with its status and what it depends on. worker_list says who does it.",
      },
    ],
  }),
  getNode: route({
    method: "GET",
    path: "/agents/{agent}/board/{node}",
    tag: "board",
    summary: "Everything about one node",
    params: OfNode,
    ok: 200,
    answer: WholeNode,
    errors: ["not_found"],
    tools: [
      {
        name: "node_get",
        title: "Look at a node",
        about:
          "One node in full: its task, its latest turns, why it waits or how it ended, and what it published; read a file of that with file_read nodes/NODE/published/PATH.",
      },
    ],
  }),
  getWhy: route({
    method: "GET",
    path: "/agents/{agent}/board/{node}/why",
    tag: "board",
    summary: "Explain why a node makes no progress, or how it ended",
    params: OfNode,
    ok: 200,
    answer: Why,
    errors: ["not_found"],
    example: {
      answer: {
        node: "n3-report",
        chain: [
          { what: "n3-report", code: "depends_on", text: "n3-report waits for n1-data" },
          { what: "q1", code: "question", text: "Alice asked the human (q1): Which year?", next_mover: "human" },
        ],
        words: "n3-report waits for n1-data ← Alice asked the human (q1): Which year?",
      },
    },
  }),
};
