/** What was said: the channel of an agent, or the lines of one participant. */
import { z } from "zod";
import { Address, ParticipantId, RunId, Time } from "../schema/ids.ts";
import { Message } from "../schema/message.ts";
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

export const ChannelItem = Message.extend({ run: RunId }).describe("A message of a run's channel");

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
  getChannel: route({
    method: "GET",
    path: "/agents/{agent}/channel",
    tag: "talk",
    summary: "Read and search the messages of one run, newest first",
    about:
      "Only messages between participants, the human and other agents; what participants do and what tools return is not in the channel. Searches the whole run, long messages included.",
    params: OfAgent,
    query: Paging.extend({
      run: RunId.optional().describe("Default: the current run"),
      query: z.string().min(1).max(200).optional().describe("Words that a message must contain; case does not matter"),
      from: Address.optional().describe("Id of the writer"),
    }),
    ok: 200,
    answer: page(ChannelItem),
    errors: ["not_found"],
  }),
};
