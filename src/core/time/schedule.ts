/** The times of a schedule: its first, checked when a trigger is set, and those that follow. */
import { events } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Schedule } from "../../schema/schedule.ts";
import { type Context, iso } from "../noun.ts";
import type { State } from "../state.ts";
import { cronTimes, type Next } from "./cron.ts";
import { type Active, milliseconds } from "./rate.ts";
import { matchesPattern } from "./trigger-event.ts";

const century = 3_153_600_000_000;

export function timesAfter(schedule: Schedule): Next {
  if (schedule.type === "scheduled") return cronTimes(schedule.cron, schedule.zone);
  if (schedule.type !== "heartbeat") return () => undefined;
  const interval = milliseconds(schedule.interval_seconds);
  return (at) => at + interval;
}

/** When the silence has lasted long enough; undefined while someone is working, or if this silence was already reported. */
export function idleAt(state: State, trigger: Active): string | undefined {
  if (trigger.schedule.type !== "on_idle") return undefined;
  for (const one of state.participants.values()) if (one.kind !== "human" && one.turn) return undefined;
  const since = state.active_at > trigger.created_at ? state.active_at : trigger.created_at;
  const at = iso(Date.parse(since) + milliseconds(trigger.schedule.idle_seconds));
  const last = trigger.last_fire?.slice(trigger.id.length + 1);
  return last !== undefined && at <= last ? undefined : at;
}

/** The first time of a new trigger, if it has times; throws `invalid` if it can never fire or would fire too often. */
export function firstTime(schedule: Schedule, { now, limits }: Context): number | undefined {
  const shortest = limits.shortest_interval_seconds;
  const tooOften = (what: string) => new Problem("invalid", `${what}; the minimum interval is ${shortest} s`);
  switch (schedule.type) {
    case "delayed":
      return now + milliseconds(schedule.delay_seconds);
    case "at_time": {
      const at = Date.parse(schedule.at);
      if (at > now && at - now <= century) return at;
      const why = at > now ? "is more than a hundred years away" : "is not in the future";
      throw new Problem("invalid", `${schedule.at} ${why}; it is ${iso(now)} now and a later time is needed`);
    }
    case "heartbeat":
      if (schedule.interval_seconds < shortest) throw tooOften(`every ${schedule.interval_seconds} s is too often`);
      return now + milliseconds(schedule.interval_seconds);
    case "on_idle":
      if (schedule.idle_seconds < shortest) throw tooOften(`an idle time of ${schedule.idle_seconds} s is too short`);
      return undefined;
    case "scheduled": {
      const next = cronTimes(schedule.cron, schedule.zone);
      const first = next(now);
      if (first === undefined) {
        throw new Problem(
          "invalid",
          `${JSON.stringify(schedule.cron)} never fires in the next four years; choose days that exist`,
        );
      }
      const gap = smallestGap(next, first);
      if (gap < shortest * 1000) throw tooOften(`${JSON.stringify(schedule.cron)} runs twice within ${gap / 1000} s`);
      return first;
    }
    case "on_event": {
      const wrong = patternProblem(schedule.pattern);
      if (wrong) throw new Problem("invalid", wrong);
      return undefined;
    }
  }
}

/** What is wrong with a pattern of events, if anything. */
export function patternProblem(pattern: string): string | undefined {
  const types = Object.keys(events).filter((type) => matchesPattern(type, type));
  if (types.some((type) => matchesPattern(pattern, type))) return undefined;
  return `no event type matches ${JSON.stringify(pattern)}; use a pattern such as node.*, or one of ${types.join(", ")}`;
}

/** Over the first day: hours, minutes and seconds of a pattern are the same on each of its days. */
function smallestGap(next: Next, first: number): number {
  let smallest = Number.POSITIVE_INFINITY;
  let at = first;
  for (let runs = 0; runs < 2_000 && at - first <= 86_400_000; runs++) {
    const following = next(at);
    if (following === undefined) break;
    smallest = Math.min(smallest, following - at);
    at = following;
  }
  return smallest;
}

export const hasTimes = ({ type }: Schedule): boolean => type !== "on_event" && type !== "on_idle";
