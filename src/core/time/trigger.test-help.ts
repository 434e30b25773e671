/** Triggers for tests: one that is set, what it did, and the time that passes. */
import type { Schedule } from "../../schema/schedule.ts";
import type { Trigger } from "../../schema/trigger.ts";
import { start, type World } from "../core.test-help.ts";

export const wake = { type: "wake_agent", text: "look" } as const;
export const tellPeople = { type: "send_message", to: "human", text: "look" } as const;
export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

export function create(schedule: Schedule, missed: Trigger["missed"] = "once", world = start()) {
  // A heartbeat that tells people something fires at every time; one that wakes someone only if there is news.
  const action = schedule.type === "heartbeat" ? tellPeople : wake;
  world.tell({ type: "trigger.create", schedule, action, missed }, "coordinator");
  return world;
}

export function resume(world: World) {
  world.append({ type: "agent.resumed", data: {} });
  world.settle();
}

export const iso = (at: number) => new Date(at).toISOString();
export const t1 = (world: World) => world.state.triggers.get("t1")!;
export const nextAt = (world: World) => {
  const trigger = t1(world);
  return trigger.status === "active" ? trigger.next_at : undefined;
};
export const at = (world: World, now: number) => {
  world.now = now;
  return world.tick();
};
export const fires = (world: World) => world.all("trigger.fired").map(({ data }) => data.fire);
export const facts = (world: World) =>
  world.log.filter(({ type }) => type === "trigger.fired" || type === "trigger.missed").map(({ data }) => data);
export const heartbeat = (interval_seconds: number): Schedule => ({ type: "heartbeat", interval_seconds });

/** Some data of an event, made from its schema. */
export function sample(schema: unknown): unknown {
  const { type, properties = {}, required = [], anyOf, oneOf, ...more } = schema as JsonSchema;
  if (more.const !== undefined) return more.const;
  if (more.enum) return more.enum[0];
  const choice = anyOf ?? oneOf;
  if (choice) return sample(choice[0]);
  if (type === "object") return Object.fromEntries(required.map((name) => [name, sample(properties[name])]));
  return { array: [], string: "x1", integer: 1, number: 1, boolean: true }[type as "string"];
}

export interface JsonSchema {
  type?: string;
  properties?: Record<string, unknown>;
  required?: string[];
  anyOf?: unknown[];
  oneOf?: unknown[];
  const?: unknown;
  enum?: unknown[];
}
