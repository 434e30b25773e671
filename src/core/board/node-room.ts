/** How many nodes a run may have: alive, in all, and below each other. */
import type { NodeId } from "../../schema/ids.ts";
import { Problem } from "../../schema/problem.ts";
import { countAgainstLimit, isLive, requireNode } from "../lookup.ts";
import type { Context } from "../noun.ts";
import type { State } from "../state.ts";

/** Throws if the board is full there. */
export function assertRoom(state: State, parent: NodeId | undefined, context: Context): void {
  const problem = noRoom(state, parent, context);
  if (problem) throw problem;
}

/** Why the board has no room for one more node below this one; undefined if it has. */
export function noRoom(state: State, parent: NodeId | undefined, { limits, now }: Context): Problem | undefined {
  const depth = parent ? requireNode(state, parent).depth + 1 : 0;
  const live = [...state.nodes.values()].filter(isLive).length;
  const refusal = (what: string, most: number) =>
    new Problem(
      "limit_reached",
      `this run may have ${what} (limit ${most}); finish or cancel nodes, or raise the limit in the config`,
    );
  if (depth >= limits.spawn_depth) return refusal(`nodes ${limits.spawn_depth} levels deep`, limits.spawn_depth);
  if (live >= limits.live_nodes) return refusal(`${limits.live_nodes} live nodes`, limits.live_nodes);
  const made = [...state.nodes.values()].map((node) => node.created_at);
  if (countAgainstLimit(state, made, now) < limits.nodes_per_run) return undefined;
  const span = state.agent?.mode === "infinite" ? "a day" : "in all";
  return refusal(`${limits.nodes_per_run} nodes ${span}`, limits.nodes_per_run);
}
