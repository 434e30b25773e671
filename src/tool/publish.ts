import { z } from "zod";
import { keepLearned } from "../toolkit/keep-learned.ts";
import { defineTool, resultOf } from "../toolkit/tool.ts";

export const publish = defineTool({
  name: "publish",
  about: "Finalize your node: scratch becomes published and others can use it.",
  guidance:
    "Once, when the spec is met. Clean your scratch first: everything in it becomes the output, and nothing of it changes afterwards. " +
    "Say what you made and in which files it is. If you cannot meet the spec, publish what you have with partial and say what is missing. " +
    "If a check of your node fails, nothing is published: you see why, fix it and publish again.",
  effect: "outside",
  repeatable: true,
  offer: { always: "everyone", words: "hand over, deliver, done" },
  only: "worker",
  input: z.object({
    summary: z.string().min(1).max(20_000).describe("What you produced and where it is, in two sentences"),
    learned: z.string().max(2_000).optional().describe("For your memory: what would help you at your next node"),
    partial: z.boolean().default(false).describe("True if the spec is not fully met"),
  }),
  async run({ summary, partial, learned }, context) {
    const kept = await keepLearned(context, learned);
    return resultOf(await context.publish(summary, partial), kept);
  },
});
