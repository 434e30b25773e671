/** The chain that is lit for a node: what it waits for down to the cause, and, where it is held up itself, everything that waits for it. */

import { why } from "../../core/board/why.ts";
import { defaultLimits } from "../../core/limits.ts";
import type { State } from "../../core/state.ts";

export interface Chain {
  nodes: ReadonlySet<string>;
  links: readonly (readonly [need: string, node: string])[];
}

export const noChain: Chain = { nodes: new Set(), links: [] };

export function chainOf(state: State, id: string | undefined): Chain {
  const node = id === undefined ? undefined : state.nodes.get(id);
  if (!node || !/^(pending|waiting)$/.test(node.status)) return noChain;
  const causes = why(state, node.id, { limits: defaultLimits }).flatMap(({ what }) => {
    const one = state.participants.get(what);
    const found = one && one.kind !== "human" ? one.node : what;
    return found !== undefined && state.nodes.has(found) ? [found] : [];
  });
  const way = [...new Set([node.id, ...causes])];
  const links: (readonly [string, string])[] = way.slice(1).map((need, index) => [need, way[index]!]);
  for (const one of nodesBlockedBy(state, node.id))
    for (const need of one.depends_on) if (need === node.id || one.through.has(need)) links.push([need, one.id]);
  return { nodes: new Set([...way, ...links.flat()]), links };
}

/** Everything that is pending because of this node, nearest first. */
export function nodesBlockedBy(state: State, id: string) {
  const through = new Set([id]);
  const held: { id: string; depends_on: readonly string[]; through: ReadonlySet<string> }[] = [];
  // A node comes after all that it needs: one pass in the order of creation finds them all.
  for (const node of state.nodes.values())
    if (node.status === "pending" && node.depends_on.some((need) => through.has(need))) {
      through.add(node.id);
      held.push({ id: node.id, depends_on: node.depends_on, through });
    }
  return held;
}
