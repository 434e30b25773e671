import { z } from "zod";
import { nodeCommands } from "../schema/node.ts";
import { defineTool } from "./tool.ts";

const { task, name, acceptance, depends_on, refs, worker, max_turns } = nodeCommands["node.create"].shape;

export const createWorkNode = defineTool({
  name: "create_work_node",
  about:
    "Put a node on the board. It starts when everything it depends on is completed and a worker is free. Returns at once.",
  guidance:
    "One or a few at a time, as the work shows what is needed. Say what done looks like in acceptance. Name inputs in refs: they become dependencies.",
  effect: "state",
  repeatable: true,
  input: z.object({ task, name, acceptance, depends_on, refs, worker, max_turns }),
  async run(input, { dispatch, node, state }) {
    const { made } = await dispatch({ type: "node.create", parent: node, ...input });
    return JSON.stringify({ node_id: made.node, status: state().nodes.get(made.node!)?.status });
  },
});
