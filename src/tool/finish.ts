import { z } from "zod";
import { assertFinite } from "../core/run.ts";
import { keepLearned } from "../toolkit/keep-learned.ts";
import { defineTool } from "../toolkit/tool.ts";

export const finish = defineTool({
  name: "finish",
  about: "The goal is met: end the run with this answer.",
  guidance:
    "When every part of the goal was made and checked; or when you have found that it cannot be met: then say so plainly, and what there is instead. " +
    "Before it, put into memory what is worth keeping; what this run taught you for the next can be said in learned. Give the whole answer, not a hint at it; files in your scratch are published with it. Nodes that are still alive are cancelled, and triggers rest until the human writes again.",
  effect: "outside",
  repeatable: true,
  only: "coordinator",
  input: z.object({
    summary: z.string().min(1).max(100_000).describe("The complete answer to the human"),
    learned: z
      .string()
      .max(2_000)
      .optional()
      .describe("What you would want to know at the next run: insights, not raw data; kept in your memory"),
  }),
  async run({ summary, learned }, context) {
    assertFinite(context.state());
    const kept = await keepLearned(context, learned);
    return { text: `${await context.publish(summary, false)}${kept}`, final: true };
  },
});
