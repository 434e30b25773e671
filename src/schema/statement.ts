/** Sentences of a conversation that still matter when the conversation itself is no longer shown. */
import { z } from "zod";
import { RunId, Time } from "./ids.ts";

export const Statement = z
  .object({
    kind: z
      .enum(["promise", "decision", "number", "word"])
      .describe("word: anything else that the human or the participant itself said"),
    from: z.string().describe("Who said it"),
    text: z.string().describe("The sentence"),
    seq: z.number().int().nonnegative().describe("Seq of its event; 0 if it is not known"),
    run: RunId.optional(),
  })
  .describe("A promise, decision or number that was said and is still open");
export type Statement = z.infer<typeof Statement>;

export const Spoken = z
  .object({
    run: RunId,
    seq: z.number().int().positive(),
    at: Time,
    id: z.string().optional().describe("Of a message or a question"),
    kind: z.enum(["goal", "message", "question", "answer", "result"]),
    from: z.string(),
    text: z.string().describe("Its beginning, if it is long"),
  })
  .describe("Something that the human said, or was told");
export type Spoken = z.infer<typeof Spoken>;

export const Talk = z.object({ spoken: z.array(Spoken), open: z.array(Statement) });
export type Talk = z.infer<typeof Talk>;
