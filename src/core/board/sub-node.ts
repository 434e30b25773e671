/**
 * Nodes below a node, which its worker has created. They go on when it is completed or failed: a node that failed is tried again, perhaps with what
 * its parts have made. What was begun for a node that is cancelled is cancelled with it.
 */
import type { NodeId, ParticipantId } from "../../schema/ids.ts";
import { isLive } from "../lookup.ts";
import type { Settle } from "../noun.ts";
import { nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { isWorker } from "../team/worker.ts";

/** Its sub-nodes that have not ended. */
export const liveBelow = ({ nodes }: State, id: NodeId): NodeId[] =>
  [...nodes.values()].flatMap((node) => (node.parent === id && isLive(node) ? [node.id] : []));

/** Whose sub-node it is: the worker that created it and still works on the node above it. What becomes of it is for that worker to decide. */
export function ownerOf({ nodes, participants }: State, id: NodeId): ParticipantId | undefined {
  const { creator, parent } = nodes.get(id) ?? {};
  const one = creator === undefined ? undefined : participants.get(creator);
  return one && isWorker(one) && parent !== undefined && one.node === parent ? creator : undefined;
}

export const settleSubNodes: Settle = (state) => {
  for (const node of state.nodes.values()) {
    const { id, parent } = node;
    if (parent === undefined || state.nodes.get(parent)?.status !== "cancelled" || !isLive(node)) continue;
    const message = `it is part of ${parent}, which was cancelled`;
    const reason = { code: "cancelled", message, next_mover: nextMover(state) };
    return [{ type: "node.cancelled", data: { node: id, reason } }];
  }
  return [];
};
