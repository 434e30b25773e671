/** The conversation over HTTP. */
import type { conversationRoutes } from "../../api/conversation.ts";
import { Problem } from "../../schema/problem.ts";
import type { Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";
import { assertPast, seqOf } from "./page-cursor.ts";

export const conversationHandlers = ({ runtime }: Served): Handlers<typeof conversationRoutes> => ({
  async getConversation({ params: { agent }, query: { participant, cursor, limit } }) {
    assertKnown(runtime, agent);
    const before = seqOf(cursor);
    const { last, there } = await runtime.read(agent, ({ seq, participants }) => ({
      last: seq,
      there: [...participants.keys()],
    }));
    assertPast(agent, before ?? 0, last);
    const { channel } = await runtime.reading(agent);
    if (participant === undefined) {
      const { items, more } = await channel.said(before, limit);
      return { items, next: more ? String(items.at(-1)!.seq) : null };
    }
    const lines = await channel.lines(participant, before, limit);
    if (!lines)
      throw new Problem("not_found", `${agent} has no participant ${participant}; participants: ${there.join(", ")}`);
    const said = lines.items.map((item) => ({ kind: "line" as const, ...item }));
    return { items: said, next: lines.more ? String(lines.items.at(-1)!.seq) : null };
  },
  async getChannel({ params: { agent }, query: { cursor, ...wish } }) {
    assertKnown(runtime, agent);
    const before = seqOf(cursor);
    assertPast(agent, before ?? 0, await runtime.read(agent, ({ seq }) => seq));
    const { run, messages, more } = await (await runtime.reading(agent)).readChannel({ before, ...wish });
    return { items: messages.map((one) => ({ ...one, run })), next: more ? String(messages.at(-1)!.seq) : null };
  },
});
