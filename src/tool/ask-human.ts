import { z } from "zod";
import { questionCommands } from "../schema/question.ts";
import { defineTool } from "../toolkit/tool.ts";

const { options, default: otherwise, deadline_seconds, channel } = questionCommands["question.ask"].shape;

export const askHuman = defineTool({
  name: "ask_human",
  about: "Ask the human and park until the answer comes. Nobody else stops.",
  guidance:
    "When you are stuck after trying, or when only the human can decide; not for permission at every step, and not for news. " +
    "One clear question with what you know, what you tried and what you would do: 'Sources disagree on the 2024 figure (A: 12, B: 15). Which should I use? I would take B.' " +
    "Give a default with a deadline if you can go on without an answer.",
  effect: "state",
  repeatable: true,
  offer: { always: "everyone", words: "question, clarify, permission, decision" },
  progress: "words",
  input: z.object({
    question: z.string().min(1).max(20_000),
    options: options.describe("Answers to choose from"),
    default: otherwise.describe("Used if the deadline passes"),
    deadline_seconds,
    channel: channel.describe("Where to ask, e.g. email; default: everywhere"),
  }),
  async run({ question: text, ...rest }, { dispatch, me }) {
    const { made } = await dispatch({ type: "question.ask", by: me, text, ...rest });
    return {
      text: `Asked as ${made.question}. The answer arrives as mail.`,
      wait: { for: "question", question: made.question! },
    };
  },
});
