/**
 * A page of events: up to the present, never waiting for more. A page reads a limited number of events, however few of them match: it may be short,
 * or empty, and still have a next one.
 */
import type { AnyEvent } from "../../api/events.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Event } from "../../schema/event.ts";
import { damageOf, type Walk } from "./catch-up.ts";
import { stoppingProblem } from "./stopping.ts";

export interface Page<Item> {
  items: Item[];
  next: string | null;
  after: string;
}

export interface PageOptions {
  runtime: Runtime;
  agent: string;
  after: number;
  wants(type: string): boolean;
  limit: number;
  signal: AbortSignal;
}

const mostRead = 20_000;

export async function eventPage({ runtime, agent, after, wants, limit, signal }: PageOptions): Promise<Page<Event>> {
  const items: Event[] = [];
  const last = await runtime.read(agent, (state) => state.seq);
  const most = Math.min(last, after + mostRead);
  const done = () => after >= most || items.length === limit;
  if (!done())
    for await (const events of runtime.follow(agent, after, signal)) {
      for (const event of events) {
        if (done()) break;
        if (wants(event.type)) items.push(event);
        after = event.seq;
      }
      if (done()) break;
    }
  // A caller that requests the next page without a pause would never end: no more events come, and nothing else gets its turn.
  if (!done() && !signal.aborted) throw stoppingProblem();
  return { items, next: after < last ? String(after) : null, after: String(after) };
}

export async function allEventPage(options: { walk: Walk; wants(type: string): boolean; limit: number }) {
  const { walk, wants, limit } = options;
  const items: AnyEvent[] = [];
  for await (const { agent, event } of walk.steps()) {
    if (wants(event.type)) items.push({ agent, ...event });
    if (items.length === limit) break;
  }
  const after = walk.place();
  const damage = [...walk.damage()].map(([agent, problem]) => damageOf(agent, problem));
  const page: Page<AnyEvent> = { items, next: walk.there() ? null : after, after };
  return { ...page, damage };
}
