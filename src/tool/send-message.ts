import { z } from "zod";
import { defineTool } from "./tool.ts";

export const sendMessage = defineTool({
  name: "send_message",
  about: "Say something to one participant by name, or to everyone with *.",
  guidance:
    "Write to people, not into the void: an unknown name is an error. Do not thank or confirm; write when the other can act on it.",
  effect: "state",
  repeatable: true,
  input: z.object({ to: z.string().min(1), content: z.string().min(1) }),
  async run({ to, content }, { dispatch, me }) {
    const { made } = await dispatch({ type: "message.post", from: me, to, text: content });
    return `Sent as ${made.message}.`;
  },
});
