import { z } from "zod";
import { shortLine } from "../lib/text/text.ts";
import { Problem } from "../schema/problem.ts";
import type { Thinker } from "../schema/worker.ts";
import { defineTool, type Result, resultOf, type ToolContext } from "../toolkit/tool.ts";

/** Characters of a declined message that its sender is shown again. */
const quoted = 120;

export const decline = defineTool({
  name: "decline",
  about: "There is nothing to do: end quietly, with the reason. With the id of a message: decline that, or put it off.",
  guidance:
    "When you were woken and nothing is new, or when your node turns out to need no work because what it asks for is there already: it is then completed without new output, and what depends on it goes on. " +
    "Not when you cannot do it: then say what is missing, or publish what you have as partial. Not for a message from the human: answer that. " +
    "With the id of a message it concerns only that, and you go on: its sender is told the reason; with later it comes back to you instead, and nobody is told.",
  effect: "outside",
  repeatable: true,
  offer: { when: ["infinite", "trigger"], words: "nothing to do, skip, refuse, put off, postpone, snooze" },
  progress: "none",
  input: z.object({
    reason: z.string().min(1).max(2_000),
    message: z.coerce.number().int().positive().optional().describe("The id of a <message> of this turn"),
    later: z
      .union([z.literal("idle"), z.coerce.number().positive().max(31_536_000)])
      .optional()
      .describe("Put the message off: for so many seconds, or until you are idle"),
  }),
  async run({ reason, message, later }, context) {
    if (message !== undefined) return await declineMessage(context, message, reason, later);
    if (later !== undefined) throw new Problem("invalid", "later needs message, the id of what is put off");
    if (!context.node) return { text: "You rest until something new comes.", final: true };
    return resultOf(await context.publish(`Nothing to do: ${reason}`, false), "");
  },
});

async function declineMessage(
  { me, state, dispatch }: ToolContext,
  id: number,
  reason: string,
  later: "idle" | number | undefined,
): Promise<Result> {
  if (later !== undefined) {
    const seconds = later === "idle" ? {} : { seconds: later };
    await dispatch({ type: "inbox.defer", participant: me, entry: id, reason, ...seconds });
    return {
      text: `Message ${id} comes back to you ${later === "idle" ? "when you are idle" : `in ${later} seconds`}.`,
    };
  }
  const entry = (state().participants.get(me) as Thinker).unread.find(({ seq }) => seq === id);
  if (!entry) throw new Problem("not_found", `message ${id} is not among the new ones of this turn`);
  if (entry.from === "system") throw new Problem("invalid", `nobody wrote message ${id}; it needs no answer`);
  const text = `I decline what you asked for (“${shortLine(entry.text, quoted)}”): ${reason}`;
  const { made } = await dispatch({ type: "message.post", from: me, to: [entry.from], text });
  return {
    text: `Declined as ${made.message}: ${state().participants.get(entry.from)?.name ?? entry.from} is told why.`,
  };
}
