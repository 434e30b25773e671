/** What a question holds up: nodes that depend on the one of the asker, and whatever else waits for the answer (core/board/why.ts). */

import { why } from "../../core/board/why.ts";
import { defaultLimits } from "../../core/limits.ts";
import { isLive } from "../../core/lookup.ts";
import type { State } from "../../core/state.ts";

/** Once per change of an agent, however many look at it. */
const known = new WeakMap<State, Map<string, string[]>>();

/** In the order of the board, without the node that the asker holds. */
export function nodesHeldUpBy(state: State, question: string, node?: string): string[] {
  const direct = node === undefined ? [] : dependentsOf(state, node);
  const ends = endsOf(state).get(question) ?? [];
  return [...new Set([...direct, ...ends])].filter((id) => id !== node);
}

function endsOf(state: State): Map<string, string[]> {
  const had = known.get(state);
  if (had) return had;
  const ends = new Map<string, string[]>();
  if ([...state.questions.values()].some(({ status }) => status === "open"))
    for (const one of state.nodes.values()) {
      if (!isLive(one)) continue;
      const last = why(state, one.id, { limits: defaultLimits }).at(-1);
      if (last?.code === "question") ends.set(last.what, [...(ends.get(last.what) ?? []), one.id]);
    }
  known.set(state, ends);
  return ends;
}

/** Those that depend on a node, on and on. */
export function dependentsOf(state: State, node: string): string[] {
  const found: string[] = [];
  function grow(from: string): void {
    for (const one of state.nodes.values())
      if (one.depends_on.includes(from) && one.id !== node && !found.includes(one.id)) {
        found.push(one.id);
        grow(one.id);
      }
  }
  grow(node);
  return found;
}
