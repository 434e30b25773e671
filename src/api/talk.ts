/** Words of the human to an agent, and the reply. */
import { z } from "zod";
import { MessageId, ParticipantId, Sha256 } from "../schema/ids.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

export const Sent = z
  .object({
    id: MessageId,
    to: z.array(ParticipantId),
    seq: z.number().int().describe("Seq of its event"),
  })
  .describe("A message that is in the log");
export type Sent = z.infer<typeof Sent>;

export const ReplyText = z
  .object({
    kind: z.enum(["message", "question", "answer"]).describe("answer: the final answer of the run"),
    id: z.string().describe("Id of the message, the question or the run"),
    from: ParticipantId,
    text: z.string(),
    seq: z.number().int(),
    options: z.array(z.string()).optional(),
    resource: Sha256.optional().describe("Set if the text is truncated"),
  })
  .describe("The first message to the human from a participant that has read the message");
export type ReplyText = z.infer<typeof ReplyText>;

const Sending = Sent.extend({
  reply: ReplyText.nullable().optional().describe("With `wait`: null if none came in time"),
  why: z.string().optional().describe("Why there is no reply: the wait timed out, or the agent is not working"),
});
const Unanswered = Sent.extend({
  reply: z.null(),
  why: z.string().describe("Why there is none: the wait timed out, or the agent is not working"),
});
const Answered = Sent.extend({ reply: ReplyText });

const to = z
  .union([z.string().min(1).max(200), z.array(z.string().min(1).max(200)).min(1).max(50)])
  .optional()
  .describe("Ids, names or * for everyone; default: an @name at the start of the text, else the coordinator");
const text = z.string().min(1).max(1_000_000);
const resources = z
  .array(Sha256)
  .min(1)
  .max(20)
  .optional()
  .describe("Attachments: resources of the run, listed at the end of the message and readable by its recipients");

export const longestWait = 600;

export const talkRoutes = {
  send: route({
    method: "POST",
    path: "/agents/{agent}/send",
    tag: "talk",
    summary: "Say something to an agent",
    about:
      "With `wait` the response is the reply: 200, or 202 with `reply: null` if it timed out; the reply is then in the conversation. Repeating the request with the same key waits for the same reply. With `Accept: text/event-stream` and `wait` the words come as they are said: `sent`, then `delta` events, then one `reply`. To a completed agent: its run is opened again.",
    params: OfAgent,
    body: z
      .strictObject({
        message: text.optional(),
        content: text.optional().describe("The same as `message`"),
        to,
        resources,
        wait: z
          .union([z.boolean(), z.number().min(0).max(longestWait)])
          .optional()
          .describe(`Seconds, at most ${longestWait}; true: 120`),
      })
      .refine(
        ({ message, content, resources }) => (message ?? content ?? resources) !== undefined && !(message && content),
        {
          message: "give either message or content, or resources",
          path: ["message"],
        },
      ),
    ok: 202,
    answer: Sending,
    also: { 200: Answered, 202: z.union([Sent, Unanswered]) },
    last: "reply",
    errors: ["not_found", "wrong_state", "too_large", "key_reused"],
    example: { body: { message: "How far are you?", wait: 60 } },
    tools: [
      {
        name: "agent_send",
        title: "Say something to an agent",
        about:
          "A message from the human to an agent: to its coordinator, or to one of its people. It is read with their next turn. A finished agent takes it up again. With wait_seconds it waits for the reply and gives it in reply; without, use run_wait. Files go with it as resources: make them with resource_create. To answer a question use question_answer.",
        without: ["content"],
        fields: {
          wait: {
            as: "wait_seconds",
            shape: z.number().min(0).max(longestWait).optional().describe("How long to wait for the reply"),
          },
        },
      },
    ],
  }),
  nudge: route({
    method: "POST",
    path: "/agents/{agent}/nudge",
    tag: "talk",
    summary: "Send a message that is delivered at once, even to participants that are waiting for something else",
    params: OfAgent,
    body: z.strictObject({ message: text, to, resources }),
    ok: 202,
    answer: Sent,
    errors: ["not_found", "wrong_state", "too_large", "key_reused"],
    example: { body: { message: "Forget the second part", to: "alice" } },
  }),
  getRequest: route({
    method: "GET",
    path: "/agents/{agent}/requests/{key}",
    tag: "talk",
    summary: "What came of a request with this Idempotency-Key",
    about:
      "For whoever lost the answer and cannot simply ask again. `not_found` if it was not taken; keys are known for a day.",
    params: OfAgent.extend({ key: z.string().min(1).max(200) }),
    ok: 200,
    answer: z.object({ seq: z.number().int().describe("Of the event that came of it") }),
    errors: ["not_found"],
  }),
  markRead: route({
    method: "POST",
    path: "/agents/{agent}/read",
    tag: "talk",
    summary: "Mark everything up to here as read by the human",
    params: OfAgent,
    body: z.strictObject({ upto: z.number().int().positive().optional().describe("A seq; default: everything") }),
    ok: 200,
    answer: z.object({ upto: z.number().int() }),
    errors: ["not_found", "wrong_state", "key_reused"],
  }),
};
