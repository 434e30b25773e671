import { z } from "zod";
import { requireWorker } from "../core/team/names.ts";
import { defineTool } from "../toolkit/tool.ts";

export const retireWorker = defineTool({
  name: "retire_worker",
  about: "Let a worker go. It takes no more nodes and reads no more mail; what it published stays.",
  guidance:
    "For a worker whose work was weak, or whose kind of work is over; then spawn another with better instructions. " +
    "Not for one that is merely idle: it costs nothing and remembers. One that holds a node cannot go: cancel the node first.",
  effect: "state",
  repeatable: true,
  offer: { when: ["team"], words: "dismiss a worker, fire a worker, let go, remove a worker" },
  only: "coordinator",
  input: z.object({ worker_id: z.string().min(1).describe("Id or name") }),
  async run({ worker_id }, { state, dispatch }) {
    const worker = requireWorker(state(), worker_id);
    await dispatch({ type: "worker.retire", worker: worker.id });
    return `${worker.name} is retired.`;
  },
});
