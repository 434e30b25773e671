/** One model call and the tools it asked for, recorded so that a crash at any point continues the same turn. */
import { z } from "zod";
import { FailedEndpoint, Reason } from "./agent.ts";
import { Allowance, Amount } from "./budget.ts";
import { Bill, Offered, ShownContext } from "./context.ts";
import { NodeId, ParticipantId, QuestionId, Sha256, Time, TurnId } from "./ids.ts";
import { Wait } from "./node.ts";
import { defineNoun } from "./noun.ts";

export const Call = z
  .object({ id: z.string().min(1).max(128), tool: z.string().min(1).max(128), input: z.unknown() })
  .describe("A tool call the model asked for");
export type Call = z.infer<typeof Call>;

export const Usage = z
  .object({
    model: z.string(),
    input: z.number().int().nonnegative().describe("All input tokens, cached or not"),
    output: z.number().int().nonnegative().describe("All output tokens, reasoning included"),
    cache_read: z.number().int().nonnegative(),
    cache_write: z.number().int().nonnegative(),
    priced: z.boolean().describe("false: the model has no known price and counts as free"),
  })
  .describe("The usage of a call as the provider reports it");
export type Usage = z.infer<typeof Usage>;

export const Counted = z
  .object({
    input: z.number().nonnegative(),
    output: z.number().nonnegative(),
    cacheRead: z.number().nonnegative(),
    cacheWrite: z.number().nonnegative(),
    usd: z.number().nonnegative(),
  })
  .describe("Totals of a program's conversation, as the program counts them");

export const Stop = z
  .enum(["done", "length", "refused", "paused"])
  .describe(
    "Why an answer ended. length: it reached its maximum length; paused: the provider expects another request to continue",
  );
export type Stop = z.infer<typeof Stop>;

export const Kept = z
  .object({ provider: z.string(), parts: z.unknown() })
  .describe(
    "Opaque data that must be sent back to the provider with the answer: signatures of its reasoning, results of its own search",
  );
export type Kept = z.infer<typeof Kept>;

export const Outcome = z
  .enum(["ok", "error", "unknown", "denied"])
  .describe("unknown: it was started, but the outcome is not known");
export type Outcome = z.infer<typeof Outcome>;

export const Effect = z
  .enum(["reads", "state", "outside"])
  .describe("What a tool does: nothing, only something in the log, or something outside");

export const Progress = z
  .enum(["none", "words", "work"])
  .describe("The progress of a tool call: nothing, a message to someone new, or work");
export type Progress = z.infer<typeof Progress>;

const CallState = z.discriminatedUnion("status", [
  Call.extend({ status: z.literal("asked") }),
  Call.extend({ status: z.literal("started") }),
  Call.extend({ status: z.literal("ended"), outcome: Outcome }),
]);

const shared = {
  id: TurnId,
  upto: z.number().int().nonnegative().describe("The inbox entries this turn consumes"),
  reserved: Amount,
  reserved_at: Time,
  resumed: z.number().int().nonnegative().describe("Number of times a crash interrupted it"),
  orderly: z.boolean().describe("The process shut down cleanly during this turn, so resuming it is not a recovery"),
  retried: z.number().int().nonnegative(),
  node: NodeId.optional(),
};

export const Turn = z.discriminatedUnion("status", [
  z.object({
    ...shared,
    status: z.literal("calling"),
    allowed: Allowance.optional(),
    known: Amount.optional().describe("Known usage of the call in progress; charged if the call is lost"),
    retry: z.object({ at: Time, not_before: Time }).optional(),
    own: z
      .object({
        count: z.number().int().positive(),
        open: z.array(Call.extend({ again: z.string().optional() })),
        recent: z.array(Call).optional().describe("The last ones that ended well and had an effect"),
        lost: z.array(Call).optional().describe("Those before a crash whose results the program may not have seen"),
        wait: Wait.optional(),
        final: z.boolean().optional(),
      })
      .optional()
      .describe(
        "Tool calls that its program makes by itself while it runs: how many so far, those without a result, and what they mean for its end",
      ),
    uses: z
      .array(z.object({ call: z.string(), reserved: Amount }))
      .optional()
      .describe("Model calls of its program through our gateway that have not ended"),
  }),
  z.object({
    ...shared,
    status: z.literal("acting"),
    calls: z.array(CallState),
    wait: Wait.optional(),
    final: z.boolean(),
    stop: Stop.optional(),
    asking: z.array(QuestionId).optional().describe("Calls that wait for approval; open questions"),
  }),
]);
export type Turn = z.infer<typeof Turn>;

const of = { turn: TurnId, participant: ParticipantId };

const answer = {
  text: z.string(),
  calls: z.array(Call),
  cost: Amount,
  stop: Stop.optional(),
  usage: Usage.optional(),
  kept: Kept.optional(),
};

