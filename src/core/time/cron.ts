/**
 * The times of a cron pattern in a time zone (default UTC).
 *
 * Fixed hours follow the wall clock: a time in the hour skipped in spring (DST) runs once at the first valid instant after it; a time in the hour
 * repeated in autumn runs the first time only. Patterns of every hour of every day follow real time, so that "every 20 minutes" has no gap and no
 * burst on such nights. `next` is always later than its argument, and looks at most four years ahead.
 *
 * croner parses patterns and walks the calendar, but only in UTC: in a zone, inside a repeated hour, it may return a time in the past.
 */
import { Cron } from "croner";
import { attempt } from "../../lib/attempt.ts";
import { Problem } from "../../schema/problem.ts";

export type Next = (after: number) => number | undefined;

const hour = 3_600_000;
/** Longer than any offset plus any shift, shorter than the time between two shifts. */
const near = 26 * hour;
const farthest = (4 * 365 + 2) * 24 * hour;
const allowed =
  "allowed are 5 fields (minute hour day month weekday), 6 with seconds first, or @hourly @daily @weekly @monthly @yearly, e.g. 30 9 * * 1-5";

/** Returns a function that gives the next time after another one. Throws `invalid` for an unreadable pattern or zone. */
export function cronTimes(pattern: string, zone = "UTC"): Next {
  const wall = wallTimes(pattern);
  const offset = offsets(zone);
  const next = isEveryHour(pattern) ? byRealTime(wall, offset) : byWallClock(wall, offset);
  return (after) => {
    const at = next(after);
    return at !== undefined && at - after <= farthest ? at : undefined;
  };
}

/** Local time minus UTC at an instant, in milliseconds. */
type Offset = (at: number) => number;

function byRealTime(wall: Next, offset: Offset): Next {
  return (after) => {
    const at = wall(after + offset(after));
    return at === undefined ? undefined : at - offset(after);
  };
}

function byWallClock(wall: Next, offset: Offset): Next {
  /** The latest time the wall clock has shown until then: it stands still while an hour is repeated. */
  const shown = (at: number): number => {
    const before = offset(at - near);
    const now = offset(at);
    return before > now ? Math.max(at + now, shift(offset, at - near, at) + before - 1) : at + now;
  };
  /** The first instant at which the wall clock shows this time or a later one. */
  const instant = (time: number): number => {
    const before = offset(time - near);
    const after = offset(time + near);
    if (before === after) return time - before;
    const at = shift(offset, time - near, time + near);
    return time < at + before ? time - before : Math.max(at, time - after);
  };
  return (after) => {
    const time = wall(shown(after));
    return time === undefined ? undefined : instant(time);
  };
}

/** The first instant with the offset that holds at `late`, given that another one holds at `early`. */
function shift(offset: Offset, early: number, late: number): number {
  const after = offset(late);
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offset(middle) === after) late = middle;
    else early = middle;
  }
  return late;
}

/** The times of the pattern, as if the wall clock were UTC. `?` would mean the time of parsing, and a date is not a pattern: both are refused. */
function wallTimes(pattern: string): Next {
  if (pattern.includes("?") || !/^(@[a-z]+|\S+(\s+\S+){4,5})$/i.test(pattern.trim())) {
    throw new Problem("invalid", `${JSON.stringify(pattern)} is not a cron expression; ${allowed}`);
  }
  const cron = attempt(() => new Cron(pattern.trim(), { utcOffset: 0, paused: true, mode: "5-or-6-parts" }));
  if (!cron.error) return (after) => cron.value.nextRun(new Date(after))?.getTime();
  const why = cron.error.message.replace(/^CronPattern: /, "");
  throw new Problem("invalid", `${JSON.stringify(pattern)} is not a cron expression: ${why}; ${allowed}`);
}

function isEveryHour(pattern: string): boolean {
  const fields = pattern.trim().toLowerCase().split(/\s+/);
  return fields[0] === "@hourly" || (fields.length >= 5 && fields.slice(-4).every((field) => field === "*"));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function offsets(zone: string): Offset {
  const format = formats.get(zone) ?? formatOf(zone);
  formats.set(zone, format);
  return (at) => {
    const [, sign, hours = "0", minutes = "0", seconds = "0"] =
      /GMT(?:([+-])(\d+):(\d+)(?::(\d+))?)?$/.exec(format.format(at)) ?? [];
    return (sign === "-" ? -1000 : 1000) * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
  };
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const format = attempt(() => new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" }));
  if (!format.error) return format.value;
  throw new Problem(
    "invalid",
    `${JSON.stringify(zone)} is not a known time zone; use an IANA name such as UTC or Europe/Berlin`,
  );
}
