import { z } from "zod";
import { isLive, requireNode } from "../core/lookup.ts";
import { NodeId } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "./tool.ts";

export const waitForNodes = defineTool({
  name: "wait_for_nodes",
  about: "Park until nodes have ended. Costs nothing while waiting; a word of the human is still heard.",
  guidance: "Without node_ids it waits for all live nodes you created. You are told how each of them ended.",
  effect: "reads",
  repeatable: true,
  input: z.object({
    node_ids: z.array(NodeId).min(1).optional(),
    timeout_seconds: z.number().positive().optional(),
  }),
  async run({ node_ids, timeout_seconds }, { state, me, node: own, now }) {
    const board = state();
    const wanted = node_ids
      ? node_ids.map((id) => requireNode(board, id))
      : [...board.nodes.values()].filter((node) => node.creator === me && node.id !== own);
    if (wanted.some((node) => node.id === own))
      throw new Problem("invalid", `${own} is the node you hold; you cannot wait for yourself`);
    const live = wanted.filter(isLive).map((node) => node.id);
    if (live.length === 0)
      return `Nothing to wait for: ${wanted.map((node) => `${node.id} is ${node.status}`).join(", ") || "you created no nodes"}.`;
    const deadline = timeout_seconds === undefined ? undefined : new Date(now + timeout_seconds * 1000).toISOString();
    return { text: `Waiting for ${live.join(", ")}.`, wait: { for: "nodes", nodes: live, deadline } };
  },
});
