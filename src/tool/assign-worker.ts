import { z } from "zod";
import { inputsReady } from "../core/board/node.ts";
import { findNode } from "../core/lookup.ts";
import { requireWorker } from "../core/team/names.ts";
import { defineTool } from "../toolkit/tool.ts";

export const assignWorker = defineTool({
  name: "assign_worker",
  about: "Give a pending node to a certain worker: now if both are free, otherwise as soon as they are.",
  guidance:
    "Ready nodes go to idle workers by themselves; use this when it matters who does it, for instance who did the work before it. " +
    "A node that someone already has cannot be given to another: cancel it and create it anew.",
  effect: "state",
  repeatable: true,
  offer: { when: ["board"], words: "give to a worker, reassign, who does it" },
  only: "coordinator",
  input: z.object({
    node_id: z.string().min(1),
    worker_id: z.string().min(1).describe("Id or name"),
  }),
  async run({ node_id, worker_id }, { state, dispatch, key }) {
    const node = findNode(state(), node_id);
    const worker = requireWorker(state(), worker_id);
    const open = node.depends_on.filter((id) => state().nodes.get(id)?.status !== "completed");
    const why = open.length
      ? `${open.join(", ")} must be completed first`
      : `${worker.name} is busy with ${worker.node}`;
    const later = node.status === "pending" && !worker.retired && (!inputsReady(state(), node) || worker.node);
    if (later || state().keys.has(`${key}/1`)) {
      await dispatch({ type: "node.want", node: node.id, worker: worker.id }, 1);
      return `${node.id} goes to ${worker.name} as soon as it can: ${why}.`;
    }
    await dispatch({ type: "node.assign", node: node.id, worker: worker.id });
    return `${node.id} is assigned to ${worker.name}.`;
  },
});
