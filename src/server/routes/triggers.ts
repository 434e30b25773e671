/** Triggers over HTTP. */
import type { triggerRoutes } from "../../api/triggers.ts";
import { findNode } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";
import { requireParticipant } from "../../core/team/names.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { Problem } from "../../schema/problem.ts";
import type { Schedule } from "../../schema/schedule.ts";
import type { Action, Trigger } from "../../schema/trigger.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const triggerHandlers = ({ runtime }: Served): Handlers<typeof triggerRoutes> => ({
  async listTriggers({ params: { agent } }) {
    assertKnown(runtime, agent);
    return { items: await runtime.read(agent, ({ triggers }) => [...triggers.values()]) };
  },
  async createTrigger({ params: { agent }, body: { type, config, action: given, missed }, key }) {
    assertKnown(runtime, agent);
    const action = await runtime.read(agent, (state) => meant(state, given));
    const schedule = { type, ...config } as Schedule;
    const options = { actor: "human", ...(key === undefined ? {} : { key }) };
    const { made } = await runtime.send(agent, { type: "trigger.create", schedule, action, missed }, options);
    return await triggerOf(runtime, agent, made.trigger!);
  },
  pauseTrigger: ({ params: { agent, id }, key }) => change(runtime, agent, id, "trigger.disarm", key),
  fireTrigger: ({ params: { agent, id }, key }) => change(runtime, agent, id, "trigger.fire_now", key),
  armTrigger: ({ params: { agent, id }, key }) => change(runtime, agent, id, "trigger.arm", key),
  cancelTrigger: ({ params: { agent, id }, key }) => change(runtime, agent, id, "trigger.cancel", key),
});

async function change(
  runtime: Runtime,
  agent: string,
  id: string,
  type: "trigger.arm" | "trigger.cancel" | "trigger.disarm" | "trigger.fire_now",
  key: string | undefined,
): Promise<Trigger> {
  assertKnown(runtime, agent);
  await triggerOf(runtime, agent, id);
  await runtime.send(agent, { type, trigger: id }, { actor: "human", ...(key === undefined ? {} : { key }) });
  return await triggerOf(runtime, agent, id);
}

/** A plain text wakes the agent with it; nodes and participants may be named loosely. */
function meant(state: State, given: string | Action): Action {
  if (typeof given === "string") return { type: "wake_agent", text: given };
  if (given.type === "run_node") return { ...given, node: findNode(state, given.node).id };
  return given.type === "send_message" ? { ...given, to: requireParticipant(state, given.to).id } : given;
}

async function triggerOf(runtime: Runtime, agent: string, id: string): Promise<Trigger> {
  return await runtime.read(agent, ({ triggers }) => {
    const trigger = triggers.get(id);
    if (trigger) return trigger;
    throw new Problem(
      "not_found",
      `${agent} has no trigger ${id}; triggers: ${[...triggers.keys()].join(", ") || "none"}`,
    );
  });
}
