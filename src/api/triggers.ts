/** Triggers: what wakes an agent at a time or on an event. */
import { z } from "zod";
import { TriggerId } from "../schema/ids.ts";
import { Schedule } from "../schema/schedule.ts";
import { Action, Missed, Trigger } from "../schema/trigger.ts";
import { Nothing, OfAgent } from "./agents.ts";
import { route } from "./route.ts";

/** `{type, config}` for each kind of schedule, as strict as people need it: a misspelt field is an error. */
const NewTrigger = z
  .discriminatedUnion("type", each(Schedule.options.map(({ shape: { type, ...config } }) => rule(type, config))))
  .describe("When it fires, and what it does");

function rule(type: z.ZodLiteral<Schedule["type"]>, config: z.ZodRawShape) {
  return z.strictObject({
    type,
    config: z.strictObject(config),
    action: z
      .union([z.string().trim().min(1).max(20_000), Action])
      .describe("A text to wake the agent with; or wake_agent, run_node, send_message"),
    missed: Missed.default("once"),
  });
}

function each<T>([first, ...rest]: readonly T[]): [T, ...T[]] {
  return [first!, ...rest];
}

export const triggerRoutes = {
  listTriggers: route({
    method: "GET",
    path: "/agents/{agent}/triggers",
    tag: "triggers",
    summary: "List the triggers of an agent, including ended ones",
    params: OfAgent,
    ok: 200,
    answer: z.object({ items: z.array(Trigger) }),
    errors: ["not_found"],
    tools: [
      {
        name: "trigger_list",
        title: "List triggers",
        about: "Lists what wakes an agent or one of its workers at a time or on an event, including what has ended.",
      },
    ],
  }),
  createTrigger: route({
    method: "POST",
    path: "/agents/{agent}/triggers",
    tag: "triggers",
    summary: "Set a trigger",
    about:
      "`config` by type: delayed {delay_seconds}, at_time {at}, scheduled {cron, zone?} (5 fields, or 6 with seconds first), heartbeat " +
      "{interval_seconds}, on_event {pattern, filter?}, on_idle {idle_seconds}.",
    params: OfAgent,
    body: NewTrigger,
    ok: 201,
    answer: Trigger,
    errors: ["not_found", "limit_reached", "wrong_state", "key_reused"],
    example: {
      body: { type: "scheduled", config: { cron: "30 9 * * 1-5", zone: "Europe/Berlin" }, action: "Read the news" },
    },
  }),
  pauseTrigger: route({
    method: "POST",
    path: "/agents/{agent}/triggers/{id}/pause",
    tag: "triggers",
    summary: "Pause a trigger",
    about: "It does not fire until it is enabled again (`arm`); times that pass meanwhile are not made up for.",
    params: OfAgent.extend({ id: TriggerId }),
    body: Nothing,
    ok: 200,
    answer: Trigger,
    errors: ["not_found", "wrong_state", "key_reused"],
    tools: [
      {
        name: "trigger_pause",
        title: "Pause a trigger",
        about: "Pauses a trigger: it does not fire until trigger_arm enables it again.",
        fields: { id: { as: "trigger" } },
      },
    ],
  }),
  fireTrigger: route({
    method: "POST",
    path: "/agents/{agent}/triggers/{id}/fire",
    tag: "triggers",
    summary: "Fire a trigger by hand, once",
    about: "Its own times stay as they are.",
    params: OfAgent.extend({ id: TriggerId }),
    body: Nothing,
    ok: 200,
    answer: Trigger,
    errors: ["not_found", "wrong_state", "key_reused"],
    tools: [
      {
        name: "trigger_fire",
        title: "Fire a trigger",
        about: "Fires a trigger now, once; its own times stay as they are.",
        fields: { id: { as: "trigger" } },
      },
    ],
  }),
  armTrigger: route({
    method: "POST",
    path: "/agents/{agent}/triggers/{id}/arm",
    tag: "triggers",
    summary: "Enable a trigger that is paused, or was imported with an agent",
    about: "Its schedule starts over.",
    params: OfAgent.extend({ id: TriggerId }),
    body: Nothing,
    ok: 200,
    answer: Trigger,
    errors: ["not_found", "limit_reached", "wrong_state", "key_reused"],
    tools: [
      {
        name: "trigger_arm",
        title: "Enable a trigger",
        about: "Enables a trigger that is paused; its schedule starts over.",
        fields: { id: { as: "trigger" } },
      },
    ],
  }),
  cancelTrigger: route({
    method: "DELETE",
    path: "/agents/{agent}/triggers/{id}",
    tag: "triggers",
    summary: "Cancel a trigger",
    params: OfAgent.extend({ id: TriggerId }),
    ok: 200,
    answer: Trigger,
    errors: ["not_found", "wrong_state"],
  }),
};
