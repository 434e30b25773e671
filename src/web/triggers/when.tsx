/** The fields of each kind of trigger, and the schedule they mean. */

import type { Schedule } from "../../schema/schedule.ts";
import { Field } from "../parts/controls/field.tsx";

export interface Draft {
  amount: string;
  unit: "60" | "3600" | "86400";
  at: string;
  cron: string;
  zone: string;
  pattern: string;
  filter: string;
}

export const emptyDraft: Draft = {
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
  ["0 * * * *", "Every hour, on the hour"],
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
      return good ? { type, delay_seconds: seconds } : "Enter how long";
    case "heartbeat":
      return good ? { type, interval_seconds: seconds } : "Enter how often";
    case "on_idle":
      return good ? { type, idle_seconds: seconds } : "Enter how long";
    case "at_time": {
      const ms = Date.parse(draft.at);
      return Number.isNaN(ms) ? "Enter a time" : { type, at: new Date(ms).toISOString() };
    }
    case "scheduled": {
      if (![5, 6].includes(draft.cron.trim().split(/\s+/).length)) return "A calendar has five fields";
      return { type, cron: draft.cron.trim(), ...(draft.zone ? { zone: draft.zone } : {}) };
    }
    case "on_event": {
      if (!draft.pattern.trim()) return "Enter an event";
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
      <Field label="At">
        <input
          className="form-input"
          type="datetime-local"
          value={draft.at}
          onChange={({ target }) => set({ at: target.value })}
        />
        <small>In this browser's time zone.</small>
      </Field>
    );
  if (type === "scheduled")
    return (
      <>
        <div className="form-row">
          <Field label="Calendar">
            <input
              className="form-input mono"
              value={draft.cron}
              onChange={({ target }) => set({ cron: target.value })}
            />
          </Field>
          <Field label="Presets">
            <select className="form-input" value={draft.cron} onChange={({ target }) => set({ cron: target.value })}>
              {calendars.some(([cron]) => cron === draft.cron) ? null : <option value={draft.cron}>Your own</option>}
              {calendars.map(([cron, words]) => (
                <option key={cron} value={cron}>
                  {words}
                </option>
              ))}
            </select>
          </Field>
        </div>
        <Field label="Time zone">
          <input className="form-input" value={draft.zone} onChange={({ target }) => set({ zone: target.value })} />
          <small>Minute, hour, day of the month, month, day of the week (1 is Monday).</small>
        </Field>
      </>
    );
  if (type === "on_event")
    return (
      <>
        <Field label="What happens">
          <input
            className="form-input mono"
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
        </Field>
        <Field label="Only if">
          <input
            className="form-input mono"
            placeholder="node=n1-first"
            value={draft.filter}
            onChange={({ target }) => set({ filter: target.value })}
          />
          <small>Fields of the event, with commas between; emptyDraft for all.</small>
        </Field>
      </>
    );
  const words = { delayed: "After", heartbeat: "Every", on_idle: "Quiet for" };
  return (
    <>
      <div className="form-row">
        <Field label={words[type]}>
          <input
            className="form-input num"
            inputMode="decimal"
            value={draft.amount}
            onChange={({ target }) => set({ amount: target.value })}
          />
        </Field>
        <Field label="Unit">
          <select
            className="form-input"
            value={draft.unit}
            onChange={({ target }) => set({ unit: target.value as Draft["unit"] })}
          >
            <option value="60">minutes</option>
            <option value="3600">hours</option>
            <option value="86400">days</option>
          </select>
        </Field>
      </div>
      {type === "heartbeat" ? (
        <p className="dim small">If nothing is new, nobody is woken and it costs nothing.</p>
      ) : null}
    </>
  );
}
