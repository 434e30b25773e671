import { z } from "zod";
import { findNode, isLive } from "../core/lookup.ts";
import { defineTool } from "../toolkit/tool.ts";

export const cancelNode = defineTool({
  name: "cancel_node",
  about: "End a node that is no longer wanted. Whoever works on it stops at once; nothing of it is published.",
  guidance:
    "When the work showed that it is not needed, or that its task was wrong; say why, its worker reads it. " +
    "Not because it takes long: it has its own limits. What depends on it never starts, so cancel or replace that too.",
  effect: "state",
  repeatable: true,
  offer: { when: ["board"], words: "stop, abort, kill a node" },
  only: "coordinator",
  input: z.object({ node_id: z.string().min(1), reason: z.string().min(1).max(2_000) }),
  async run({ node_id, reason }, { state, dispatch }) {
    const node = findNode(state(), node_id);
    await dispatch({ type: "node.cancel", node: node.id, reason });
    const behind = [...state().nodes.values()].filter((one) => isLive(one) && one.depends_on.includes(node.id));
    const rest = behind.length ? ` ${behind.map((one) => one.id).join(", ")} depended on it and will not start.` : "";
    return `${node.id} is cancelled.${rest}`;
  },
});