const turnEvents = {
  "turn.started": z.object({
    ...of,
    upto: z.number().int().nonnegative(),
    reserved: Amount,
    allowed: Allowance.optional(),
    known: Amount.optional().describe("What the call is charged if it is lost; its reservation if missing"),
    node: NodeId.optional(),
    bill: Bill.optional(),
    context: ShownContext.optional().describe("As at its turn before if missing"),
    offered: Offered.optional(),
  }),
  "turn.queued": z
    .object({
      ...of,
      wanted: Amount,
      account: z.string().describe("The budget that is taken up by reservations of other calls"),
      held: Amount.describe("What is reserved in that budget"),
      by: z.array(ParticipantId).describe("Participants whose calls hold the reservations"),
    })
    .describe("A turn waits for budget reserved by calls in progress; it starts when one of them is settled"),
  "turn.heard": z
    .object({ ...of, known: Amount.describe("What the call is charged if it is lost from here on") })
    .describe("A long answer is in progress"),
  "turn.answered": z.object({ ...of, ...answer }),
  "turn.resumed": z.object({ ...of, lost: Amount.describe("What the interrupted call may have cost") }),
  "turn.retried": z.object({
    ...of,
    error: z.string(),
    endpoint: FailedEndpoint.optional(),
    not_before: Time,
    lost: Amount,
  }),
  "turn.ended": z.object({ ...of, next: z.enum(["rest", "continue"]), wait: Wait.optional() }),
  "turn.failed": z.object({ ...of, reason: Reason, lost: Amount }),
  "tool.started": z.object({
    ...of,
    call: z.string(),
    tool: z.string(),
    key: z.string().describe("Idempotency key, stable across crashes: a tool can use it to detect a repetition"),
  }),
  "tool.called": z
    .object({
      ...of,
      call: z.string(),
      tool: z.string(),
      input: z.unknown(),
      key: z.string().describe("As in tool.started"),
      again: z
        .string()
        .optional()
        .describe("The same call before a crash, whose result its program may not have seen; it has the same key"),
      reported: z
        .boolean()
        .optional()
        .describe("A tool of the program itself: it told us of it, and we did not run it"),
    })
    .describe("A program called a tool during its turn, and it was started"),
  "tool.ended": z.object({
    ...of,
    call: z.string(),
    tool: z.string(),
    outcome: Outcome,
    result: z.string(),
    wait: Wait.optional(),
    final: z.boolean().default(false),
    effect: Effect.optional().describe("Missing if the tool does not count as repeated"),
    progress: Progress.optional(),
    upto: z.number().int().positive().optional().describe("Entries up to this seq were shown in the result"),
    outside: z.string().optional().describe("Source of foreign text in the result, if any"),
    links: z.array(z.string()).optional().describe("Addresses that a search found"),
    touched: z.literal(true).optional().describe("It may have changed the caller's workspace"),
    offers: z
      .array(z.string())
      .optional()
      .describe("Tools that the result describes; the caller knows them from now on"),
    nudge: z.string().optional().describe("Added to the result: this call was repeated"),
  }),
};

const turnCommands = {
  "turn.start": z.object({
    participant: ParticipantId,
    reserve: Amount,
    allowed: Allowance.optional(),
    known: Amount.optional().describe("What the call is charged if it is lost; its reservation if missing"),
    bill: Bill.optional(),
    context: ShownContext.optional(),
    offered: Offered.optional(),
  }),
  "turn.queue": z.object({ participant: ParticipantId, reserve: Amount }),
  "turn.hear": z.object({ ...of, known: Amount }),
  "turn.answer": z.object({ ...of, ...answer }),
  "turn.resume": z.object({ ...of }),
  "turn.retry": z.object({
    ...of,
    error: z.string(),
    endpoint: FailedEndpoint.optional(),
    not_before: Time,
    lost: Amount.optional(),
  }),
  "turn.end": z.object({
    ...of,
    resource: Sha256.optional().describe("Where its final text is stored in full, if it is too long for a message"),
  }),
  "turn.fail": z.object({ ...of, reason: Reason, lost: Amount.optional() }),
  "tool.start": z.object({ ...of, call: z.string() }),
  "tool.call": z.object({ ...of, tool: z.string().min(1).max(200), input: z.unknown() }),
  "tool.ask": z.object({ ...of, call: z.string(), text: z.string().min(1), target: z.string().optional() }),
  "tool.end": z.object({
    ...of,
    call: z.string(),
    outcome: Outcome,
    result: z.string(),
    wait: Wait.optional(),
    final: z.boolean().default(false),
    effect: Effect.optional(),
    progress: Progress.optional(),
    upto: z.number().int().positive().optional(),
    outside: z.string().optional(),
    links: z.array(z.string()).optional(),
    touched: z.literal(true).optional(),
    offers: z.array(z.string()).optional(),
  }),
};

export const turn = defineNoun({
  name: "turn",
  events: turnEvents,
  commands: turnCommands,
  state: () => ({}),
  reference: { Turn },
});
