/** The fields of each kind of trigger, and the schedule they mean. */
import type { Schedule } from "../../schema/trigger.ts";

export interface Draft {
  amount: string;
  unit: "60" | "3600" | "86400";
  at: string;
  cron: string;
  zone: string;
  pattern: string;
  filter: string;
}

export const empty: Draft = {
  amount: "30",
  unit: "60",
  at: "",
  cron: "0 9 * * 1-5",
  zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  pattern: "node.completed",
  filter: "",
};

const calendars: [string, string][] = [
  ["0 9 * * 1-5", "Weekdays at 09:00"],
  ["0 9 * * *", "Every day at 09:00"],
  ["0 * * * *", "Every full hour"],
  ["0 18 * * 5", "Fridays at 18:00"],
  ["0 9 1 * *", "The first of the month at 09:00"],
];
const happenings = [
  "node.completed",
  "node.failed",
  "node.created",
  "message.posted",
  "document.written",
  "question.asked",
  "memory.written",
  "run.completed",
  "node.*",
];

/** A text says what is missing. */
export function scheduleOf(type: Schedule["type"], draft: Draft): Schedule | string {
  const seconds = Number(draft.amount) * Number(draft.unit);
  const good = seconds > 0 && Number.isFinite(seconds);
  switch (type) {
    case "delayed":
      return good ? { type, delay_seconds: seconds } : "Say how long";
    case "heartbeat":
      return good ? { type, interval_seconds: seconds } : "Say how often";
    case "on_idle":
      return good ? { type, idle_seconds: seconds } : "Say how long";
    case "at_time": {
      const ms = Date.parse(draft.at);
      return Number.isNaN(ms) ? "Say at which time" : { type, at: new Date(ms).toISOString() };
    }
    case "scheduled": {
      if (![5, 6].includes(draft.cron.trim().split(/\s+/).length)) return "A calendar has five fields";
      return { type, cron: draft.cron.trim(), ...(draft.zone ? { zone: draft.zone } : {}) };
    }
    case "on_event": {
      if (!draft.pattern.trim()) return "Say what must happen";
      const pairs = draft.filter.split(",").filter((one) => one.trim());
      if (pairs.some((one) => !/^[^=]+=[^=]+$/.test(one))) return "Write a filter like node=n1-first";
      const filter = Object.fromEntries(
        pairs.map((one) => one.split("=").map((side) => side.trim()) as [string, string]),
      );
      return { type, pattern: draft.pattern.trim(), ...(pairs.length ? { filter } : {}) };
    }
  }
}

interface Given {
  type: Schedule["type"];
  draft: Draft;
  change(draft: Draft): void;
}

export function When({ type, draft, change }: Given) {
  const set = (part: Partial<Draft>) => change({ ...draft, ...part });
  if (type === "at_time")
    return (
      <label className="fld">
        <span>At</span>
        <input
          className="inp"
          type="datetime-local"
          value={draft.at}
          onChange={({ target }) => set({ at: target.value })}
        />
        <small>By the clock of this browser.</small>
      </label>
    );
  if (type === "scheduled")
    return (
      <>
        <div className="form-r">
          <label className="fld">
            <span>Calendar</span>
            <input className="inp mono" value={draft.cron} onChange={({ target }) => set({ cron: target.value })} />
          </label>
          <label className="fld">
            <span>Usual ones</span>
            <select className="inp" value={draft.cron} onChange={({ target }) => set({ cron: target.value })}>
              {calendars.some(([cron]) => cron === draft.cron) ? null : <option value={draft.cron}>Your own</option>}
              {calendars.map(([cron, words]) => (
                <option key={cron} value={cron}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        </div>
        <label className="fld">
          <span>Time zone</span>
          <input className="inp" value={draft.zone} onChange={({ target }) => set({ zone: target.value })} />
          <small>Minute, hour, day of the month, month, day of the week (1 is Monday).</small>
        </label>
      </>
    );
  if (type === "on_event")
    return (
      <>
        <label className="fld">
          <span>What happens</span>
          <input
            className="inp mono"
            list="happenings"
            value={draft.pattern}
            onChange={({ target }) => set({ pattern: target.value })}
          />
          <datalist id="happenings">
            {happenings.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <small>The name of an event; node.* is any of a node.</small>
        </label>
        <label className="fld">
          <span>Only if</span>
          <input
            className="inp mono"
            placeholder="node=n1-first"
            value={draft.filter}
            onChange={({ target }) => set({ filter: target.value })}
          />
          <small>Fields of the event, with commas between; empty for all.</small>
        </label>
      </>
    );
  const words = { delayed: "After", heartbeat: "Every", on_idle: "Quiet for" };
  return (
    <>
      <div className="form-r">
        <label className="fld">
          <span>{words[type]}</span>
          <input
            className="inp num"
            inputMode="decimal"
            value={draft.amount}
            onChange={({ target }) => set({ amount: target.value })}
          />
        </label>
        <label className="fld">
          <span>Unit</span>
          <select
            className="inp"
            value={draft.unit}
            onChange={({ target }) => set({ unit: target.value as Draft["unit"] })}
          >
            <option value="60">minutes</option>
            <option value="3600">hours</option>
            <option value="86400">days</option>
          </select>
        </label>
      </div>
      {type === "heartbeat" ? (
        <p className="dim text-12">A time at which nothing is new wakes nobody and costs nothing.</p>
      ) : null}
    </>
  );
}
