/** Messages between participants: append, route, wake. */
import { z } from "zod";
import { MessageId, ParticipantId, Sha256, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { Attachment } from "./resource.ts";
import type { Upcasters } from "./upcast.ts";

export const Priority = z
  .enum(["immediate", "normal", "background"])
  .describe("immediate: delivered whatever the recipient waits for. background: wakes nobody, read with the next turn");

export const Message = z.object({
  id: MessageId,
  seq: z.number().int().positive(),
  from: ParticipantId,
  to: z.array(ParticipantId).min(1),
  text: z.string(),
  mentions: z
    .array(ParticipantId)
    .optional()
    .describe("Participants mentioned but not addressed: they read it with their next turn"),
  attachments: z.array(Attachment).min(1).optional(),
  resource: Sha256.optional().describe("Set when the text is only the preview of a long message"),
  priority: Priority,
  at: Time,
});
export type Message = z.infer<typeof Message>;

const messageEvents = {
  "message.posted": z.object({
    message: MessageId,
    from: ParticipantId,
    to: z.array(ParticipantId).min(1),
    mentions: z.array(ParticipantId).optional(),
    text: z.string(),
    attachments: Message.shape.attachments,
    resource: Sha256.optional(),
    priority: Priority,
  }),
  "message.limited": z.object({
    between: z.tuple([ParticipantId, ParticipantId]),
    count: z.number().int().positive(),
  }),
  "inbox.acked": z.object({ participant: ParticipantId, upto: z.number().int().positive() }),
};

const messageCommands = {
  "message.post": z.object({
    from: z.string().min(1).default("human"),
    to: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(50)])
      .optional()
      .describe("Ids, names or * for everyone; if missing, whom the text begins with (@name), else the coordinator"),
    text: z.string().max(1_000_000).describe("May be empty if something is attached"),
    attachments: z.array(Sha256).min(1).max(20).optional().describe("Resources of the run that go with it"),
    resource: Sha256.optional(),
    priority: Priority.default("normal"),
  }),
  "inbox.ack": z.object({ participant: ParticipantId, upto: z.number().int().positive() }),
};

/** The line that version 1 wrote for each attachment, at the end of the human's text. */
const attachmentLine =
  /^\[attached: (.{1,200}) \(([^()]{1,100}), (\d{1,12}) bytes\); the whole is resource ([0-9a-f]{64}), also readable as [^\]\s]+\]$/;

const messageUpcasters: Upcasters = {
  "message.posted": [
    /** 2: attachments are a field, and the text is only what was written. */
    (data) => {
      if (data.from !== "human" || typeof data.text !== "string") return data;
      const lines = data.text.split("\n");
      const attachments: Attachment[] = [];
      for (
        let found = attachmentLine.exec(lines.at(-1) ?? "");
        found;
        found = attachmentLine.exec(lines.at(-1) ?? "")
      ) {
        const [, title = "", type = "", size = "", id = ""] = found;
        attachments.unshift({ id, title, type, size: Number(size) });
        lines.pop();
      }
      return attachments.length ? { ...data, text: lines.join("\n"), attachments } : data;
    },
  ],
};

export const message = defineNoun({
  name: "message",
  events: messageEvents,
  commands: messageCommands,
  upcasters: messageUpcasters,
  state: () => ({
    /** The newest of the run's messages; the log has all. */
    channel: [] as Message[],
    /** Messages between two participants (`a b`, sorted) since the last progress, and whether the coordinator was told. */
    talk: new Map<string, { count: number; told: boolean }>(),
  }),
  reference: { Message },
});
