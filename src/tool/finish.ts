import { z } from "zod";
import { defineTool } from "./tool.ts";

export const finish = defineTool({
  name: "finish",
  about: "The goal is met: end the run with this answer.",
  guidance: "Give the whole answer, not a hint at it. Nodes that are still alive are cancelled.",
  effect: "outside",
  repeatable: true,
  only: "coordinator",
  input: z.object({ summary: z.string().min(1) }),
  run: async ({ summary }, desk) => ({ text: await desk.publish(summary, false), final: true }),
});
