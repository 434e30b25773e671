/**
 * Deliveries to the human outside of Agiraph: by webhook, e-mail, Slack or Discord. A delivery is one report to one channel; its id is the seq of
 * its event and the channel's name, so it stays the same across crashes and retries.
 */
import { z } from "zod";
import { QuestionId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

export const Concern = z
  .enum(["questions", "approvals", "messages", "paused", "completed", "failed"])
  .describe("What a channel can report");
export type Concern = z.infer<typeof Concern>;

export const ChannelKind = z.enum(["webhook", "email", "slack", "discord"]);
export type ChannelKind = z.infer<typeof ChannelKind>;

export const ChannelName = z.string().regex(/^[a-z][a-z0-9_-]{0,39}$/, "lower-case letters, digits, - and _");

const DeliveryId = z
  .string()
  .regex(/^\d+\/[a-z][a-z0-9_-]{0,39}$/)
  .describe("The event and the channel, e.g. 17/slack");

const Wish = z.object({ kind: ChannelKind, for: z.array(Concern) }).describe("A channel, and what it reports");

const Pause = z
  .object({ from: Time, to: Time })
  .describe("No attempts in between; ends early if the clock is set back");
export type Pause = z.infer<typeof Pause>;

/** A channel as the agent's log knows it; its address and secret are in the config only. */
export const KnownChannel = Wish.extend({
  failing: z
    .object({ since: Time, attempts: z.number().int().positive(), error: z.string(), pause: Pause })
    .optional()
    .describe("Attempts in a row that failed"),
  given_up: z.number().int().nonnegative().describe("Total number of deliveries that were given up"),
});
export type KnownChannel = z.infer<typeof KnownChannel>;

export const Delivery = z.object({
  id: DeliveryId,
  channel: ChannelName,
  concern: Concern,
  seq: z.number().int().positive(),
  run: z.string().optional(),
  at: Time,
  from: z.string(),
  text: z.string(),
  question: QuestionId.optional(),
  options: z.array(z.string()).optional(),
  default: z.string().optional(),
  deadline: Time.optional(),
  attempts: z.number().int().nonnegative(),
  pause: Pause.optional(),
});
export type Delivery = z.infer<typeof Delivery>;

const error = z.string().min(1).max(2_000);

const deliveryEvents = {
  "delivery.routed": z.object({ channels: z.record(ChannelName, Wish) }),
  "delivery.sent": z.object({ delivery: DeliveryId, attempts: z.number().int().positive() }),
  "delivery.failed": z.object({
    delivery: DeliveryId,
    attempts: z.number().int().nonnegative().describe("0: given up together with its channel, without an attempt"),
    error,
    next_at: Time.optional().describe("Time of the next retry; given up if missing"),
  }),
};

const deliveryCommands = {
  "delivery.route": z.object({ channels: z.record(ChannelName, Wish) }).describe("The channels that exist now"),
  "delivery.confirm": z.object({ delivery: DeliveryId }),
  "delivery.fail": z.object({
    delivery: DeliveryId,
    error,
    retry_after_seconds: z.number().nonnegative().optional().describe("The wait that the receiver asked for"),
  }),
};

export const delivery = defineNoun({
  name: "delivery",
  events: deliveryEvents,
  commands: deliveryCommands,
  state: () => ({
    /** The channels, as last configured, and the pending deliveries. */
    channels: new Map<string, KnownChannel>(),
    deliveries: new Map<string, Delivery>(),
  }),
  reference: { Delivery },
});
