/** What the graph, the board and the list say of a node: made from the state alone, plain values, so that what did not change is not drawn again. */

import { costOf, headlineOf } from "../../api/board-view.ts";
import { checkTitle, evidenceOf } from "../../core/board/check.ts";
import type { State } from "../../core/state.ts";
import { money } from "../../lib/text/amounts.ts";
import type { Evidence } from "../../schema/evidence.ts";
import type { Node } from "../../schema/node.ts";
import type { Suggestion } from "../../schema/suggestion.ts";
import { type Who, whoIs } from "../parts/status/avatar.tsx";
import { type Look, nodeLookIn } from "../parts/status/status.tsx";
import { plural } from "../parts/text/words.ts";
import type { Item } from "./layout.ts";

export interface CardView {
  id: string;
  name: string;
  status: Node["status"];
  look: Look;
  word: string;
  line: string;
  /** The human must act. */
  asks: boolean;
  who: Who | undefined;
  usd: number;
  /** Of what it may spend, or of its turns where no money is set. */
  share: number;
  of: string;
  created_at: string;
  started_at: string | undefined;
  ended_at: string | undefined;
  stage: string | undefined;
  partial: boolean;
  /** Of what is completed. */
  evidence: Evidence | undefined;
  /** Checks that failed on the content that was looked at last. */
  failed: number;
  /** A check failed, and its worker mends it. */
  mends: boolean;
}

export function cardOf(state: State, node: Node): CardView {
  const worker = "worker" in node ? node.worker : node.wanted_worker;
  const asked = questionOf(state, node);
  const limit = state.accounts.get(`node:${node.id}`)?.limit.usd;
  const { usd } = costOf(state, `node:${node.id}`);
  return {
    id: node.id,
    name: node.name,
    status: node.status,
    ...lookOf(state, node, asked !== undefined),
    line: asked ? `Asks you: ${asked.text.split("\n")[0]}` : lineOf(state, node),
    asks: asked !== undefined,
    who: worker === undefined ? undefined : whoIs(state, worker),
    usd,
    share: limit ? usd / limit : node.turns / node.max_turns,
    of: limit ? `${money(usd)} of ${money(limit)}` : `${node.turns} of ${plural(node.max_turns, "turn")}`,
    created_at: node.created_at,
    started_at: "started_at" in node ? node.started_at : undefined,
    ended_at: "ended_at" in node ? node.ended_at : undefined,
    stage: node.stage,
    partial: node.status === "completed" && node.partial,
    evidence: evidenceOf(node),
    failed: failedChecks(node).length,
    mends: failedChecks(node).length > 0 && !("ended_at" in node),
  };
}

/** Amber only where the human is needed. */
const lookOf = (state: State, node: Node, asks: boolean): { look: Look; word: string } =>
  asks ? { look: "waiting", word: "Waits for you" } : nodeLookIn(state, node);

function lineOf(state: State, node: Node): string {
  if (node.status === "pending") {
    const open = node.depends_on.filter((id) => state.nodes.get(id)?.status !== "completed");
    if (open.length) return open.length === 1 ? `Waits for ${open[0]}` : `Waits for ${open.length} nodes`;
  }
  const [failed] = "ended_at" in node ? [] : failedChecks(node);
  if (failed) return `Check failed, being mended: ${checkTitle(failed.what)}`;
  if (node.status === "waiting" && node.on.for === "nodes") return `Waits for ${node.on.nodes.join(", ")}`;
  return headlineOf(node);
}

/** On the content that was looked at last. */
const failedChecks = ({ results = [] }: Node) => results.filter(({ outcome }) => outcome === "failed");

/** What its worker asked the human and waits for. */
export function questionOf(state: State, node: Node) {
  if (!("worker" in node) || "ended_at" in node) return undefined;
  const one = state.participants.get(node.worker!);
  if (!one || one.kind === "human" || one.node !== node.id) return undefined;
  for (const question of state.questions.values())
    if (question.by === one.id && question.status === "open") return question;
  return undefined;
}

export const openSuggestions = (state: State): Suggestion[] =>
  [...state.suggestions.values()].filter(({ status }) => status === "open");

/** What has a place on the graph, in the order it came. */
export function itemsOf({ nodes, suggestions }: State): Item[] {
  const items: (Item & { when: string })[] = [...nodes.values()].map((node) => ({
    id: node.id,
    stage: node.stage,
    needs: [...node.depends_on.filter((id) => id !== node.parent), ...(node.retry_of ? [node.retry_of] : [])],
    under: node.parent,
    takes: node.suggestion,
    when: node.created_at,
  }));
  for (const { id, node, at } of suggestions.values())
    items.push({ id, needs: [], beside: node, loose: true, when: at });
  return suggestions.size ? items.sort((a, b) => (a.when < b.when ? -1 : a.when > b.when ? 1 : 0)) : items;
}
