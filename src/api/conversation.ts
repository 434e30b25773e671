/** What was said: the channel of an agent, or the lines of one participant. */
import { z } from "zod";
import { ParticipantId, Time } from "../schema/ids.ts";
import { Utterance } from "../schema/utterance.ts";
import { Line } from "../schema/worker.ts";
import { OfAgent } from "./agents.ts";
import { Paging, page } from "./page.ts";
import { route } from "./route.ts";

export const SaidItem = z
  .discriminatedUnion("kind", [
    ...Utterance.options,
    z
      .object({ kind: z.literal("line"), seq: z.number().int().positive(), at: Time, run: z.string(), line: Line })
      .describe("A line of a participant's transcript"),
  ])
  .describe("A message, question or answer");
export type SaidItem = z.infer<typeof SaidItem>;

export const conversationRoutes = {
  getConversation: route({
    method: "GET",
    path: "/agents/{agent}/conversation",
    tag: "talk",
    summary: "Get the conversation, newest first",
    about:
      "The conversation across all runs: goals, messages, questions, answers and final answers. With `participant`, the transcript of that participant: what it was shown, answered and did; a page may " +
      "be slightly longer than `limit`, because the lines of one event stay together.",
    params: OfAgent,
    query: Paging.extend({ participant: ParticipantId.optional().describe("coordinator, or a worker such as alice") }),
    ok: 200,
    answer: page(SaidItem),
    errors: ["not_found"],
  }),
};
