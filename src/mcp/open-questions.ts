/** What agents ask the human, as outside programs see it. */
import { z } from "zod";
import { humanInbox } from "../core/human-inbox.ts";
import type { State } from "../core/state.ts";
import { Time } from "../schema/ids.ts";

export const OpenQuestion = z.object({
  agent: z.string(),
  question: z.string().describe("Its id"),
  kind: z
    .enum(["question", "approval"])
    .describe("approval: whether a tool may be called; answered allow, or deny and why"),
  by: z.string().describe("Who asks"),
  text: z.string(),
  options: z.array(z.string()).optional(),
  default: z.string().optional().describe("Taken when the deadline has passed"),
  deadline: Time.optional(),
  asked_at: Time.optional(),
});
export type OpenQuestion = z.infer<typeof OpenQuestion>;

/** Those that can still be answered. */
export const openQuestions = (state: State): OpenQuestion[] =>
  humanInbox(state, 0).items.flatMap(({ kind, id, from, text, options, default: otherwise, deadline, at }) =>
    kind === "question" || kind === "approval"
      ? [
          {
            agent: state.agent!.id,
            question: id,
            kind,
            by: from,
            text,
            ...(options ? { options } : {}),
            ...(otherwise === undefined ? {} : { default: otherwise }),
            ...(deadline ? { deadline } : {}),
            ...(at ? { asked_at: at } : {}),
          },
        ]
      : [],
  );
