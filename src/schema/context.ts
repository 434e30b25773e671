/** A participant's context, and its compaction when it no longer fits. */
import { z } from "zod";
import { ParticipantId } from "./ids.ts";
import { defineNoun } from "./noun.ts";

export const Bill = z
  .record(z.string(), z.number().int().nonnegative())
  .describe("Tokens of each part of what a call was shown, as estimated");
export type Bill = z.infer<typeof Bill>;

const why = z
  .enum(["window", "overflow"])
  .describe("window: it was about to fill the model's window; overflow: the provider refused it as too large");

export const Full = z
  .object({
    why,
    turn: z.number().int().positive().describe("The turn in which what must survive is written down"),
    tries: z.number().int().positive(),
    room: z.number().int().nonnegative().optional().describe("Tokens that the conversation may have, beside the rest"),
  })
  .describe("The conversation is to be shortened after this turn");
export type Full = z.infer<typeof Full>;

export const Shortened = z
  .object({
    times: z.number().int().positive(),
    turn: z.number().int().nonnegative().describe("How many turns there were when it was last shortened"),
    dropped: z.number().int().nonnegative().describe("Turns that are out of sight, over all times"),
  })
  .describe("How the conversation was shortened so far");
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
      .describe("Of these, tokens that no shortening takes away: instructions, tools, memory"),
  }),
  "context.shortened": z.object({
    participant: ParticipantId,
    lines: z.number().int().nonnegative().describe("Lines of the conversation that are out of sight now"),
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
