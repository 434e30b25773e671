/**
 * A recording: what drove the participants of one run, answer by answer, as JSON lines. The first line says what it is of. It is made from an agent's
 * log (core/run/recording.ts) and played as `recorded/FILE` (backend/recorded.ts).
 */
import { z } from "zod";
import { Amount } from "./budget.ts";
import { ParticipantId } from "./ids.ts";
import { Call, Outcome, Stop, Usage } from "./turn.ts";

export const RecordedResult = z
  .strictObject({ tool: z.string(), outcome: Outcome, result: z.string() })
  .describe("A tool result that it was given");

export const RecordedAnswer = z.strictObject({
  participant: ParticipantId,
  results: z.array(RecordedResult).describe("What it was given since its last answer"),
  thoughts: z.array(z.string()).describe("What a program said and did by itself; not part of the answer"),
  text: z.string(),
  calls: z.array(Call),
  cost: Amount,
  usage: Usage.optional(),
  stop: Stop.optional(),
});
export type RecordedAnswer = z.infer<typeof RecordedAnswer>;

export const RecordingHead = z.strictObject({
  recording: z.literal(1).describe("The version of the format"),
  agent: z.string(),
  run: z.string(),
  goal: z.string(),
});

export interface Recording {
  head: z.infer<typeof RecordingHead>;
  answers: RecordedAnswer[];
}
