/** Words between participants. One road: append, route, wake. */
import { z } from "zod";
import { MessageId, ParticipantId, Sha256, Time } from "./ids.ts";

export const Priority = z
  .enum(["immediate", "normal", "background"])
  .describe("immediate: heard whatever one waits for. background: wakes nobody, read with the next turn");

export const Message = z.object({
  id: MessageId,
  seq: z.number().int().positive(),
  from: ParticipantId,
  to: z.array(ParticipantId).min(1),
  text: z.string(),
  mentions: z
    .array(ParticipantId)
    .optional()
    .describe("Who is named in it without being addressed: they read it with their next turn"),
  resource: Sha256.optional().describe("Set when the text is only the preview of a long message"),
  priority: Priority,
  at: Time,
});
export type Message = z.infer<typeof Message>;

export const messageEvents = {
  "message.posted": z.object({
    message: MessageId,
    from: ParticipantId,
    to: z.array(ParticipantId).min(1),
    mentions: z.array(ParticipantId).optional(),
    text: z.string(),
    resource: Sha256.optional(),
    priority: Priority,
  }),
  "message.limited": z.object({
    between: z.tuple([ParticipantId, ParticipantId]),
    count: z.number().int().positive(),
  }),
  "inbox.acked": z.object({ participant: ParticipantId, upto: z.number().int().positive() }),
};

export const messageCommands = {
  "message.post": z.object({
    from: z.string().min(1).default("human"),
    to: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(50)])
      .optional()
      .describe("Ids, names or * for everyone; if missing, whom the text begins with (@name), else the coordinator"),
    text: z.string().min(1).max(1_000_000),
    resource: Sha256.optional(),
    priority: Priority.default("normal"),
  }),
  "inbox.ack": z.object({ participant: ParticipantId, upto: z.number().int().positive() }),
};
