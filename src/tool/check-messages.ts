import { z } from "zod";
import { wrapEntry } from "../core/message/mail-envelope.ts";
import type { Thinker } from "../schema/worker.ts";
import { defineTool } from "../toolkit/tool.ts";

export const checkMessages = defineTool({
  name: "check_messages",
  about: "Read mail that came since your turn began; with wait, park until some comes.",
  guidance:
    "Mail comes to you by itself before each of your turns. Use this between long steps, because a message from the coordinator or the human may change what you should do; and with wait when you asked someone and cannot go on without the answer. " +
    "What is shown here is not shown again. Do not call it again and again: use wait.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["team"], words: "inbox, new mail, wait for an answer" },
  input: z.object({ wait: z.boolean().optional().describe("Wait until a message arrives") }),
  async run({ wait = false }, { state, me, node, now }) {
    const one = state().participants.get(me) as Thinker;
    const seen = Math.max(one.read, one.turn?.upto ?? 0);
    const fresh = one.unread.filter((entry) => entry.seq > seen);
    if (fresh.length) {
      return { text: "", mail: fresh.map(wrapEntry).join("\n"), upto: fresh.at(-1)!.seq };
    }
    if (!wait) return "No new mail.";
    // The holder of a node must not wait for ever for a message that never comes.
    const held = node ? state().nodes.get(node) : undefined;
    const deadline = held ? new Date(now + held.timeout_seconds * 1000).toISOString() : undefined;
    return { text: "No mail yet; you go on when some comes.", wait: { for: "mail", deadline } };
  },
});
