import { z } from "zod";
import { questionCommands } from "../schema/question.ts";
import { defineTool } from "./tool.ts";

const { options, default: otherwise, deadline_seconds } = questionCommands["question.ask"].shape;

export const askHuman = defineTool({
  name: "ask_human",
  about: "Ask the human and park until the answer comes. Nobody else stops.",
  guidance:
    "Only when you truly need it. Offer options, and say a default with a deadline if you can go on without an answer.",
  effect: "state",
  repeatable: true,
  input: z.object({ question: z.string().min(1), options, default: otherwise, deadline_seconds }),
  async run({ question: text, ...rest }, { dispatch, me }) {
    const { made } = await dispatch({ type: "question.ask", by: me, text, ...rest });
    return {
      text: `Asked as ${made.question}. The answer arrives as mail.`,
      wait: { for: "question", question: made.question! },
    };
  },
});
