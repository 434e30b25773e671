/**
 * The events of one agent as a stream that can be resumed: exactly the durable events after a seq, each once, in order, without end.
 * A reader that is up to date is given the events as they were appended. One that lags is served from the log, so nothing is buffered for it; only
 * the last batch is kept, for all. Readers must not change what they are given: the state has it, too.
 */
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Log } from "../../store/store.ts";

export interface Streams {
  /** These are durable, and follow those of the last time. */
  told(events: Event[]): void;
  follow(after: number, signal?: AbortSignal): AsyncGenerator<Event[], void, void>;
  /** The durable events after a seq, up to what is there now. */
  past(after: number): AsyncGenerator<Event[], void, void>;
  /** How many are reading. */
  followers(): number;
}

export function createStreams(log: Log): Streams {
  const waiting = new Set<() => void>();
  let last: Event[] = [];
  let followers = 0;

  async function* counted(events: AsyncGenerator<Event[], void, void>): AsyncGenerator<Event[], void, void> {
    followers++;
    try {
      yield* events;
    } finally {
      followers--;
    }
  }

  return {
    followers: () => followers,
    told(events) {
      last = events;
      for (const go of waiting) go();
      waiting.clear();
    },
    follow: (after, signal) => counted(follow(after, signal)),
    past: (after) => counted(past(after)),
  };

  /** What the last batch has of the events after a seq; nothing if there are others between. */
  function lastAfter(after: number): Event[] {
    const [first] = last;
    if (!first || first.seq > after + 1 || last.at(-1)!.seq <= after) return [];
    return first.seq === after + 1 ? last : last.filter((event) => event.seq > after);
  }

  async function* past(after: number): AsyncGenerator<Event[], void, void> {
    for await (const events of log.read(after)) {
      const fresh = events.filter((event) => event.seq > after);
      if (fresh.length) yield fresh;
    }
  }

  async function* follow(after: number, signal?: AbortSignal): AsyncGenerator<Event[], void, void> {
    let wake: () => void = () => undefined;
    signal?.addEventListener("abort", () => wake(), { once: true });
    while (!signal?.aborted) {
      const next = lastAfter(after);
      if (next.length) {
        after = next.at(-1)!.seq;
        yield next;
        continue;
      }
      let shut = false;
      try {
        if (log.seq > after)
          for await (const events of log.read(after)) {
            const fresh = events.filter((event) => event.seq > after);
            if (fresh.length === 0) continue;
            after = fresh.at(-1)!.seq;
            yield fresh;
            if (signal?.aborted) return;
          }
      } catch (error) {
        // A failed append closes the log a moment before the agent, and the signal, know of it.
        shut = signal !== undefined && error instanceof Problem && error.code === "closed";
        if (!shut && !signal?.aborted) throw error;
      }
      // Looked again after arming, so an event between reading and waiting is not missed.
      const news = new Promise<void>((resolve) => {
        waiting.add(resolve);
        wake = resolve;
      });
      if (!shut && log.seq > after) continue;
      if (!signal?.aborted) await news;
    }
  }
}
