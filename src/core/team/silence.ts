/**
 * What a worker that falls silent over its node may still wait for, and what it is told (stall.ts). It is nudged once. Then it waits for what may still come: the answer to its question, nodes that it
 * gave to others, a reply to its message. Models often say "I asked Dan and wait" without using the tool for it; such a worker keeps its node, and
 * what it waits for wakes it. If nothing can come, its node fails and the coordinator is told: never silence.
 *
 * Always holds: no participant waits here for what cannot come. A recipient may still reply as long as it has not read the message, is working, or
 * waits itself for others; once it is idle without a reply, the worker is woken and told.
 */

import type { ParticipantId } from "../../schema/ids.ts";
import type { Wait } from "../../schema/node.ts";
import type { Thinker, Worker } from "../../schema/worker.ts";
import { nodesThatCanEnd } from "../board/node.ts";
import { iso } from "../noun.ts";
import type { State } from "../state.ts";
import { canRun } from "./worker.ts";

/** Both tools are always there (toolkit/offered.ts). */
export const nudge = (node: string): string =>
  `${node} is still yours. Go on, or publish what you have. If you need an answer first, call check_messages with wait; for nodes of others, wait_for_nodes. If you cannot go on at all, say why.`;

export const noAnswer = ({ node }: Worker): string =>
  `Your message was read, and nobody is about to answer it. Go on with ${node} without an answer, or publish what you have as partial and say what is missing.`;

/** Undefined if nothing can come. */
export function waitForReply(state: State, one: Worker, now: number): Wait | undefined {
  for (const { id, by, status, approves } of state.questions.values())
    if (by === one.id && status === "open" && !approves) return { for: "question", question: id };
  const held = one.node ? state.nodes.get(one.node) : undefined;
  // As with the tool that waits for mail: the holder of a node must not wait for ever.
  const deadline = held && iso(now + held.timeout_seconds * 1000);
  const open = nodesThatCanEnd(state, one.node);
  const nodes = [...state.nodes.values()].filter(({ id, creator }) => creator === one.id && open.has(id));
  if (nodes.length) return { for: "nodes", nodes: nodes.map(({ id }) => id), deadline };
  const from = unanswered(state, one).filter((id) => mayAnswer(state, one, id));
  return from.length ? { for: "mail", from, deadline } : undefined;
}

/** It waits for a reply of participants that have read its message and are idle. */
export const isForgotten = (state: State, one: Thinker): boolean =>
  one.wait?.for === "mail" && one.wait.from !== undefined && !one.wait.from.some((id) => mayAnswer(state, one, id));

/** The participants it wrote to since it was given its node, and that have not replied. */
function unanswered({ channel }: State, one: Worker): ParticipantId[] {
  const since = assignedAt(one);
  const open = new Set<ParticipantId>();
  for (const { seq, from, to, priority } of channel) {
    if (seq < since) continue;
    if (from === one.id && priority !== "background") for (const id of to) open.add(id);
    else if (to.includes(one.id)) open.delete(from);
  }
  return [...open];
}

function assignedAt({ conversation }: Worker): number {
  for (const line of conversation.toReversed())
    if (line.role === "inbox") for (const { kind, seq } of line.entries) if (kind === "assigned") return seq;
  return 0;
}

function mayAnswer(state: State, { id: asker }: Thinker, id: ParticipantId): boolean {
  const other = state.participants.get(id);
  if (!other || other.kind === "human") return other !== undefined;
  if (other.retired) return other.turn !== undefined;
  if (other.turn || canRun(other)) return true;
  if (other.wait?.for !== "mail") return other.wait !== undefined;
  for (const one of state.participants.values())
    if (one.id !== asker && one.kind !== "human" && (one.turn || canRun(one))) return true;
  return false;
}
