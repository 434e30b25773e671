/**
 * One event as one line of the log: `{"seq","id","ts","type","v"?,"run"?,"actor","cause"?,"data","sum","more"?}` and a newline.
 * `more` says that the next line was appended together with it: a log that ends there is cut off before the first of them.
 *
 * Always holds: decode(encode(event)) is the event, and encoding that again gives the same bytes. An event of an older shape is upcast to the
 * newest (schema/upcast.ts), and only the newest is encoded. For any bytes, decode returns an event or throws a Problem. An unknown type is kept:
 * data is validated when it is written, not here. A log whose version is newer than this code is refused as `newer_version`.
 *
 * Not here: files and offsets (scan.ts), the checksum itself (checksum.ts).
 */

import { parseJson } from "../lib/json/json.ts";
import { type Event, events, logVersion, upcasters } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Upcast } from "../schema/upcast.ts";
import { seal, unseal } from "./checksum.ts";
import { isSpilled } from "./large-events.ts";

/** Includes the newline. Throws `invalid` for data that JSON cannot represent. */
export function encode(event: Event): string {
  return `${seal(textOf(event))}\n`;
}

/** The lines of events that are in the log together or not at all. */
export function encodeTogether(events: readonly Event[]): string[] {
  return events.map((event, at) => `${seal(textOf(event), at < events.length - 1)}\n`);
}

/** The checksum of the event's line. With its seq it identifies the log, and how much of it, that a snapshot or an index was made from. */
export function sumOf(event: Event): string {
  return encode(event).slice(-11, -3);
}

/** Decodes the event in bytes[start, end): one line without its newline. Throws `log_corrupt` with the reason, or `newer_version`. */
export function decode(bytes: Buffer, start = 0, end = bytes.length): Event {
  const text = unseal(bytes, start, end);
  const event = parse(text);
  if (!hasShape(event)) throw new Problem("log_corrupt", "it is not an event");
  readAsNewest(event);
  if (event.type === "agent.created" && event.data.version > logVersion) {
    throw new Problem(
      "newer_version",
      `the log of ${event.data.agent} has version ${event.data.version}; this Agiraph supports up to ${logVersion}; use a newer one`,
      { version: event.data.version, understood: logVersion },
    );
  }
  return event;
}

function textOf({ seq, id, ts, type, run, actor, cause, data }: Event): string {
  const newest = kinds.get(type)?.newest ?? 1;
  const v = newest > 1 ? newest : undefined;
  try {
    return JSON.stringify({ seq, id, ts, type, v, run, actor, cause, data });
  } catch (error) {
    throw new Problem("invalid", `event ${seq} (${type}) cannot be written as JSON`, { seq, type }, { cause: error });
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Problem("log_corrupt", "it is not JSON", undefined, { cause: error });
  }
}

interface Kind {
  /** One interned string per type: a switch on it compares pointers, which makes a fold a fifth faster. */
  type: Event["type"];
  newest: number;
  steps: readonly Upcast[];
}
const kinds = new Map<string, Kind>(
  Object.keys(events).map((type) => {
    const steps = upcasters[type] ?? [];
    return [type, { type: type as Event["type"], newest: steps.length + 1, steps }];
  }),
);

/** In a line, and in memory only while its data is still in a blob. */
type Versioned = Event & { v?: number | undefined };

/** Upcasts an event that was just read. Data that is still in a blob is upcast when it is loaded. */
export function readAsNewest(event: Versioned): void {
  const kind = kinds.get(event.type);
  if (!kind) return;
  event.type = kind.type;
  const { v = 1 } = event;
  if (v > kind.newest)
    throw new Problem(
      "newer_version",
      `event ${event.seq} (${event.type}) has shape ${v}; this agiraph understands up to ${kind.newest}: use a newer one`,
      { version: v, understood: kind.newest },
    );
  if (kind.newest === 1 || isSpilled(event)) return;
  if (v < kind.newest) {
    let data: Readonly<Record<string, unknown>> = event.data;
    for (const step of kind.steps.slice(v - 1)) data = step(data);
    event.data = data as typeof event.data;
  }
  if (event.v !== undefined) event.v = undefined; // deleted fields make an object slow
}

/** Checks the envelope only: callers can rely on its fields being present. */
function hasShape(value: unknown): value is Event {
  const event = value as Record<keyof Versioned, unknown>;
  return (
    Number.isSafeInteger(event.seq) &&
    (event.seq as number) > 0 &&
    typeof event.id === "string" &&
    typeof event.ts === "string" &&
    typeof event.type === "string" &&
    (event.v === undefined || (Number.isSafeInteger(event.v) && (event.v as number) > 0)) &&
    typeof event.actor === "string" &&
    typeof event.data === "object" &&
    event.data !== null
  );
}
