/**
 * Binding proposals: what follows from their result, by the runtime, exactly once.
 *
 * A settled one is applied in the same step, before anyone else can act: what it changes is a fact of its own, and `proposal.applied` says what came of
 * it, also if that is nothing because the world has changed meanwhile (the winner is retired, the node has started). A gate (`merge`) changes
 * nothing; it is asked before a node is merged.
 *
 * Nobody gets rights by a vote that they arrange: unless the coordinator or the human proposes it, everyone votes, and more than half must agree.
 */
import type { Fact } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Binding, Proposal, ProposalRule } from "../../schema/proposal.ts";
import type { Participant } from "../../schema/worker.ts";
import { ownedBy } from "../file/document.ts";
import { requireNode } from "../lookup.ts";
import type { Settle } from "../noun.ts";
import { leads } from "../run/lead.ts";
import type { State } from "../state.ts";
import { findParticipant } from "./names.ts";

import { isDoer } from "./worker.ts";

type Settled = Extract<Proposal, { status: "settled" }>;

interface Given {
  binding: Binding;
  options: readonly string[];
  rule: ProposalRule["rule"];
  /** The voters, if they were chosen. */
  named: readonly string[] | undefined;
}

/** Throws unless this can be put to a binding vote by this participant. */
export function assertBinding(state: State, { binding, options, rule, named }: Given, actor: string): void {
  if (!leads(state, actor) && actor !== "human" && (named || rule === "plurality"))
    throw new Problem(
      "forbidden",
      "a binding vote is by everyone and needs a majority, unless the coordinator or the human proposes it: leave voters out, and set rule to majority or unanimous",
    );
  if (binding.effect === "own") requireDocument(state, binding.document);
  else requireNode(state, binding.node);
  if (binding.effect === "merge") return;
  for (const option of options) {
    const one = findParticipant(state, option);
    if (one && (binding.effect === "own" || isDoer(one))) continue;
    const who = binding.effect === "own" ? "a participant" : "a worker";
    throw new Problem("invalid", `the option ${JSON.stringify(option)} is not ${who}; the options are who may win`);
  }
}

function requireDocument({ documents }: State, name: string): void {
  if (documents.has(name)) return;
  const names = [...documents.keys()].join(", ") || "none";
  throw new Problem("not_found", `there is no document ${name}; documents: ${names}`);
}

/** In words, for those who vote. */
export const bindingText = (binding: Binding): string =>
  binding.effect === "own"
    ? `the winner will own ${binding.document}`
    : binding.effect === "assign"
      ? `the winner will do ${binding.node}`
      : `${binding.node} is merged only if the first option wins`;

export const settleEffects: Settle = (state) => {
  if (state.run?.status !== "open") return [];
  for (const proposal of state.proposals.values())
    if (proposal.status === "settled" && proposal.binding && proposal.effect === undefined)
      return [effectOf(state, proposal, proposal.binding)];
  return [];
};

/** What is to change next, or that nothing is left to change. */
function effectOf(state: State, proposal: Settled, binding: Binding): Fact {
  const { id, verdict, options } = proposal;
  const applied = (effect: string): Fact => ({ type: "proposal.applied", data: { proposal: id, effect } });
  if (binding.effect === "merge") {
    const isOpen = verdict.result === "won" && verdict.option === options[0];
    return applied(isOpen ? `${binding.node} may be merged` : `${binding.node} is not to be merged`);
  }
  if (verdict.result === "none") return applied("nothing changes: there is no result");
  const winner = findParticipant(state, verdict.option);
  if (!winner || (winner.kind !== "human" && winner.retired))
    return applied(`nothing changes: ${verdict.option} is not there any more`);
  return binding.effect === "own"
    ? ownership(state, binding.document, winner, applied)
    : assignment(state, binding.node, winner, applied);
}

function ownership(state: State, name: string, winner: Participant, applied: (effect: string) => Fact): Fact {
  const document = state.documents.get(name);
  if (!document) return applied(`nothing changes: there is no document ${name} any more`);
  return document.owner === winner.id
    ? applied(`${winner.name} owns ${name}`)
    : ownedBy(state, document, winner.id, "system");
}

function assignment(state: State, id: string, winner: Participant, applied: (effect: string) => Fact): Fact {
  const node = state.nodes.get(id);
  if (!node) return applied(`nothing changes: there is no node ${id} any more`);
  if ("worker" in node && node.worker === winner.id) return applied(`${winner.name} does ${id}`);
  if (node.status !== "pending") return applied(`nothing changes: ${id} is ${node.status} already`);
  return node.wanted_worker === winner.id
    ? applied(`${winner.name} does ${id}`)
    : { type: "node.wanted", data: { node: id, worker: winner.id } };
}

/** Throws while a vote keeps this node from being merged. The newest vote on it counts; one that was withdrawn does not. */
export function assertMergeable({ proposals }: State, node: string): void {
  const gate = [...proposals.values()].findLast(
    ({ binding, status }) => binding?.effect === "merge" && binding.node === node && status !== "withdrawn",
  );
  if (!gate) return;
  if (gate.status === "open")
    throw new Problem("wrong_state", `${node} is being voted on (${gate.id}); wait for the result`);
  if (gate.status !== "settled" || (gate.verdict.result === "won" && gate.verdict.option === gate.options[0])) return;
  const result = gate.verdict.result === "won" ? gate.verdict.option : `no result (${gate.verdict.why})`;
  throw new Problem(
    "forbidden",
    `${node} is not to be merged: ${gate.id} gave ${result}. Put it to the vote again, or change it first`,
  );
}
