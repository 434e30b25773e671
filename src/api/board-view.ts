/** The board made from the state alone: the same on both sides of the wire. */

import { evidenceOf } from "../core/board/check.ts";
import type { State } from "../core/state.ts";
import { firstLine } from "../lib/text/text.ts";
import type { Amount } from "../schema/budget.ts";
import type { Message } from "../schema/message.ts";
import type { Node } from "../schema/node.ts";
import type { Board, BoardNode } from "./board.ts";

export function boardOf(state: State): Board {
  const { run, stages, nodes, suggestions, seq } = state;
  return {
    run: run?.id ?? null,
    plan: (run?.status === "open" && run.plan) || null,
    stages: [...stages.values()],
    nodes: [...nodes.values()].map((node) => boardNodeOf(state, node)),
    suggestions: [...suggestions.values()],
    seq,
  };
}

function boardNodeOf(state: State, node: Node): BoardNode {
  return {
    id: node.id,
    name: node.name,
    status: node.status,
    headline: headlineOf(node),
    stage: node.stage ?? null,
    parent: node.parent ?? null,
    depends_on: node.depends_on,
    refs: node.refs,
    creator: node.creator,
    worker: workerOf(node) ?? null,
    turns: node.turns,
    max_turns: node.max_turns,
    cost: costOf(state, `node:${node.id}`),
    ...(node.status === "completed" ? { partial: node.partial, evidence: evidenceOf(node) } : {}),
    ...(node.checks ? { checks: countChecks(node, node.checks.length) } : {}),
    ...("reason" in node ? { reason: node.reason } : {}),
    created_at: node.created_at,
    ...("started_at" in node ? { started_at: node.started_at } : {}),
    ...("ended_at" in node ? { ended_at: node.ended_at } : {}),
  };
}

function countChecks({ results = [], rejections = 0 }: Node, total: number): NonNullable<BoardNode["checks"]> {
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  return { total, passed: count("passed"), failed: count("failed"), errored: count("errored"), rejections };
}

/** What there is to say of it, in a line: how it ended, else what is to be done. */
export function headlineOf(node: Node): string {
  if (node.status === "completed") return firstLine(node.summary, longest);
  if ("reason" in node) return firstLine(node.reason.message, longest);
  return firstLine(node.checkpoint ?? node.task, longest);
}

const workerOf = (node: Node): string | undefined => ("worker" in node ? node.worker : undefined);

export function costOf({ accounts }: State, account: string): Amount {
  const { usd = 0, tokens = 0 } = accounts.get(account)?.spent ?? {};
  return { usd, tokens };
}

const longest = 160;

/** What its worker heard and said while it was at work on it, and whatever names it; as far as the state goes back. */
export function messagesAbout({ channel }: State, node: Node): Message[] {
  const worker = workerOf(node);
  const from = "started_at" in node ? node.started_at : node.created_at;
  const until = "ended_at" in node ? node.ended_at : undefined;
  return channel.filter(
    ({ from: sender, to, text, at }) =>
      text.includes(node.id) ||
      (worker !== undefined &&
        at >= from &&
        (until === undefined || at <= until) &&
        (sender === worker || to.includes(worker))),
  );
}
