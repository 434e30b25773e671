/** A rule that wakes someone at a time or on an event. */
import { z } from "zod";
import { Reason } from "./agent.ts";
import { NodeId, Time, TriggerId } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { Schedule } from "./schedule.ts";

export const Action = z.discriminatedUnion("type", [
  z.object({ type: z.literal("wake_agent"), text: z.string().min(1).max(20_000) }),
  z.object({ type: z.literal("run_node"), node: NodeId }),
  z.object({ type: z.literal("send_message"), to: z.string().min(1), text: z.string().min(1).max(20_000) }),
]);
export type Action = z.infer<typeof Action>;

export const Missed = z
  .enum(["skip", "once", "all"])
  .describe("What happens to firings that were due while the daemon was not running");

/** Idempotency key for a program that sets the same trigger at each start: there is one trigger per key. */
const Key = z.string().min(1).max(100);

const shared = {
  id: TriggerId,
  schedule: Schedule,
  action: Action,
  missed: Missed,
  by: z.string(),
  fires: z.number().int().nonnegative(),
  key: Key.optional(),
  saved: z.number().int().positive().optional().describe("Heartbeats skipped because nothing was new"),
  rate: z
    .object({ from: Time, fires: z.number().int().positive() })
    .optional()
    .describe("Fires on events in the hour that began then"),
  last_fire: z.string().optional().describe("The id of its latest fire; no earlier one happens again"),
  created_at: Time,
};

export const Trigger = z.discriminatedUnion("status", [
  z.object({
    ...shared,
    status: z.literal("active"),
    next_at: Time.optional().describe("Missing for on_event and on_idle"),
    news: Time.optional().describe("Of a heartbeat: when something first changed since its last fire"),
  }),
  z
    .object({
      ...shared,
      status: z.literal("disarmed"),
      paused_by: z.string().optional().describe("If it is only paused"),
    })
    .describe("It is paused; or it was imported with the agent and is disabled until a person enables it"),
  z.object({ ...shared, status: z.literal("expired"), ended_at: Time }),
  z.object({ ...shared, status: z.literal("cancelled"), ended_at: Time, ended_by: z.string() }),
]);
export type Trigger = z.infer<typeof Trigger>;

const Skipped = z
  .number()
  .int()
  .positive()
  .optional()
  .describe("Heartbeats skipped before this one because nothing was new");

const triggerEvents = {
  "trigger.created": z.object({
    trigger: TriggerId,
    schedule: Schedule,
    action: Action,
    missed: Missed,
    key: Key.optional(),
    next_at: Time.optional(),
  }),
  "trigger.fired": z.object({
    trigger: TriggerId,
    fire: z.string().describe("Trigger and scheduled time or event; fires at most once"),
    skipped: Skipped,
    next_at: Time.optional(),
  }),
  "trigger.missed": z.object({
    trigger: TriggerId,
    count: z.number().int().positive(),
    first: Time,
    last: Time,
    skipped: Skipped,
    next_at: Time.optional(),
  }),
  "trigger.failed": z.object({ trigger: TriggerId, fire: z.string(), reason: Reason }),
  "trigger.disarmed": z.object({ trigger: TriggerId }).describe("It is paused until it is armed again"),
  "trigger.armed": z.object({ trigger: TriggerId, next_at: Time.optional() }),
  "trigger.expired": z.object({ trigger: TriggerId }),
  "trigger.cancelled": z.object({ trigger: TriggerId }),
};

const triggerCommands = {
  "trigger.create": z.object({
    schedule: Schedule,
    action: Action,
    missed: Missed.default("once"),
    key: Key.optional(),
  }),
  "trigger.fire": z.object({ trigger: TriggerId }),
  "trigger.fire_now": z.object({ trigger: TriggerId }).describe("Fires once besides its times, by hand"),
  "trigger.disarm": z.object({ trigger: TriggerId }).describe("Pauses it"),
  "trigger.arm": z
    .object({ trigger: TriggerId })
    .describe("Ends a pause; one that was imported with the agent only a person can enable"),
  "trigger.cancel": z.object({ trigger: TriggerId }),
};

export const trigger = defineNoun({
  name: "trigger",
  events: triggerEvents,
  commands: triggerCommands,
  state: () => ({
    triggers: new Map<string, Trigger>(),
    /** Firings of on_event triggers that are due and not yet recorded. */
    fires: [] as [trigger: string, fire: string][],
    /** Nodes that a firing must create again and that do not exist yet. */
    reruns: [] as { trigger: string; fire: string; node: NodeId }[],
  }),
  reference: { Trigger },
});
