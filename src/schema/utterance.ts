/** The conversation of an agent: what people ask for and are told, and what its team tells each other. */
import { z } from "zod";
import { ParticipantId, RunId, Time } from "./ids.ts";
import { Message } from "./message.ts";

const shared = {
  seq: z.number().int().positive(),
  at: Time,
  run: RunId,
  from: ParticipantId,
  to: z.array(ParticipantId),
  text: z.string(),
};

export const Utterance = z.discriminatedUnion("kind", [
  Message.extend({ kind: z.literal("message"), run: RunId }).describe("A message of the channel"),
  z.object({ ...shared, kind: z.literal("goal") }).describe("The goal of a run, from the human"),
  z
    .object({ ...shared, kind: z.literal("question"), question: z.string(), options: z.array(z.string()).optional() })
    .describe("A question to the human"),
  z
    .object({
      ...shared,
      kind: z.literal("answer"),
      question: z.string(),
      message: z.string().optional().describe("The message that is the answer, if it came as one"),
    })
    .describe("The human's answer to a question"),
  z.object({ ...shared, kind: z.literal("result") }).describe("The final answer of a run, to the human"),
]);
export type Utterance = z.infer<typeof Utterance>;
