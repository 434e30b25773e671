import { z } from "zod";
import { defineTool } from "./tool.ts";

export const publish = defineTool({
  name: "publish",
  about: "Finalize your node: scratch becomes published and others can use it.",
  guidance:
    "Call it once, when the spec is met; do not gild. Clean your scratch first: everything in it becomes the output, and nothing of it changes afterwards. " +
    "Say what you made and in which files it is. If you cannot meet the spec, publish what you have with partial and say what is missing: that is better than nothing. Questions may still come to you later.",
  effect: "outside",
  repeatable: true,
  only: "worker",
  input: z.object({
    summary: z.string().min(1).max(20_000).describe("What you produced and where it is, in two sentences"),
    partial: z.boolean().default(false).describe("True if the spec is not fully met"),
  }),
  run: async ({ summary, partial }, desk) => ({ text: await desk.publish(summary, partial), final: true }),
});
