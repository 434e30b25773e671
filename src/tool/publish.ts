import { z } from "zod";
import { defineTool } from "./tool.ts";

export const publish = defineTool({
  name: "publish",
  about: "Finalize your node: scratch becomes published and others can use it.",
  guidance: "Call it once, when the spec is met. Clean your scratch first. Say what you made and where it is.",
  effect: "outside",
  repeatable: true,
  only: "worker",
  input: z.object({
    summary: z.string().min(1).describe("What you produced, in two sentences"),
    partial: z.boolean().default(false).describe("True if the spec is not fully met"),
  }),
  run: async ({ summary, partial }, desk) => ({ text: await desk.publish(summary, partial), final: true }),
});
