/**
 * From a cursor to the present, agent by agent: the events that a reader of all agents has not seen, each with the cursor after it.
 *
 * First to the base of new cursors, in the order of the agents' names, then on from there (cursor.ts says why). An interrupted walk resumes at the
 * cursor of its last event, also after a restart of the daemon. What could not be read on the way is still to come: cursors say so. An agent whose log
 * cannot be read is left out from there on, and named: it must not keep anyone from the others.
 */
import type { Damage } from "../../api/events.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { type Base, type Place, pairText, placeOf } from "./cursor.ts";

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
  /** Nothing is left that can be read, as of now. */
  there(): boolean;
  /** Agents whose log could not be read, and why. */
  damage(): ReadonlyMap<string, Problem>;
}

export function createWalk({ from, way, text }: Place, options: WalkOptions): Walk {
  const { runtime, base, headOf, signal } = options;
  const at = new Map(from);
  let place = text;
  /** Where `at` differs from the base, once it has got there. */
  let apart = new Map<string, number>();
  let reached: Base | undefined;

  const damage = new Map<string, Problem>();
  const seqAt = (agent: string): number => at.get(agent) ?? 0;

  async function* read(agent: string, wanted: number): AsyncGenerator<Event, void, void> {
    // An agent that cannot be opened is skipped: its error must not affect the others. And events that the log no longer has are not waited for.
    const to = Math.min(wanted, runtime.seq(agent) ?? 0);
    if (to <= seqAt(agent) || damage.has(agent)) return;
    try {
      for await (const events of runtime.follow(agent, seqAt(agent), signal)) {
        for (const event of events) {
          if (event.seq > to) return;
          at.set(agent, event.seq);
          yield event;
        }
        if (seqAt(agent) >= to) return;
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof Problem)) throw error;
      damage.set(agent, error);
    }
  }

  const isBehind = (agent: string): boolean => (headOf(agent) ?? 0) > seqAt(agent) && !damage.has(agent);

  async function* toBase(origin: string, to: Base, first = ""): ReturnType<Walk["steps"]> {
    let { name } = to;
    for (const agent of [...to.vector.keys()].sort()) {
      const target = to.vector.get(agent)!;
      if (agent < first || target <= seqAt(agent)) continue;
      for await (const event of read(agent, target)) {
        place = `${origin}>${name}>${agent}.${event.seq}`;
        yield { agent, event, place };
      }
      if (seqAt(agent) < target) name += pairText(agent, seqAt(agent));
    }
    arrive(to);
  }

  function arrive(to: Base): void {
    reached = to;
    const agents = new Set([...at.keys(), ...to.vector.keys()]);
    apart = new Map([...agents].map((agent) => [agent, seqAt(agent)]));
    for (const [agent, seq] of apart) if (seq === (to.vector.get(agent) ?? 0)) apart.delete(agent);
    place = placeOf(to, apart);
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
      const behind = runtime.agents().find(isBehind);
      if (behind === undefined) return;
      const before = seqAt(behind);
      for await (const event of read(behind, headOf(behind)!)) {
        apart.set(behind, event.seq);
        place = placeOf(to, apart);
        yield { agent: behind, event, place };
      }
      if (seqAt(behind) === before && !damage.has(behind)) return; // the runtime was stopped
    }
  }

  return {
    steps,
    at: seqAt,
    place: () => place,
    there: () => reached === base() && !runtime.agents().some(isBehind),
    damage: () => damage,
  };
}

/** As readers are told of it. */
export const damageOf = (agent: string, { code, message }: Problem): Damage => ({ agent, code, message });
