/** A trigger in words: when it fires and what it does. */
import type { Schedule } from "../../schema/schedule.ts";
import type { Action } from "../../schema/trigger.ts";
import { clock, day, duration } from "../parts/text/words.ts";

export const kinds: Record<Schedule["type"], { name: string; about: string; icon: string }> = {
  delayed: { name: "Once, after a while", about: "Counts from now", icon: "clock" },
  at_time: { name: "Once, at a time", about: "A date and a time", icon: "clock" },
  scheduled: { name: "By a calendar", about: "For example, every weekday at nine", icon: "history" },
  heartbeat: { name: "At an interval", about: "Only if something is new", icon: "wake" },
  on_event: { name: "When something happens", about: "A node ends, a message comes", icon: "bolt" },
  on_idle: { name: "When nothing happens", about: "No events for a while", icon: "snooze" },
};

export function whenOf(schedule: Schedule): string {
  switch (schedule.type) {
    case "delayed":
      return `Once, ${duration(schedule.delay_seconds * 1000)} after it was set`;
    case "at_time":
      return `Once, on ${day(schedule.at)} at ${clock(schedule.at)}`;
    case "scheduled":
      return `${calendarOf(schedule.cron)}${schedule.zone ? `, ${schedule.zone}` : ""}`;
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

const weekdays = ["Sundays", "Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"];

/** The usual patterns in words; any other as it was written. */
export function calendarOf(cron: string): string {
  const [minute = "", hour = "", date = "", month = "", weekday = "", ...more] = cron.trim().split(/\s+/);
  const plain = /^\d{1,2}$/;
  if (more.length === 0 && month === "*" && plain.test(minute)) {
    if (hour === "*" && date === "*" && weekday === "*")
      return minute === "0" ? "Every hour, on the hour" : `Every hour at minute ${Number(minute)}`;
    const at = `at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
    if (plain.test(hour) && date === "*") {
      if (weekday === "*") return `Every day ${at}`;
      if (weekday === "1-5") return `Weekdays ${at}`;
      if (/^[0-7]$/.test(weekday)) return `${weekdays[Number(weekday)]} ${at}`;
    }
    if (plain.test(hour) && plain.test(date) && weekday === "*") return `Day ${date} of every month ${at}`;
  }
  return `By the calendar ${cron}`;
}

export function thenOf(action: Action): string {
  switch (action.type) {
    case "wake_agent":
      return `Wakes the agent: ${action.text}`;
    case "run_node":
      return `Reruns ${action.node}`;
    case "send_message":
      return `Tells ${action.to}: ${action.text}`;
  }
}
