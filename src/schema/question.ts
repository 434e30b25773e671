/** A participant's question to the human. It parks only the asker and never expires unless a deadline was given. */
import { z } from "zod";
import { MessageId, NodeId, ParticipantId, QuestionId, Time, TurnId } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const Approval = z
  .object({
    turn: TurnId,
    call: z.string(),
    tool: z.string(),
    target: z.string().optional().describe("The host that is new to the run, if that is why approval is needed"),
  })
  .describe("The tool call that waits for approval; its arguments are in the turn's answer and cannot change");

const HostRequest = z
  .object({
    host: z.string(),
    subject: z.string().describe("What the answer counts for: the host, or the preset `packages` if the host is in it"),
    call: z.string().describe("The idempotency key of the call whose command wants to reach it"),
    command: z.string().describe("That command, as far as it is shown"),
    node: NodeId.optional().describe("The node it works on"),
    tainted: z.boolean().optional().describe("The run had read text from strangers"),
  })
  .describe("The host that a command in a sandbox wants to reach; the answers are: this time, this run, always, no");

const shared = {
  id: QuestionId,
  by: ParticipantId,
  text: z.string().min(1),
  options: z.array(z.string()).optional(),
  default: z.string().optional(),
  deadline: Time.optional(),
  approves: Approval.optional(),
  host: HostRequest.optional(),
  channel: z.string().optional().describe("The channel on which to ask the human"),
  seq: z.number().int().positive().describe("Seq of the event that asked it"),
  asked_at: Time,
  told: z
    .array(z.string())
    .optional()
    .describe("Channels to which it was delivered, or on which delivery was given up"),
};

export const Question = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("open") }),
  z.object({
    ...shared,
    status: z.literal("answered"),
    answer: z.string(),
    remember: z.boolean().optional(),
    answered_by: z.string(),
    ended_at: Time,
  }),
  z.object({ ...shared, status: z.literal("expired"), answer: z.string().optional(), ended_at: Time }),
]);
export type Question = z.infer<typeof Question>;

const questionEvents = {
  "question.asked": z.object({
    question: QuestionId,
    by: ParticipantId,
    text: z.string(),
    options: z.array(z.string()).optional(),
    default: z.string().optional(),
    deadline: Time.optional(),
    approves: Approval.optional(),
    host: HostRequest.optional(),
    channel: z.string().optional(),
    limit: z.string().optional().describe("The limit that made it ask: it is parked until the answer comes"),
  }),
  "question.answered": z.object({
    question: QuestionId,
    answer: z.string(),
    remember: z.boolean().optional(),
    message: MessageId.optional().describe("The message of the human that is the answer: the asker has it already"),
  }),
  "question.expired": z.object({
    question: QuestionId,
    answer: z.string().optional(),
    over: z.string().optional().describe("Why the question was closed; missing: it timed out"),
  }),
};

export const questionCommands = {
  "question.ask": z.object({
    by: ParticipantId,
    text: z.string().min(1).max(20_000),
    options: z.array(z.string().min(1).max(500)).max(20).optional(),
    default: z.string().max(500).optional(),
    deadline_seconds: z.number().positive().optional(),
    channel: z.string().min(1).max(100).optional(),
  }),
  "question.answer": z.object({
    question: QuestionId.optional(),
    answer: z
      .string()
      .min(1)
      .max(100_000)
      .describe("For an approval: allow, or deny and a reason; for a host: this time, this run, always, or no"),
    remember: z
      .boolean()
      .optional()
      .describe(
        "Decides for every call of this tool by the same asker in this run; asked about a new host, for every call to that host",
      ),
  }),
  "question.expire": z.object({ question: QuestionId }),
};

export const question = defineNoun({
  name: "question",
  events: questionEvents,
  commands: questionCommands,
  state: () => ({ questions: new Map<string, Question>() }),
  reference: { Question },
});
