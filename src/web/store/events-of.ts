/** All events of some types of an agent, also of earlier runs: read once, then followed. For what is rare; the thread and the timeline read otherwise. */
import { useEffect, useState } from "react";
import { createFilter } from "../../api/events.ts";
import type { Client } from "../../client/index.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { useClient, useLink, useStore } from "./hooks.ts";

export interface EventsOf {
  /** In order; a new array when one came. */
  events: readonly Event[];
  status: "loading" | "ready" | "failed";
  problem?: Problem;
}

const atOnce = 1000;
const nothing: EventsOf = { events: [], status: "loading" };

/** `types` as in the API: `proposal.*,question.answered`. */
export function useEventsOf(agent: string, types: string): EventsOf {
  const client = useClient();
  const store = useStore();
  const isLive = useLink().status === "live";
  const [found, setFound] = useState<{ of: string; all: EventsOf }>({ of: "", all: nothing });
  const of = `${agent} ${types}`;
  useEffect(() => {
    if (!isLive) return;
    const ending = new AbortController();
    const isWanted = createFilter(types);
    const add = (events: readonly Event[]) =>
      setFound((before) => ({
        of,
        all: { events: after(before.of === of ? before.all.events : [], events), status: "ready" },
      }));
    // What comes while the rest is read is added twice, and counts once.
    const unsubscribe = store.onEvent((id, event) => {
      if (id === agent && isWanted(event.type)) add([event]);
    });
    readAll(client, agent, types, ending.signal)
      .then(add)
      .catch((error) => {
        if (ending.signal.aborted) return;
        const problem = error instanceof Problem ? error : new Problem("invalid", String(error));
        setFound((before) => ({
          of,
          all: { events: before.of === of ? before.all.events : [], status: "failed", problem },
        }));
      });
    return () => {
      ending.abort();
      unsubscribe();
    };
    // Again when the line is back: something may have been missed.
  }, [client, store, agent, types, of, isLive]);
  return found.of === of ? found.all : nothing;
}

async function readAll(client: Client, agent: string, types: string, signal: AbortSignal): Promise<Event[]> {
  const events: Event[] = [];
  for (let cursor = "0"; ; ) {
    const query = { after: cursor, types, limit: atOnce };
    const { items, after: next } = await client.listEvents({ params: { agent }, query, signal });
    events.push(...(items as Event[]));
    if (items.length < atOnce) return events;
    cursor = next;
  }
}

function after(known: readonly Event[], more: readonly Event[]): readonly Event[] {
  const last = known.at(-1)?.seq ?? 0;
  if (more.every(({ seq }) => seq > last)) return more.length ? [...known, ...more] : known;
  const all = new Map([...known, ...more].map((event) => [event.seq, event]));
  return [...all.values()].sort((a, b) => a.seq - b.seq);
}
