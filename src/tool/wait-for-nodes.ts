import { z } from "zod";
import { findNode, isLive } from "../core/lookup.ts";
import { leads } from "../core/run/lead.ts";
import type { State } from "../core/state.ts";
import type { Node } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";

export const waitForNodes = defineTool({
  name: "wait_for_nodes",
  about: "Park until nodes have ended. Costs nothing while waiting; whoever writes to you is still heard.",
  guidance:
    "Use it when you have nothing to do until others are done, instead of looking at the board again and again. " +
    "Without node_ids it waits for all live nodes you created, and if you lead for those that a workflow declared. You are told how each of them ended; a node that stands at a checkpoint, or behind one that failed, counts as ended. " +
    "Do not wait for what you could do meanwhile.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["board"], words: "wait, until done, join" },
  input: z.object({
    node_ids: z.array(z.string().min(1)).min(1).optional().describe("Ids; all nodes you created if missing"),
    timeout_seconds: z
      .number()
      .positive()
      .optional()
      .describe("Continue after this time, whether or not they have ended"),
  }),
  async run({ node_ids, timeout_seconds }, { state, me, node: own, now }) {
    const board = state();
    const wanted = node_ids
      ? node_ids.map((id) => findNode(board, id))
      : [...board.nodes.values()].filter((node) => isMine(board, node, me) && node.id !== own);
    if (wanted.some((node) => node.id === own))
      throw new Problem("invalid", `${own} is the node you hold; you cannot wait for yourself`);
    const live = wanted.filter((node) => isLive(node) && node.checkpoint === undefined).map((node) => node.id);
    if (live.length === 0) {
      const standing = wanted.map((node) => `${node.id} is ${isLive(node) ? "at a checkpoint" : node.status}`);
      return `Nothing to wait for: ${standing.join(", ") || "you created no nodes"}.`;
    }
    const deadline = timeout_seconds === undefined ? undefined : new Date(now + timeout_seconds * 1000).toISOString();
    return { text: `Waiting for ${live.join(", ")}.`, wait: { for: "nodes", nodes: live, deadline } };
  },
});

/** What a workflow declares is the lead's to wait for: nobody else created it. */
const isMine = (state: State, { creator, planned }: Node, me: string): boolean =>
  creator === me || (planned !== undefined && leads(state, me));
