/** Messages between participants: append, route, wake. */
import { z } from "zod";
import { Address, AgentId, MessageId, Name, ParticipantId, RunId, Sha256, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { PolicyRule } from "./policy-rule.ts";
import { Ballot } from "./proposal.ts";
import { Attachment, Resource } from "./resource.ts";
import type { Talk } from "./statement.ts";
import type { Upcasters } from "./upcast.ts";
import { Entry } from "./worker.ts";

export const Priority = z
  .enum(["immediate", "normal", "background"])
  .describe("immediate: delivered whatever the recipient waits for. background: wakes nobody, read with the next turn");

const passage = {
  hops: z
    .number()
    .int()
    .positive()
    .describe("Messages between agents that led to it, itself included, since a human spoke"),
  fresh: z.literal(true).optional().describe("Its sender made progress since it last wrote to the same agent"),
  tainted: z.string().min(1).max(500).optional().describe("What its sender's run has read from outside, if anything"),
  notice: z
    .literal(true)
    .optional()
    .describe("From the runtime of the other agent: it is not answered, and reopens no run"),
  team: z
    .object({
      as: Name.describe("The name under which the recipient takes part in it"),
      run: RunId,
      max_turns: z.number().int().positive().optional().describe("Turns that it may take for this message"),
      policy: z.array(PolicyRule).optional().describe("The team's rules for tool calls"),
    })
    .optional()
    .describe("It comes from a team in which its recipient takes part"),
};
/** The event in the sender's log, and when the sender was created: another agent of the same name is not taken for it. */
const origin = { born: Time, seq: z.number().int().positive() };

export const AgentMail = z
  .object({
    ...passage,
    origin: z
      .object({ ...origin, agent: AgentId.optional().describe("The agent, if it takes part in this team") })
      .optional()
      .describe("Set where it was received"),
  })
  .describe("What goes with a message between two agents");
export type AgentMail = z.infer<typeof AgentMail>;

export const Message = z.object({
  id: MessageId,
  seq: z.number().int().positive(),
  from: Address,
  to: z.array(Address).min(1),
  text: z.string(),
  mentions: z
    .array(ParticipantId)
    .optional()
    .describe("Participants mentioned but not addressed: they read it with their next turn"),
  attachments: z.array(Attachment).min(1).optional(),
  resource: Sha256.optional().describe("Set when the text is only the preview of a long message"),
  priority: Priority,
  mail: AgentMail.optional(),
  at: Time,
});
export type Message = z.infer<typeof Message>;

const messageEvents = {
  "message.posted": z.object({
    message: MessageId,
    from: Address,
    to: z.array(Address).describe("Nobody only in old logs: a message to everyone, where nobody was left"),
    mentions: z.array(ParticipantId).optional(),
    text: z.string(),
    attachments: Message.shape.attachments,
    resource: Sha256.optional(),
    priority: Priority,
    quotes: z.string().optional().describe("Foreign text that comes with it, marked as data"),
    kickoff: z.literal(true).optional().describe("The first message of a declared team"),
    mail: AgentMail.optional(),
  }),
  "message.limited": z.object({
    between: z.tuple([Address, Address]),
    count: z.number().int().positive(),
    hops: z.literal(true).optional().describe("The count is of messages among agents in a row, not of these two alone"),
  }),
  "inbox.acked": z.object({ participant: ParticipantId, upto: z.number().int().positive() }),
  "inbox.deferred": z
    .object({ participant: ParticipantId, entry: Entry, until: Time.optional(), reason: z.string() })
    .describe("Its reader put an entry off: until a time, or until it is idle"),
  "inbox.returned": z.object({ participant: ParticipantId, entry: Entry }).describe("It is in the inbox again"),
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
  "message.receive": z
    .object({
      from: AgentId,
      ...origin,
      ...passage,
      text: z.string().max(1_000_000),
      resource: Resource.omit({ by: true, at: true }).optional().describe("The whole text, if this is its preview"),
      priority: Priority.default("normal"),
      handled: z
        .number()
        .int()
        .positive()
        .optional()
        .describe("No message: what this team sent it is handled up to here"),
      vote: Ballot.optional().describe("No message: its vote in this team"),
    })
    .describe("A message from another agent of this home; sent by its runtime, once or again"),
  "inbox.ack": z.object({ participant: ParticipantId, upto: z.number().int().positive() }),
  "inbox.defer": z.object({
    participant: ParticipantId,
    entry: z.number().int().positive().describe("The seq of its event"),
    seconds: z.number().positive().max(31_536_000).optional().describe("When it is idle if missing"),
    reason: z.string().max(2_000).default(""),
  }),
  "inbox.return": z.object({ participant: ParticipantId, entry: z.number().int().positive() }),
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
    /** Per agent that has written to this one: the last message that was received from it. */
    correspondents: new Map<string, { born: string; seq: number }>(),
    /** The conversation with the human: in earlier runs, and in this one. */
    thread: { before: { spoken: [], open: [] }, now: { spoken: [], open: [] } } as { before: Talk; now: Talk },
    /** How long the present chain of messages among agents is, who wrote last, and whether the human was told that it is too long. */
    hops: { count: 0, from: "", told: false },
  }),
  reference: { Message },
});
