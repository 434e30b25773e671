/**
 * The event bus of the home: events of all agents as they become durable, and the words of answers as they are streamed. It reads no log and
 * keeps no agent open.
 *
 * Always holds: `seq` is durable, and known for every agent that was opened in this process, also while it rests. Events come in order and
 * once, but with gaps: after a failed append, what the disk kept of it is found only when the agent is opened again. Then `told` comes with
 * no events, and a watcher whose `seq` is behind reads the rest from the log.
 */
import type { Delta } from "../../loop/participant-context.ts";
import type { Event } from "../../schema/event.ts";

/** Must not throw. */
export interface Watcher {
  /** `before` is the seq that was known until now. */
  told?(agent: string, events: readonly Event[], before: number): void;
  /** Words of an answer as they come; they are never stored. */
  delta?(agent: string, delta: Delta): void;
}

export interface Watch {
  told(agent: string, events: readonly Event[]): void;
  opened(agent: string, seq: number): void;
  delta(agent: string, delta: Delta): void;
  seq(agent: string): number | undefined;
  /** Returns a function that ends it. */
  add(watcher: Watcher): () => void;
}

export function createWatch(): Watch {
  const watchers = new Set<Watcher>();
  const seqs = new Map<string, number>();
  return {
    told(agent, events) {
      const before = seqs.get(agent) ?? 0;
      seqs.set(agent, events.at(-1)!.seq);
      for (const watcher of watchers) watcher.told?.(agent, events, before);
    },
    opened(agent, seq) {
      const before = seqs.get(agent) ?? 0;
      if (seq <= before) return;
      seqs.set(agent, seq);
      for (const watcher of watchers) watcher.told?.(agent, [], before);
    },
    delta(agent, delta) {
      for (const watcher of watchers) watcher.delta?.(agent, delta);
    },
    seq: (agent) => seqs.get(agent),
    add(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
  };
}
