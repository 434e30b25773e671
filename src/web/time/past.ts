/**
 * The state of an agent after any of its events: folded with the core's own reducers from the nearest keyframe before it, so that going to any
 * place in a long log costs a few hundred events and not all of them.
 *
 * Always holds: what `at` gives is what folding the log up to there gives, and it is the asker's own: editing nothing here.
 */
import { reduce } from "../../core/reduce.ts";
import { emptyState, freezeState, type State, thawState } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";

export interface Past {
  /** In order from the first; one that is known or out of order is not taken. */
  add(event: Event): boolean;
  events(): readonly Event[];
  at(seq: number): State;
}

export interface PastOptions {
  /** Events between two keyframes at first; doubled when there are too many keyframes. */
  every?: number;
  most?: number;
}

export function createPast({ every = 250, most = 64 }: PastOptions = {}): Past {
  const events: Event[] = [];
  const state = emptyState();
  let frames: State[] = [copy(state)];
  let distance = every;
  return {
    add(event) {
      if (event.seq !== events.length + 1) return false;
      events.push(event);
      reduce(state, event);
      if (event.seq % distance === 0) frames.push(copy(state));
      if (frames.length > most) {
        distance *= 2;
        frames = frames.filter(({ seq }) => seq % distance === 0);
      }
      return true;
    },
    events: () => events,
    at(seq) {
      const wanted = Math.max(0, Math.min(seq, events.length));
      const frame = frames[Math.min(frames.length - 1, Math.floor(wanted / distance))]!;
      const found = copy(frame);
      for (let index = frame.seq; index < wanted; index++) reduce(found, events[index]!);
      return found;
    },
  };
}

/** Maps and what grows in place are new; values are never edited and may be shared. */
const copy = (state: State): State => thawState(freezeState(state));
