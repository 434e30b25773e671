/**
 * The outbox: messages to other agents that those have not received yet. The fact that puts one there is `message.posted`; its id is the seq of that
 * event and the recipient, so it stays the same across crashes and retries.
 */
import { z } from "zod";
import { Reason } from "./agent.ts";
import { Address, AgentId, MessageId } from "./ids.ts";
import { Message } from "./message.ts";
import { defineNoun } from "./noun.ts";
import { Ballot } from "./proposal.ts";
import { Resource } from "./resource.ts";

const OutgoingId = z
  .string()
  .regex(/^\d+\/[a-z0-9][a-z0-9-]*$/)
  .describe("The event and the recipient, e.g. 17/bob");

export const Outgoing = Message.pick({ text: true, priority: true })
  .extend({
    id: OutgoingId,
    seq: z.number().int().positive(),
    to: AgentId,
    message: MessageId.optional().describe("Missing if it is not a message: news of a team, a report, a vote"),
    by: Address.describe("Who wrote it"),
    mail: Message.shape.mail.unwrap(),
    handled: z.number().int().positive().optional(),
    vote: Ballot.optional(),
    resource: Resource.omit({ by: true, at: true }).optional(),
  })
  .describe("A message on its way to another agent");
export type Outgoing = z.infer<typeof Outgoing>;

const outboxEvents = {
  "outbox.delivered": z.object({ outgoing: OutgoingId }),
  "outbox.refused": z
    .object({
      outgoing: OutgoingId,
      to: AgentId,
      message: MessageId.optional(),
      by: Address,
      notice: z.literal(true).optional(),
      reason: Reason,
    })
    .describe("The recipient does not exist, or takes no messages now; nothing was delivered"),
};

const outboxCommands = {
  "outbox.confirm": z.object({ outgoing: OutgoingId }),
  "outbox.refuse": z.object({ outgoing: OutgoingId, reason: Reason }),
};

export const outbox = defineNoun({
  name: "outbox",
  events: outboxEvents,
  commands: outboxCommands,
  /** In the order in which they were written. */
  state: () => ({ outbox: new Map<string, Outgoing>() }),
  reference: { Outgoing },
});
