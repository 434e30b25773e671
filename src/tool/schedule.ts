import { z } from "zod";
import { findNode } from "../core/lookup.ts";
import { requireParticipant } from "../core/team/names.ts";
import { Problem } from "../schema/problem.ts";
import { Schedule } from "../schema/schedule.ts";
import { type Action, Missed } from "../schema/trigger.ts";
import { defineTool, type ToolContext } from "../toolkit/tool.ts";

const types = ["delayed", "at_time", "scheduled", "heartbeat", "on_event", "on_idle"] as const;

/** The config of each type, as the model is told it. */
const configs: Record<(typeof types)[number], string> = {
  delayed: "{delay_seconds: number}",
  at_time: '{at: time in ISO 8601 with its zone, e.g. "2026-05-01T09:00:00+02:00"}',
  scheduled:
    '{cron: 5 fields, or 6 with seconds first, e.g. "30 9 * * 1-5"; zone?: e.g. "Europe/Berlin", UTC if missing}',
  heartbeat: "{interval_seconds: number}",
  on_event: '{pattern: e.g. "node.completed" or "node.*"; filter?: {field: value}}',
  on_idle: "{idle_seconds: number}",
};
const actions =
  'a text (wakes the agent with it), {type: "wake_agent", text}, {type: "run_node", node} or {type: "send_message", to, text}';

export const schedule = defineTool({
  name: "schedule",
  about:
    "Set a trigger that wakes the agent, reminds someone or brings up a node: at a time, again and again, or on an event.",
  guidance:
    `${types.map((type) => `${type} ${configs[type]}`).join("; ")}. Action: ${actions}. ` +
    "delayed and at_time for a reminder or a follow-up, scheduled for fixed hours, heartbeat for a look at regular intervals at your own board and files (it is passed over while nothing there is new; to watch the world outside use scheduled), on_event to react, on_idle when everything has fallen silent. " +
    "Write the action so that it can be understood without today's context. Two or three active triggers are normal; cancel those that are no longer needed. To wait for nodes, mail or an answer use the tools for that.",
  effect: "state",
  repeatable: true,
  offer: {
    when: ["infinite", "trigger"],
    words: "trigger, alarm, recurring, appointment",
    cues: "remind, reminder, timer, cron, every day, every week, every hour, every morning, every monday, daily, weekly, hourly, monthly, tomorrow, later today, in an hour, at noon, periodically, regularly, schedule, scheduled, triggers, keep watching, keep an eye",
  },
  input: z.object({
    type: z.enum(types),
    config: z
      .union([z.record(z.string(), z.unknown()), z.string()])
      .describe(types.map((type) => `${type} ${configs[type]}`).join("; ")),
    action: z.union([z.string(), z.record(z.string(), z.unknown())]).describe(actions),
    missed: Missed.optional(),
  }),
  async run({ type, config, action, missed }, context) {
    const plan = { type: "trigger.create" as const, schedule: planned(type, config), action: meant(context, action) };
    const { made } = await context.dispatch({ ...plan, ...(missed ? { missed } : {}) });
    const trigger = context.state().triggers.get(made.trigger!);
    const next = trigger?.status === "active" && trigger.next_at ? ` It fires next at ${trigger.next_at}.` : "";
    return `Scheduled as ${made.trigger}.${next}`;
  },
});

function planned(type: (typeof types)[number], config: unknown): Schedule {
  const parsed = Schedule.safeParse({ ...fields(config, `${type} takes ${configs[type]}`), type });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Problem("invalid", `config: ${issue!.path.join(".")}: ${issue!.message}; ${type} takes ${configs[type]}`);
}

function meant({ state }: ToolContext, action: unknown): Action {
  if (typeof action === "string" && !action.trim().startsWith("{")) return wake(action);
  const given = fields(action, `action is ${actions}`);
  const text = given.text ?? given.message ?? given.content ?? given.task;
  const node = given.node ?? given.node_id;
  if (given.type === "run_node" && typeof node === "string")
    return { type: "run_node", node: findNode(state(), node).id };
  if (given.type === "send_message" && typeof text === "string" && typeof given.to === "string")
    return { type: "send_message", to: requireParticipant(state(), given.to).id, text };
  if ((given.type === "wake_agent" || given.type === undefined) && typeof text === "string") return wake(text);
  throw new Problem("invalid", `the action is invalid; expected ${actions}`);
}

function wake(text: string): Action {
  if (text.trim()) return { type: "wake_agent", text };
  throw new Problem("invalid", `the action is empty; expected ${actions}`);
}

/** An object, or a text that contains one: models send both. */
function fields(given: unknown, otherwise: string): Record<string, unknown> {
  try {
    const value = typeof given === "string" ? JSON.parse(given) : given;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new Problem("invalid", `${JSON.stringify(given)} is not an object; ${otherwise}`);
}
