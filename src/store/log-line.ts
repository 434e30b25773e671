/**
 * One event as one line of the log: `{"seq","id","ts","type","run"?,"actor","cause"?,"data","sum"}` and a newline.
 *
 * Always holds: decode(encode(event)) is the event, and encoding that again gives the same bytes. Whatever bytes come in, decode
 * answers with an event or throws a Problem. An unknown type is kept as it is: what an event's data means is not checked here, it was
 * when it was written. A log that says it has a newer meaning than this code knows is refused as `newer_version`.
 *
 * Not here: files and offsets (scan.ts), the checksum itself (checksum.ts).
 */

import { parseJson } from "../lib/json.ts";
import { type Event, events, logVersion } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { seal, unseal } from "./checksum.ts";

/** With the newline at its end. Throws `invalid` for what JSON cannot carry. */
export function encode(event: Event): string {
  return `${seal(textOf(event))}\n`;
}

/** The checksum of the event's line: with its seq it says which log, and how much of it, a snapshot or an index was made from. */
export function sumOf(event: Event): string {
  return encode(event).slice(-11, -3);
}

/** The event in bytes[start, end), which is one line without its newline. Throws `log_corrupt`, saying why, or `newer_version`. */
export function decode(bytes: Buffer, start = 0, end = bytes.length): Event {
  const text = unseal(bytes, start, end);
  const event = parse(text);
  if (!hasShape(event)) throw new Problem("log_corrupt", "it is not an event");
  event.type = sameType(event.type);
  if (event.type === "agent.created" && event.data.version > logVersion) {
    throw new Problem(
      "newer_version",
      `the log of ${event.data.agent} has version ${event.data.version}; this agiraph understands up to ${logVersion}: use a newer one`,
      { version: event.data.version, understood: logVersion },
    );
  }
  return event;
}

function textOf({ seq, id, ts, type, run, actor, cause, data }: Event): string {
  try {
    return JSON.stringify({ seq, id, ts, type, run, actor, cause, data });
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

/** One string for each type: whoever switches on it then compares places in memory and not letters, which makes a fold a fifth faster. */
const types = new Map<string, Event["type"]>(Object.keys(events).map((type) => [type, type as Event["type"]]));
const sameType = (type: Event["type"]): Event["type"] => types.get(type) ?? type;

/** The envelope only: enough for everyone behind to rely on its fields being there. */
function hasShape(value: unknown): value is Event {
  const event = value as Record<keyof Event, unknown>;
  return (
    Number.isSafeInteger(event.seq) &&
    (event.seq as number) > 0 &&
    typeof event.id === "string" &&
    typeof event.ts === "string" &&
    typeof event.type === "string" &&
    typeof event.actor === "string" &&
    typeof event.data === "object" &&
    event.data !== null
  );
}
