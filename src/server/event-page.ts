/**
 * Past events as pages: the cursor is the seq of the last event seen, so a page goes on exactly where the one before it ended, also after a
 * restart. Filters are as in streams: `node.*,message.posted`.
 *
 * Always holds: a page reads so many events at most, however few of them fit the filter; it may be short or empty and still have a next one.
 */
import type { Runtime } from "../runtime/runtime.ts";
import type { Event } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";

export interface EventQuery {
  limit: number;
  /** `next` of the page before, or any seq; from the beginning if missing. */
  cursor?: string | undefined;
  /** Patterns with commas between them; all if missing. */
  types?: string | undefined;
}

export interface EventPage {
  items: Event[];
  next: string | null;
}

const mostRead = 20_000;

/** Throws `invalid` for a cursor that is no seq, or one that is ahead of the agent. */
export async function eventPage(
  runtime: Runtime,
  agent: string,
  { limit, cursor, types }: EventQuery,
): Promise<EventPage> {
  const fits = typeFilter(types);
  const after = seqOf(cursor) ?? 0;
  const last = await runtime.read(agent, ({ seq }) => seq);
  assertPast(agent, after, last);
  const items: Event[] = [];
  let at = after;
  for await (const events of (await runtime.reading(agent)).events(after)) {
    for (const event of events) {
      if (items.length === limit || at - after === mostRead) return { items, next: String(at) };
      at = event.seq;
      if (fits(event.type)) items.push(event);
    }
  }
  return { items, next: null };
}

/** The seq in a cursor; undefined without one. */
export function seqOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^(0|[1-9]\d{0,14})$/.test(cursor)) return Number(cursor);
  throw new Problem("invalid", `the cursor ${JSON.stringify(cursor)} is not one of ours; it is the seq of an event`);
}

/** Nobody can have seen what did not happen: such a cursor is of another agent, or of a home that was set back. */
export function assertPast(agent: string, after: number, last: number): void {
  if (after > last)
    throw new Problem("invalid", `the cursor ${after} is ahead of ${agent}, whose last event is ${last}`, { last });
}

/** Whether a type is wanted: `node.completed`, `node.*`, `*`. Throws `invalid` for what is no pattern. */
export function typeFilter(types: string | undefined): (type: string) => boolean {
  if (types === undefined) return () => true;
  const patterns = types.split(",").map((one) => one.trim());
  const bad = patterns.find((one) => !/^(\*|[a-z_]+\.(\*|[a-z_]+))$/.test(one));
  if (bad !== undefined)
    throw new Problem("invalid", `types: ${JSON.stringify(bad)} is no pattern; use node.completed, node.* or *`);
  const wanted = new Set(patterns);
  return (type) => wanted.has("*") || wanted.has(type) || wanted.has(`${type.split(".")[0]}.*`);
}
