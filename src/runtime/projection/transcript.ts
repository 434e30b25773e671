/**
 * The log as people read it along: which lines an event adds to which readable file. Pure; the same for an event that just happened and for
 * one that is read from the log again, because the mail that it brought is asked of the state right after it, and of no later one.
 *
 * `conversation.jsonl` of the agent: what the human and the agent said to each other, over all runs, from the goal to the final answer. `conversation.jsonl` of a participant:
 * its mail, its answers and what its tools said, since its conversation was last shortened. `log.jsonl` of a node: what happened to it, in short.
 */

import type { Mail } from "../../core/message/inbox.ts";
import { utteranceIn } from "../../core/message/utterance.ts";
import { shorten } from "../../lib/text/text.ts";
import type { Event } from "../../schema/event.ts";

export const threadPath = "conversation.jsonl";
export const conversationPath = (run: string, id: string): string => `runs/${run}/workers/${id}/conversation.jsonl`;
export const nodeLogPath = (run: string, node: string): string => `runs/${run}/nodes/${node}/log.jsonl`;

export interface Addition {
  path: string;
  seq: number;
  /** Made only if it is wanted. */
  line(): string;
}

/** `mail` is what the event brought (core/message/inbox.ts). `nodeOf` remembers which turn is about which node; pass the same one for events in a row. */
export function additions(event: Event, mail: Mail | undefined, nodeOf: Map<string, string>): Addition[] {
  return [...inThread(event), ...inConversations(event, mail), ...inNodeLog(event, nodeOf)];
}

function inThread(event: Event): Addition[] {
  const said = utteranceIn(event);
  if (!said || !(said.from === "human" || said.to.includes("human"))) return [];
  const { seq: _seq, at: _at, ...what } = said;
  return [line(threadPath, event, what)];
}

function inConversations(event: Event, mail: Mail | undefined): Addition[] {
  const { run } = event;
  if (!run) return [];
  const say = (id: string, what: Record<string, unknown>) => line(conversationPath(run, id), event, what);
  switch (event.type) {
    case "turn.answered": {
      const { participant, turn, text, calls } = event.data;
      return [say(participant, { role: "assistant", turn, text, calls })];
    }
    case "program.reported": {
      const { participant, turn, text } = event.data;
      return [say(participant, { role: "assistant", turn, text, calls: [] })];
    }
    case "tool.ended": {
      const { participant, turn, call, tool, outcome, result } = event.data;
      return [say(participant, { role: "tool", turn, call, tool, outcome, result })];
    }
    case "turn.failed":
      return [say(event.data.participant, { role: "failed", turn: event.data.turn, text: event.data.reason.message })];
  }
  if (!mail) return [];
  const { from, kind, text } = mail;
  return mail.to.filter((id) => id !== "human").map((id) => say(id, { role: "inbox", from, kind, text }));
}

function inNodeLog(event: Event, nodeOf: Map<string, string>): Addition[] {
  const { run, type, actor } = event;
  const data = event.data as { node?: string; turn?: string; participant?: string };
  if (!run || !/^(node|turn|tool|program)\./.test(type)) return [];
  if (type === "turn.started" && data.node) nodeOf.set(data.turn!, data.node);
  const node = type.startsWith("node.") ? data.node : nodeOf.get(data.turn ?? "");
  if (type === "turn.ended" || type === "turn.failed") nodeOf.delete(data.turn!);
  return node ? [line(nodeLogPath(run, node), event, { type, actor, ...inShort(event) })] : [];
}

function inShort(event: Event): Record<string, unknown> {
  switch (event.type) {
    case "node.created":
      return { task: shorten(event.data.task, longest) };
    case "node.assigned":
      return { worker: event.data.worker };
    case "node.completed":
    case "node.checkpointed":
      return { summary: shorten(event.data.summary, longest) };
    case "node.failed":
    case "node.cancelled":
    case "turn.failed":
      return { reason: event.data.reason };
    case "turn.answered":
      return {
        turn: event.data.turn,
        text: shorten(event.data.text, longest),
        calls: event.data.calls.map(({ tool }) => tool),
        cost: event.data.cost,
      };
    case "program.reported":
      return { turn: event.data.turn, text: shorten(event.data.text, longest) };
    case "program.settled":
      return { turn: event.data.turn, cost: event.data.cost };
    case "tool.ended":
      return {
        turn: event.data.turn,
        tool: event.data.tool,
        outcome: event.data.outcome,
        result: shorten(event.data.result, longest),
      };
    default:
      return "turn" in event.data ? { turn: event.data.turn } : {};
  }
}

const longest = 200;

const line = (path: string, { seq, ts }: Event, what: Record<string, unknown>): Addition => ({
  path,
  seq,
  line: () => `${JSON.stringify({ seq, at: ts, ...what })}\n`,
});
