/**
 * The state of one agent, kept up to date by the core's own reducers from its events: what a user interface draws from. There is no polling, and no
 * other source of truth.
 *
 * The past comes in pages, new events as a stream. `state` is edited in place as the core does; its values are replaced and never edited.
 */
import { reduce } from "../core/reduce.ts";
import { emptyState, type State } from "../core/state.ts";
import type { Event } from "../schema/event.ts";
import type { EventsOptions, Happened } from "./events.ts";

export interface Fold {
  state(): State;
  /** Resolves when the past is folded; rejects with the reason if it cannot be. */
  ready: Promise<void>;
  /** Called after every event, and while the past is read after every page. Returns a function that unsubscribes. */
  subscribe(changed: (state: State, event: Event) => void): () => void;
  /** Resolves when it was closed; rejects if it cannot be kept up to date any more. */
  done: Promise<void>;
  close(): void;
}

export interface FoldOptions extends Pick<EventsOptions, "deltas" | "connected" | "signal"> {
  agent: string;
  /** The state to resume from, e.g. a stored one; from the beginning if missing. It is edited. */
  state?: State;
}

export interface Source {
  page(agent: string, after: number): Promise<{ items: Event[]; next: string | null }>;
  events(options: EventsOptions): AsyncGenerator<Happened, void, void>;
}

export function createFold({ page, events }: Source, options: FoldOptions): Fold {
  const { agent, signal, state = emptyState(), ...rest } = options;
  const listeners = new Set<(state: State, event: Event) => void>();
  const ending = new AbortController();
  const close = () => ending.abort();
  signal?.addEventListener("abort", close);
  if (signal?.aborted) close();

  function tell(event: Event | undefined): void {
    if (event) for (const changed of listeners) changed(state, event);
  }

  async function past(): Promise<void> {
    for (let next: string | null = ""; next !== null && !ending.signal.aborted; ) {
      const { items, next: further } = await page(agent, state.seq);
      for (const event of items) reduce(state, event);
      tell(items.at(-1));
      next = further;
    }
  }

  async function keep(): Promise<void> {
    await ready;
    for await (const { event } of events({ ...rest, agent, after: state.seq, signal: ending.signal })) {
      reduce(state, event);
      tell(event);
    }
  }

  const ready = past();
  const done = keep().finally(() => signal?.removeEventListener("abort", close));
  done.catch(() => undefined);
  return {
    state: () => state,
    ready,
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    done,
    close,
  };
}
