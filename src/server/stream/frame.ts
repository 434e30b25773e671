/** One event on its way to many readers: serialised once per form, however many readers there are. */
import type { Damage, WireDelta } from "../../api/events.ts";
import type { Delta } from "../../runtime/runtime.ts";
import type { Event } from "../../schema/event.ts";

/** The form of a reader: server-sent events or WebSocket frames, of one agent or of all. */
export type Form = "sse" | "sse-all" | "socket" | "socket-all";

export interface Line {
  agent: string;
  seq: number;
  type: string;
  json: string;
  /** Its cursor in the stream of all agents; empty if nobody reads that. */
  place: string;
  /** Approximate bytes of one form. */
  size: number;
  forms: Partial<Record<Form, Uint8Array>>;
}

export function lineOf(agent: string, event: Event, place = ""): Line {
  const json = JSON.stringify(event);
  return { agent, seq: event.seq, type: event.type, json, place, size: json.length + 200, forms: {} };
}

export function encodeLine(line: Line, form: Form): Uint8Array {
  const made = line.forms[form] ?? Buffer.from(worded(line, form));
  line.forms[form] = made;
  return made;
}

function worded({ agent, seq, type, json, place }: Line, form: Form): string {
  if (form === "sse") return `id: ${seq}\nevent: ${type}\ndata: ${json}\n\n`;
  if (form === "socket") return `{"type":"event","event":${json}}`;
  const whose = `{"agent":"${agent}",${json.slice(1)}`;
  if (form === "sse-all") return `id: ${place}\nevent: ${type}\ndata: ${whose}\n\n`;
  return `{"type":"event","event":${whose},"after":"${place}"}`;
}

export const isSse = (form: Form): boolean => form === "sse" || form === "sse-all";

/** Text as it is generated; both forms at once, as they are few bytes. */
export function deltaFrames(agent: string, { type: kind, text, turn, participant }: Delta): (form: Form) => Uint8Array {
  const delta: WireDelta = { agent, participant, turn, kind, text };
  const made: { sse?: Uint8Array; socket?: Uint8Array } = {};
  return (form) => {
    if (isSse(form)) made.sse ??= Buffer.from(`event: delta\ndata: ${JSON.stringify(delta)}\n\n`);
    else made.socket ??= Buffer.from(JSON.stringify({ type: "delta", ...delta }));
    return (isSse(form) ? made.sse : made.socket)!;
  };
}

export function resyncFrame(form: Form, after: string): Uint8Array {
  const said = JSON.stringify({ after });
  return Buffer.from(isSse(form) ? `event: resync\ndata: ${said}\n\n` : `{"type":"resync",${said.slice(1)}`);
}

export function damageFrame(form: Form, damage: Damage): Uint8Array {
  const said = JSON.stringify(damage);
  return Buffer.from(isSse(form) ? `event: damage\ndata: ${said}\n\n` : `{"type":"damage",${said.slice(1)}`);
}
