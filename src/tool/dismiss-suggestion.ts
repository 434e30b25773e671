import { z } from "zod";
import { suggestionCommands } from "../schema/suggestion.ts";
import { defineTool } from "../toolkit/tool.ts";

const { suggestion, reason } = suggestionCommands["suggestion.dismiss"].shape;

export const dismissSuggestion = defineTool({
  name: "dismiss_suggestion",
  about: "Decide against a worker's suggestion; it disappears from the board.",
  guidance:
    "A suggestion stays on the board until you decide. Take it up with create_work_node (suggestion), or dismiss it here with one sentence why; its author hears it.",
  effect: "state",
  repeatable: true,
  offer: { when: ["suggestion"], words: "reject, decide against, idea" },
  only: "coordinator",
  progress: "words",
  input: z.object({ suggestion, reason: reason.describe("Why not, in one sentence") }),
  async run({ suggestion, reason }, { dispatch }) {
    await dispatch({ type: "suggestion.dismiss", suggestion, reason });
    return `${suggestion} is dismissed.`;
  },
});
