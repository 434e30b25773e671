/**
 * How often a trigger fires, and for whom (rate limiting).
 *
 * A heartbeat that would wake a participant skips the times at which nothing is new for it (wake-reasons.ts): it is not even due, so there is no
 * event and no call, and its next firing says how many were skipped. Firings on events have an hourly limit.
 *
 * Not here: what is recorded of a firing (trigger.ts).
 */

import type { Action, Trigger } from "../../schema/trigger.ts";
import { type Context, iso } from "../noun.ts";
import { defaultLead, lead } from "../run/lead.ts";
import type { State } from "../state.ts";
import { findParticipant } from "../team/names.ts";

export type Active = Extract<Trigger, { status: "active" }>;

/** The participant it wakes; the coordinator stands in for one that is gone. Where nobody leads, its creator is woken, else the human. */
export function wakeTarget(state: State, { action, by }: { action: Action; by: string }): string {
  const present = (name: string) => {
    const one = findParticipant(state, name);
    return one && (one.kind === "human" || !one.retired) ? one.id : undefined;
  };
  const named = action.type === "send_message" ? present(action.to) : undefined;
  if (named !== undefined) return named;
  if (!state.run) return defaultLead.id; // who will be there is not known yet
  return lead(state)?.id ?? present(by) ?? "human";
}

/** When it is due next; for a heartbeat that only checks for news, its first time since there was any. */
export function dueAt(state: State, trigger: Active): string | undefined {
  const { schedule, next_at, news } = trigger;
  if (next_at === undefined || schedule.type !== "heartbeat" || !onlyChecksForNews(state, trigger)) return next_at;
  if (news === undefined) return undefined;
  const [next, interval] = [Date.parse(next_at), milliseconds(schedule.interval_seconds)];
  return iso(next + Math.max(0, Math.ceil((Date.parse(news) - next) / interval)) * interval);
}

export function skippedFirings({ schedule, next_at }: Active, due: number): number | undefined {
  if (schedule.type !== "heartbeat" || next_at === undefined) return undefined;
  return Math.round((due - Date.parse(next_at)) / milliseconds(schedule.interval_seconds)) || undefined;
}

/** Whether each firing costs a participant a turn to look: then it fires only if there is news. */
export const onlyChecksForNews = (state: State, trigger: Pick<Active, "schedule" | "action" | "by">): boolean =>
  trigger.schedule.type === "heartbeat" && trigger.action.type !== "run_node" && wakeTarget(state, trigger) !== "human";

/** The next time of such a heartbeat, whether or not it will fire: when to check the files that people edit. */
export function nextLook(state: State, now: number): number | undefined {
  if (state.agent?.status !== "active") return undefined;
  const times = activeTriggers(state).flatMap((trigger) => {
    const { schedule, next_at } = trigger;
    if (schedule.type !== "heartbeat" || next_at === undefined || !onlyChecksForNews(state, trigger)) return [];
    const [next, interval] = [Date.parse(next_at), milliseconds(schedule.interval_seconds)];
    return [next + Math.max(0, Math.floor((now - next) / interval) + 1) * interval];
  });
  return times.length ? Math.min(...times) : undefined;
}

const rateOver = 3_600_000;

export function isTooOften({ rate }: Active, now: number, limits: Context["limits"]): boolean {
  const since = rate ? now - Date.parse(rate.from) : -1;
  return rate !== undefined && since >= 0 && since < rateOver && rate.fires >= limits.event_fires_per_hour;
}

export function rateAfter({ schedule, rate }: Active, ts: string): Pick<Active, "rate"> {
  if (schedule.type !== "on_event") return {};
  const since = rate ? Date.parse(ts) - Date.parse(rate.from) : -1;
  return { rate: rate && since >= 0 && since < rateOver ? { ...rate, fires: rate.fires + 1 } : { from: ts, fires: 1 } };
}

export const addSkipped = ({ saved = 0 }: Active, skipped: number | undefined): Pick<Active, "saved"> =>
  skipped ? { saved: saved + skipped } : {};

export const activeTriggers = (state: State): Active[] =>
  [...state.triggers.values()].filter((trigger) => trigger.status === "active");

export const milliseconds = (seconds: number): number => Math.round(seconds * 1000);
