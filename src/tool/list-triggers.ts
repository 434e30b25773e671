import { z } from "zod";
import type { Trigger } from "../schema/trigger.ts";
import { defineTool } from "../toolkit/tool.ts";

export const listTriggers = defineTool({
  name: "list_triggers",
  about: "See the active triggers: what sets them off, what they do, when they fire next.",
  guidance: "Before you schedule something that may be there already, and now and then to cancel what is stale.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["trigger"], words: "schedule, reminders, timers, cron" },
  input: z.object({}),
  async run(_input, { state }) {
    const active = [...state().triggers.values()].filter((trigger) => trigger.status === "active");
    return active.map(lineOf).join("\n") || "There are no active triggers.";
  },
});

function lineOf(trigger: Trigger): string {
  const { type, ...config } = trigger.schedule;
  const next = trigger.status === "active" && trigger.next_at ? `; next at ${trigger.next_at}` : "";
  const saved = trigger.saved ? `, passed over ${trigger.saved} times` : "";
  return `${trigger.id}: ${type} ${JSON.stringify(config)} by ${trigger.by}${next}; fired ${trigger.fires} times${saved}; does ${JSON.stringify(trigger.action)}`;
}
