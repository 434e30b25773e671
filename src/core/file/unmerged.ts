/**
 * Which published changes reached the integration branch.
 *
 * A change is in it if it was merged, or if a node was merged that contains it: one that resolved its conflict or, with git, one whose checkout started
 * from it. What was published, was not replaced and is not in it is *unmerged*: no part of the result, whatever the answer says.
 */
import type { NodeId } from "../../schema/ids.ts";
import type { Node } from "../../schema/node.ts";
import { inputsOf } from "../board/check.ts";
import type { State } from "../state.ts";

/** By each node whose change is in the integration branch: the node whose merge brought it there, most often itself. */
export function mergedThrough(state: State): Map<NodeId, NodeId> {
  const through = new Map<NodeId, NodeId>();
  // A node contains only what was there before it, so the newest comes first.
  for (const node of [...state.nodes.values()].toReversed()) {
    if (node.status !== "completed" || !node.change) continue;
    if (state.workspaces.get(node.id)?.merged?.commit === node.change.commit) through.set(node.id, node.id);
    const by = through.get(node.id);
    for (const id of by === undefined ? [] : containedIn(state, node)) if (!through.has(id)) through.set(id, by!);
  }
  return through;
}

function containedIn({ nodes, workspace, workspaces }: State, { id, base }: Node): NodeId[] {
  const { from, merging } = workspaces.get(id) ?? {};
  const source = base === undefined ? undefined : nodes.get(base);
  const isContinued =
    workspace?.kind === "repository" && source?.status === "completed" && source.change?.commit === from;
  return [...(merging ? [merging.node] : []), ...(isContinued ? [source.id] : [])];
}

/** In the order of the board. */
export function unmergedOf(state: State): NodeId[] {
  const through = mergedThrough(state);
  return inputsOf(state)
    .filter(({ id, change }) => change?.files.length && !through.has(id))
    .map(({ id }) => id);
}

/** For whoever reads the answer; empty if everything was merged. */
export function unmergedText(nodes: readonly NodeId[]): string {
  if (!nodes.length) return "";
  const more = nodes.length > mostListed ? ` and ${nodes.length - mostListed} more` : "";
  return `Not merged: ${nodes.slice(0, mostListed).join(", ")}${more}. What was published there is not part of the result.`;
}
const mostListed = 20;
