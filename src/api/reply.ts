/**
 * Which event is the reply to a message of the human: the first word to the human of someone who has read it. Found in the events after the
 * message, so nothing depends on when one begins to look.
 *
 * Who was addressed has read it once a turn or a tool's result took in mail up to it; others count if they began a turn after that: they may
 * have been sent by the addressed. A word from a turn that began before is no reply. A question and the end of the run always count: nothing
 * more comes by itself then. So does a standstill, which is the end without a reply.
 */
import type { Event } from "../schema/event.ts";
import type { ReplyText, Sent } from "./talk.ts";

export type Outcome = { reply: ReplyText } | { reply: null; why: string };

/** Give it every event after the message, in order; it answers when it knows. */
export function createReplyFinder({ seq: asked, to }: Pick<Sent, "seq" | "to">): (event: Event) => Outcome | undefined {
  const readers = new Set<string>();
  const reads = (participant: string, upto: number | undefined) => {
    if (to.includes(participant) ? (upto ?? 0) >= asked : readers.size > 0) readers.add(participant);
  };

  return ({ type, data, seq }) => {
    switch (type) {
      case "turn.started":
        reads(data.participant, data.upto);
        return undefined;
      case "tool.ended":
        if (data.upto !== undefined && to.includes(data.participant)) reads(data.participant, data.upto);
        return undefined;
      case "message.posted": {
        const { message: id, from, text, resource } = data;
        if (!data.to.includes("human") || !readers.has(from)) return undefined;
        return { reply: { kind: "message", id, from, text, seq, ...(resource ? { resource } : {}) } };
      }
      case "question.asked": {
        const { question: id, by: from, text, options } = data;
        return { reply: { kind: "question", id, from, text, seq, ...(options ? { options } : {}) } };
      }
      case "run.completed":
        return { reply: { kind: "answer", id: data.run, from: "coordinator", text: data.summary, seq } };
      case "agent.paused":
      case "agent.failed":
        return { reply: null, why: data.reason.message };
      case "agent.stopped":
      case "agent.archived":
        return { reply: null, why: `the agent was ${type.slice("agent.".length)}` };
      default:
        return undefined;
    }
  };
}
