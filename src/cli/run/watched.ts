/**
 * An agent as a view sees it, wherever it runs. What becomes known within a moment is given as one batch, as it was decided: a view that
 * looks at every single event would see states that nobody ever was in.
 */
import { fromFrozenState } from "../../api/state.ts";
import type { Client, WireDelta } from "../../client/index.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";

/** Words of an answer as they come. */
export interface Heard {
  type: "text" | "thought";
  text: string;
  turn: string;
  participant: string;
}

export interface Watched {
  /** As it is now, for whoever does not fold it from its first event. */
  state(): Promise<State>;
  /** The durable events after a seq, each once, without end. */
  follow(after: number, signal: AbortSignal): AsyncIterable<Event[]>;
  /** Returns a function that ends it. */
  listen(hear: (heard: Heard) => void): () => void;
  /** What the human says; for whom, its first words tell. */
  post(text: string): Promise<unknown>;
  answer(question: string, text: string): Promise<unknown>;
  pause(): Promise<unknown>;
  stop(): Promise<unknown>;
}

const momentMs = 25;

export function createWatched(client: Client, agent: string): Watched {
  const hearers = new Set<(heard: Heard) => void>();
  const params = { agent };

  async function* follow(after: number, signal: AbortSignal): AsyncGenerator<Event[]> {
    const waiting: Event[] = [];
    let wake: () => void = () => undefined;
    let failed: { error: unknown } | undefined;
    let over = false;
    const left = new AbortController(); // whoever does not want more takes no more
    const deltas = ({ kind: type, text, turn, participant }: WireDelta) => {
      for (const hear of hearers) hear({ type, text, turn, participant });
    };
    const reading = (async () => {
      for await (const { event } of client.events({
        agent,
        after,
        signal: AbortSignal.any([signal, left.signal]),
        deltas,
      })) {
        waiting.push(event);
        wake();
      }
    })()
      .catch((error) => {
        failed = { error };
      })
      .finally(() => {
        over = true;
        wake();
      });
    try {
      while (!over || waiting.length) {
        if (waiting.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        for (let seen = -1; seen !== waiting.length && !over; ) {
          seen = waiting.length;
          await new Promise((resolve) => setTimeout(resolve, momentMs));
        }
        if (waiting.length) yield waiting.splice(0);
      }
    } finally {
      left.abort();
      await reading;
    }
    if (failed && !signal.aborted) throw failed.error;
  }

  return {
    state: async () => fromFrozenState(await client.getState({ params })),
    follow,
    listen(hear) {
      hearers.add(hear);
      return () => void hearers.delete(hear);
    },
    post: (message) => client.send({ params, body: { message } }),
    answer: (question_id, response) => client.respond({ params, body: { question_id, response } }),
    pause: () => client.pauseAgent({ params }),
    stop: () => client.stopAgent({ params }),
  };
}
