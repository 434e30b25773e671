/**
 * From a cursor to the present, agent by agent: the events that a reader of all agents has not seen, each with the cursor after it.
 *
 * First to the base of new cursors, in the order of the agents' names, then on from there (cursor.ts says why). An interrupted walk resumes at the
 * cursor of its last event, also after a restart of the daemon.
 */
import type { Runtime } from "../../runtime/runtime.ts";
import type { Event } from "../../schema/event.ts";
import { type Base, type Place, placeOf } from "./cursor.ts";

export interface WalkOptions {
  runtime: Runtime;
  /** The base of new cursors. */
  base(): Base;
  headOf(agent: string): number | undefined;
  signal?: AbortSignal | undefined;
}

export interface Walk {
  steps(): AsyncGenerator<{ agent: string; event: Event; place: string }, void, void>;
  /** Its position at an agent. */
  at(agent: string): number;
  place(): string;
  /** Nothing is left, as of now. */
  there(): boolean;
}

export function createWalk({ from, way, text }: Place, options: WalkOptions): Walk {
  const { runtime, base, headOf, signal } = options;
  const at = new Map(from);
  let place = text;
  /** Where `at` differs from the base, once it has got there. */
  let ahead = new Map<string, number>();
  let reached: Base | undefined;

  const seqAt = (agent: string): number => at.get(agent) ?? 0;

  async function* read(agent: string, wanted: number): AsyncGenerator<Event, void, void> {
    // An agent that cannot be opened is skipped: its error must not affect the others. And events that the log no longer has are not waited for.
    const to = Math.min(wanted, runtime.seq(agent) ?? 0);
    if (to <= seqAt(agent)) return;
    for await (const events of runtime.follow(agent, seqAt(agent), signal)) {
      for (const event of events) {
        if (event.seq > to) return;
        at.set(agent, event.seq);
        yield event;
      }
      if (seqAt(agent) >= to) return;
    }
  }

  async function* toBase(origin: string, to: Base, first = ""): ReturnType<Walk["steps"]> {
    for (const agent of [...to.vector.keys()].sort()) {
      const target = to.vector.get(agent)!;
      if (agent < first || target <= seqAt(agent)) continue;
      for await (const event of read(agent, target)) {
        place = `${origin}>${to.name}>${agent}.${event.seq}`;
        yield { agent, event, place };
      }
    }
    arrive(to);
  }

  function arrive(to: Base): void {
    reached = to;
    ahead = new Map();
    for (const [agent, seq] of at) if (seq > (to.vector.get(agent) ?? 0)) ahead.set(agent, seq);
    place = placeOf(to, ahead);
  }

  async function* steps(): ReturnType<Walk["steps"]> {
    const left = way;
    way = undefined;
    if (left) {
      const done = [...left.to.vector].filter(([agent, seq]) => agent < left.agent && seq > seqAt(agent));
      for (const [agent, seq] of done) at.set(agent, seq);
      at.set(left.agent, left.seq);
      yield* toBase(left.text, left.to, left.agent);
    }
    while (!signal?.aborted) {
      const to = base();
      if (reached !== to) {
        yield* toBase(place, to);
        continue;
      }
      const behind = runtime.agents().find((agent) => (headOf(agent) ?? 0) > seqAt(agent));
      if (behind === undefined) return;
      const before = seqAt(behind);
      for await (const event of read(behind, headOf(behind)!)) {
        ahead.set(behind, event.seq);
        place = placeOf(to, ahead);
        yield { agent: behind, event, place };
      }
      if (seqAt(behind) === before) return; // the runtime was stopped
    }
  }

  return {
    steps,
    at: seqAt,
    place: () => place,
    there: () => reached === base() && runtime.agents().every((agent) => (headOf(agent) ?? 0) <= seqAt(agent)),
  };
}
