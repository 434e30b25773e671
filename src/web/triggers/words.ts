/** A trigger in words: when, and what then. */
import type { Action, Schedule } from "../../schema/trigger.ts";
import { clock, day, duration } from "../parts/words.ts";

export const kinds: Record<Schedule["type"], { name: string; about: string; icon: string }> = {
  delayed: { name: "Once, after a while", about: "Counts from now", icon: "clock" },
  at_time: { name: "Once, at a time", about: "A day and an hour", icon: "clock" },
  scheduled: { name: "By a calendar", about: "Every weekday at nine, say", icon: "history" },
  heartbeat: { name: "Every so often", about: "Only if something is new", icon: "wake" },
  on_event: { name: "When something happens", about: "A node ends, a message comes", icon: "bolt" },
  on_idle: { name: "When all is quiet", about: "Nothing happened for a while", icon: "snooze" },
};

export function whenOf(schedule: Schedule): string {
  switch (schedule.type) {
    case "delayed":
      return `Once, ${duration(schedule.delay_seconds * 1000)} after it was set`;
    case "at_time":
      return `Once, on ${day(schedule.at)} at ${clock(schedule.at)}`;
    case "scheduled":
      return `By the calendar ${schedule.cron}${schedule.zone ? `, ${schedule.zone}` : ""}`;
    case "heartbeat":
      return `Every ${duration(schedule.interval_seconds * 1000)}, if something is new`;
    case "on_event": {
      const only = Object.entries(schedule.filter ?? {}).map(([key, value]) => `${key} is ${value}`);
      return `On ${schedule.pattern}${only.length ? `, if ${only.join(" and ")}` : ""}`;
    }
    case "on_idle":
      return `When nothing happened for ${duration(schedule.idle_seconds * 1000)}`;
  }
}

export function thenOf(action: Action): string {
  switch (action.type) {
    case "wake_agent":
      return `Wakes the agent: ${action.text}`;
    case "run_node":
      return `Does ${action.node} once more`;
    case "send_message":
      return `Tells ${action.to}: ${action.text}`;
  }
}
