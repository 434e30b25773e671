/** A participant's context, and its compaction when it no longer fits. */
import { z } from "zod";
import { ParticipantId } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { Statement } from "./statement.ts";

export const Bill = z
  .record(z.string(), z.number().int().nonnegative())
  .describe("Estimated tokens of each part of a prompt");
export type Bill = z.infer<typeof Bill>;

export const Offered = z
  .record(z.string(), z.string())
  .describe("Tools that are in the prompt from this turn on, each with the reason");

const ShownPart = z.object({
  name: z.string(),
  source: z.string().describe("Where it comes from: a file, a folder, prompts, the log"),
  why: z.string(),
  value: z
    .enum(["always", "task", "call"])
    .describe("always: in any case; task: because the task needs it, if there is room; call: one tool call away"),
  tokens: z.number().int().nonnegative().describe("Of what is shown, or of the whole if it was left out"),
  shown: z.enum(["brief", "no"]).optional().describe("The whole if missing; brief: only how to get it; no: left out"),
});

export const ShownContext = z
  .object({
    parts: z.array(ShownPart),
    tools: z.array(z.string()).describe("Tools in the prompt, in their order"),
    further: z.array(z.string()).optional().describe("Tools that it may call but that are not in the prompt"),
    budget: z.number().int().nonnegative().describe("Tokens for what the task needs"),
  })
  .describe("What a prompt is made of besides the conversation, from where and why, and what was left out");
export type ShownContext = z.infer<typeof ShownContext>;

const why = z
  .enum(["window", "overflow"])
  .describe("window: it was about to fill the model's window; overflow: the provider refused it as too large");

export const Full = z
  .object({
    why,
    turn: z.number().int().positive().describe("The turn in which the participant saves its notes"),
    tries: z.number().int().positive(),
    room: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe("Tokens left for the conversation, besides the other parts"),
  })
  .describe("The conversation will be compacted after this turn");
export type Full = z.infer<typeof Full>;

export const Shortened = z
  .object({
    times: z.number().int().positive(),
    turn: z.number().int().nonnegative().describe("Number of turns at the last compaction"),
    dropped: z.number().int().nonnegative().describe("Number of turns removed by all compactions"),
    open: z
      .array(Statement)
      .optional()
      .describe("What was said in these turns and still matters: promises, decisions, numbers"),
  })
  .describe("How the conversation was compacted so far");
export type Shortened = z.infer<typeof Shortened>;

const contextEvents = {
  "context.filled": z.object({
    participant: ParticipantId,
    why,
    tokens: z.number().int().nonnegative(),
    window: z.number().int().positive(),
    frame: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe("Of these, tokens that compaction cannot remove: instructions, tools, memory"),
  }),
  "context.shortened": z.object({
    participant: ParticipantId,
    lines: z.number().int().nonnegative().describe("Lines of the conversation that are no longer shown"),
    turns: z.number().int().nonnegative(),
    longest: z
      .number()
      .int()
      .positive()
      .optional()
      .describe("Characters kept of each text; if missing, 8,000 of each result and all of the others"),
  }),
};

const contextCommands = { "context.fill": contextEvents["context.filled"] };

export const context = defineNoun({
  name: "context",
  events: contextEvents,
  commands: contextCommands,
  state: () => ({}),
});
