/** Triggers from the command line: list, set, arm, cancel. */

import { shellLine } from "../../lib/command-line.ts";
import { Problem } from "../../schema/problem.ts";
import type { Trigger } from "../../schema/trigger.ts";
import { table } from "../terminal/table.ts";
import { clean } from "../terminal/text.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

export async function listTriggers(shell: Shell, wanted: string | undefined): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const { items } = await shell.client.listTriggers({ params: { agent } });
  show(shell, items, () => {
    if (items.length === 0)
      return [
        `${agent} has no triggers. Set one: ${shellLine(`triggers ${agent} --cron "30 9 * * 1-5" --wake "Read the news"`)}`,
      ];
    const rows = items.map((one) => [one.id, one.status, scheduleText(one), actionText(one)]);
    const columns = [{ title: "id" }, { title: "status" }, { title: "when" }, { title: "then", wide: true }];
    const [head, ...lines] = table(columns, rows, shell.terminal.width());
    return [shell.terminal.colors.dim(head!), ...lines];
  });
}

export function scheduleText({ schedule }: Pick<Trigger, "schedule">): string {
  const { type, ...config } = schedule;
  return `${type} ${Object.values(config)
    .filter((value) => typeof value !== "object")
    .join(" ")}`;
}

export function actionText({ action }: Pick<Trigger, "action">): string {
  const { type, ...rest } = action;
  return clean(`${type.replaceAll("_", " ")}: ${Object.values(rest).map(String).join(" ")}`);
}

export interface NewTrigger {
  cron?: string;
  zone?: string;
  at?: string;
  in?: number;
  every?: number;
  on?: string;
  idle?: number;
  wake: string;
}

export async function setTrigger(shell: Shell, wanted: string, given: NewTrigger): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const trigger = await shell.client.createTrigger({
    params: { agent },
    body: { ...scheduleOf(given), action: given.wake } as never,
  });
  show(shell, trigger, () => [`Set ${trigger.id}: ${scheduleText(trigger)}.`]);
}

function scheduleOf({ cron, zone, at, in: delay, every, on, idle }: NewTrigger): { type: string; config: object } {
  const wishes = [
    cron && { type: "scheduled", config: { cron, ...(zone ? { zone } : {}) } },
    at && { type: "at_time", config: { at: new Date(at).toISOString() } },
    delay && { type: "delayed", config: { delay_seconds: delay } },
    every && { type: "heartbeat", config: { interval_seconds: every } },
    on && { type: "on_event", config: { pattern: on } },
    idle && { type: "on_idle", config: { idle_seconds: idle } },
  ].filter((one) => one !== undefined && one !== "" && one !== 0) as { type: string; config: object }[];
  if (wishes.length === 1) return wishes[0]!;
  throw new Problem("invalid", "give exactly one of --cron, --at, --in, --every, --on and --idle");
}

export async function armTrigger(shell: Shell, wanted: string, id: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const trigger = await shell.client.armTrigger({ params: { agent, id } });
  show(shell, trigger, () => [`Enabled ${id}: ${scheduleText(trigger)}.`]);
}

export async function pauseTrigger(shell: Shell, wanted: string, id: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const trigger = await shell.client.pauseTrigger({ params: { agent, id } });
  show(shell, trigger, () => [`Paused ${id}. Resume it: ${shellLine(`triggers ${agent} --arm ${id}`)}`]);
}

export async function fireTrigger(shell: Shell, wanted: string, id: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const trigger = await shell.client.fireTrigger({ params: { agent, id } });
  show(shell, trigger, () => [`Fired ${id}.`]);
}

export async function cancelTrigger(shell: Shell, wanted: string, id: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const trigger = await shell.client.cancelTrigger({ params: { agent, id } });
  show(shell, trigger, () => [`Cancelled ${id}.`]);
}
