/**
 * Keeps the derived index behind the log, never in its way: events are taken in a little later, in batches. If the index fails or falls out
 * of step it is brought back from the log; nobody's command waits for it.
 */
import type { Clock } from "../lib/world.ts";
import type { Event } from "../schema/event.ts";
import { sumOf } from "../store/line.ts";
import { catchUp, type Index } from "../store/search.ts";
import type { Log } from "../store/store.ts";

export interface Indexing {
  touch(events: readonly Event[]): void;
  /** The index has everything that was durable when this was called. */
  ready(): Promise<void>;
}

const delayMs = 20;

export function createIndexing(options: {
  index: Index;
  agent: string;
  log: Log;
  clock: Clock;
  failed(error: unknown): void;
}): Indexing {
  const { index, agent, log, clock, failed } = options;
  let pending: Event[] = [];
  let inStep = false;
  let work: Promise<void> | undefined;

  async function drain(): Promise<void> {
    try {
      if (inStep && pending.length) {
        const events = pending;
        pending = [];
        index.apply(agent, events, sumOf(events.at(-1)!));
      } else {
        pending = [];
        await catchUp(index, agent, log);
        inStep = true;
      }
    } catch (error) {
      inStep = false;
      failed(error);
    }
  }

  const ready = (): Promise<void> => {
    work ??= drain().finally(() => {
      work = undefined;
    });
    return work;
  };

  return {
    touch(events) {
      if (pending.length === 0) clock.after(delayMs, () => void ready());
      pending.push(...events);
    },
    async ready() {
      await work;
      await ready();
    },
  };
}
