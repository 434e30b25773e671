/** What agents want of the human: questions, approvals, and everything together as one inbox. */
import { z } from "zod";
import { AgentId, NodeId, ParticipantId, QuestionId, Time } from "../schema/ids.ts";
import { PolicyRule } from "../schema/policy-rule.ts";
import { Question } from "../schema/question.ts";
import { OfAgent } from "./agents.ts";
import { Paging, page } from "./page.ts";
import { route } from "./route.ts";

const status = z.enum(["open", "answered", "expired"]).optional().describe("Default: all");

export const Approval = z
  .object({
    id: QuestionId,
    by: ParticipantId,
    tool: z.string(),
    input: z.unknown().optional().describe("The arguments of the call; present while it waits"),
    text: z.string(),
    status: z.enum(["open", "answered", "expired"]),
    decision: z.enum(["allow", "deny"]).optional(),
    reason: z.string().optional(),
    remember: z
      .boolean()
      .optional()
      .describe("Whether the decision applies to all calls of this tool by the same participant in this run"),
    asked_at: Time,
    ended_at: Time.optional(),
  })
  .describe("A tool call that waits or waited for the human's approval");
export type Approval = z.infer<typeof Approval>;

export const InboxItem = z
  .object({
    agent: AgentId,
    id: z.string().describe("q2, m17, paused, completed, channel:slack, or the seq of an entry"),
    kind: z.enum(["question", "approval", "message", "notice"]),
    from: z.string(),
    text: z.string(),
    at: Time.optional(),
    unread: z.boolean(),
    options: z.array(z.string()).optional(),
    default: z.string().optional(),
    deadline: Time.optional(),
    waiting_since: Time.optional().describe("Since when it needs the human to continue"),
    node: NodeId.optional(),
  })
  .describe("Something for the human");
export type InboxItem = z.infer<typeof InboxItem>;

const Decision = z.object({
  id: QuestionId,
  by: ParticipantId,
  tool: z.string(),
  verdict: z.enum(["asked", "allowed", "denied", "expired"]),
  reason: z.string().optional(),
  remember: z.boolean().optional(),
  at: Time,
});

export const askingRoutes = {
  inbox: route({
    method: "GET",
    path: "/inbox",
    tag: "asking",
    summary: "List everything that needs the human, across all agents",
    about: "First what cannot continue without the human, longest wait first; then unread items, newest first.",
    query: Paging.extend({
      agent: AgentId.optional().describe("Only of this agent"),
      questions: z.stringbool().default(false).describe("Only questions and approvals: what can be answered"),
    }),
    ok: 200,
    answer: page(InboxItem),
    errors: ["not_found", "stale"],
    tools: [
      {
        name: "question_list",
        title: "List open questions",
        about:
          "What agents ask the human and wait for, of one agent or of all. Put them to your user; do not decide an approval yourself.",
        fixed: { questions: true },
      },
    ],
  }),
  listQuestions: route({
    method: "GET",
    path: "/agents/{agent}/questions",
    tag: "asking",
    summary: "List the questions of the current run",
    params: OfAgent,
    query: Paging.extend({ status }),
    ok: 200,
    answer: page(Question),
    errors: ["not_found", "stale"],
  }),
  respond: route({
    method: "POST",
    path: "/agents/{agent}/respond",
    tag: "asking",
    summary: "Answer a question",
    about:
      "`question_id` may be omitted if exactly one question is open; otherwise 409 `conflict`, with the ids in `details.open`.",
    params: OfAgent,
    body: z.strictObject({
      response: z.string().min(1).max(100_000),
      question_id: QuestionId.optional().describe("May be missing if exactly one is open"),
      remember: z
        .boolean()
        .optional()
        .describe(
          "For an approval: apply the decision to all further calls of this tool by the same participant in this run",
        ),
    }),
    ok: 200,
    answer: z.object({ question: QuestionId, answer: z.string(), seq: z.number().int() }),
    errors: ["not_found", "wrong_state", "conflict", "key_reused"],
    example: { body: { response: "Use the blue one", question_id: "q1" } },
    tools: [
      {
        name: "question_answer",
        title: "Answer a question",
        about:
          "Your user's answer to what an agent asked. It counts as the human's own word. An approval is decided by the human themselves, unless the config of the home lets programs do so: then allow, or deny and why.",
        fields: { response: { as: "answer" }, question_id: { as: "question" } },
      },
    ],
  }),
  listApprovals: route({
    method: "GET",
    path: "/agents/{agent}/approvals",
    tag: "asking",
    summary: "List tool calls that wait or waited for approval",
    params: OfAgent,
    query: Paging.extend({ status }),
    ok: 200,
    answer: page(Approval),
    errors: ["not_found", "stale"],
  }),
  decideApproval: route({
    method: "POST",
    path: "/agents/{agent}/approvals/{approval}",
    tag: "asking",
    summary: "Allow or deny a waiting tool call",
    params: OfAgent.extend({ approval: QuestionId }),
    body: z.strictObject({
      decision: z.enum(["allow", "deny"]),
      reason: z.string().min(1).max(10_000).optional().describe("Reason of a denial; shown to the model"),
      remember: z
        .boolean()
        .optional()
        .describe("Apply this decision to all calls of this tool by the same participant in this run"),
    }),
    ok: 200,
    answer: Approval,
    errors: ["not_found", "wrong_state", "key_reused"],
    example: { body: { decision: "deny", reason: "not on this machine" } },
  }),
  policy: route({
    method: "GET",
    path: "/agents/{agent}/policy",
    tag: "asking",
    summary: "Get the policy for tool calls, and past decisions",
    params: OfAgent,
    ok: 200,
    answer: z.object({ rules: z.array(PolicyRule), decisions: z.array(Decision) }),
    errors: ["not_found"],
  }),
};
