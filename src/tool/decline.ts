import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const decline = defineTool({
  name: "decline",
  about: "There is nothing to do: end quietly, with the reason.",
  guidance:
    "When you were woken and nothing is new, or when your node turns out to need no work because what it asks for is there already: it is then completed without new output, and what depends on it goes on. " +
    "Not when you cannot do it: then say what is missing, or publish what you have as partial. Not for a message from the human: answer that.",
  effect: "outside",
  repeatable: true,
  progress: "none",
  input: z.object({ reason: z.string().min(1).max(2_000) }),
  async run({ reason }, context) {
    const text = context.node
      ? await context.publish(`Nothing to do: ${reason}`, false)
      : "You rest until something new comes.";
    return { text, final: true };
  },
});
