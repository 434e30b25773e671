import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const suggestNext = defineTool({
  name: "suggest_next",
  about: "Suggest further work to the coordinator, who decides whether to do it.",
  guidance:
    "When you find something worth doing that is outside your spec: note it here and go on with your own work instead of chasing it. Be specific: what should be done, why, and what you already know. Not for your own next steps.",
  effect: "state",
  repeatable: true,
  offer: { when: ["team"], words: "idea, propose further work, follow-up, out of scope, noticed" },
  only: "worker",
  progress: "words",
  input: z.object({ suggestion: z.string().min(1).max(20_000).describe("What should be done, and why") }),
  async run({ suggestion }, { dispatch, me }) {
    const { made } = await dispatch({ type: "suggestion.make", by: me, text: suggestion });
    return `Suggested to the coordinator as ${made.suggestion}. Go on with your own work.`;
  },
});
