/**
 * Keeps the derived search index up to date, behind the log and never in its way: events are indexed a little later, in batches. If the index
 * fails or falls out of step it is rebuilt from the log, with exponential backoff while that fails; no command waits for it.
 *
 * Always holds while the agent is open: what the index does not have yet is either being taken in or has a timer.
 */
import type { Clock } from "../../lib/world.ts";
import type { Event } from "../../schema/event.ts";
import { catchUp, type Index } from "../../search/search.ts";
import { sumOf } from "../../store/log-line.ts";
import type { Log } from "../../store/store.ts";

export interface Indexing {
  touch(events: readonly Event[]): void;
  /** The index has everything that was durable when this was called. */
  ready(): Promise<void>;
  /** Nothing is being taken in or waits for it. */
  isIdle(): boolean;
}

const delayMs = 20;
const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

export function createIndexing(options: {
  index: Index;
  agent: string;
  log: Log;
  clock: Clock;
  /** The agent is closed: there is nothing more to read. */
  signal: AbortSignal;
  /** Told of the first failure of several in a row. */
  failed(error: unknown): void;
}): Indexing {
  const { index, agent, log, clock, signal, failed } = options;
  let pending: Event[] = [];
  let inStep = false;
  let work: Promise<void> | undefined;
  let isPlanned = false;
  let failures = 0;

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
      failures = 0;
    } catch (error) {
      inStep = false;
      if (failures++ === 0) failed(error);
    }
  }

  const ready = (): Promise<void> => {
    work ??= drain().finally(() => {
      work = undefined;
      if (failures) plan(Math.min(longestPauseMs, firstPauseMs * 2 ** (failures - 1)));
      else if (pending.length) plan(delayMs);
    });
    return work;
  };

  function plan(ms: number): void {
    if (isPlanned || signal.aborted) return;
    isPlanned = true;
    clock.after(ms, () => {
      isPlanned = false;
      if (!signal.aborted) void ready();
    });
  }

  return {
    touch(events) {
      pending.push(...events);
      if (!work) plan(delayMs);
    },
    async ready() {
      await work;
      await ready();
    },
    isIdle: () => !isPlanned && !work,
  };
}
