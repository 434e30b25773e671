/**
 * Binding proposals: what follows from their result, by the runtime, exactly once.
 *
 * A settled one is applied in the same step, before anyone else can act: what it changes is a fact of its own, and `proposal.applied` says what came of
 * it, also if that is nothing because the world has changed meanwhile (the winner is retired, the node has started). A gate (`merge`,
 * `release`) changes nothing; it is asked before a node is merged, or the run finished.
 *
 * Nobody gets rights by a vote that they arrange: unless the coordinator or the human proposes it, everyone votes, and more than half must agree.
 */
import type { BudgetLimit } from "../../schema/budget.ts";
import type { Fact } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Binding, Proposal, ProposalRule } from "../../schema/proposal.ts";
import type { Participant } from "../../schema/worker.ts";
import { accountFor } from "../agent/budget.ts";
import { ownedBy } from "../file/document.ts";
import { requireNode } from "../lookup.ts";
import type { Settle } from "../noun.ts";
import { lead, leads } from "../run/lead.ts";
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
  weights?: ProposalRule["weights"] | undefined;
}

/** Throws unless this can be put to a binding vote by this participant. */
export function assertBinding(state: State, given: Given, actor: string): void {
  const { binding, options, rule, named, weights } = given;
  if (!leads(state, actor) && actor !== "human" && (named || weights || rule === "plurality"))
    throw new Problem(
      "forbidden",
      "a binding vote is by everyone, each with one vote, and needs a majority, unless the coordinator or the human proposes it: leave voters and weights out, and set rule to majority or unanimous",
    );
  if (binding.effect === "own") requireDocument(state, binding.document);
  if (binding.effect === "assign" || binding.effect === "merge") requireNode(state, binding.node);
  const boss = lead(state);
  if (binding.effect === "lead" && boss)
    throw new Problem("wrong_state", `${boss.name} leads this run; only a run without a coordinator elects who leads`);
  if (binding.effect === "budget" && named && !named.some((name) => findParticipant(state, name)?.kind === "human"))
    throw new Problem("invalid", "a budget is the human's: include Human in the voters");
  const eligible = candidates[binding.effect];
  for (const option of eligible ? options : []) {
    const one = findParticipant(state, option);
    if (one && eligible!.is(one)) continue;
    throw new Problem(
      "invalid",
      `the option ${JSON.stringify(option)} is not ${eligible!.who}; the options are who may win`,
    );
  }
}

/** Who can win; missing where the options are not people. */
const candidates: Partial<Record<Binding["effect"], { who: string; is(one: Participant): boolean }>> = {
  own: { who: "a participant", is: () => true },
  assign: { who: "a worker", is: isDoer },
  lead: { who: "a worker", is: isDoer },
};

function requireDocument({ documents }: State, name: string): void {
  if (documents.has(name)) return;
  const names = [...documents.keys()].join(", ") || "none";
  throw new Problem("not_found", `there is no document ${name}; documents: ${names}`);
}

/** In words, for those who vote. */
export function bindingText(binding: Binding): string {
  switch (binding.effect) {
    case "own":
      return `the winner will own ${binding.document}`;
    case "assign":
      return `the winner will do ${binding.node}`;
    case "merge":
      return `${binding.node} is merged only if the first option wins`;
    case "release":
      return "the run is finished only if the first option wins";
    case "lead":
      return "the winner will lead this run";
    case "budget":
      return `the budget of this run will be ${limitText(binding.limit)} if the first option wins and the human votes for it`;
  }
}

const limitText = (limit: BudgetLimit): string =>
  Object.entries(limit)
    .map(([unit, most]) => (unit === "usd" ? `$${most}` : `${most} ${unit}`))
    .join(", ") || "without a limit";

export const settleEffects: Settle = (state) => {
  if (state.run?.status !== "open") return [];
  for (const proposal of state.proposals.values())
    if (proposal.status === "settled" && proposal.binding && proposal.effect === undefined)
      return [effectOf(state, proposal, proposal.binding)];
  return [];
};

/** What is to change next, or that nothing is left to change. */
function effectOf(state: State, proposal: Settled, binding: Binding): Fact {
  const { id, verdict } = proposal;
  const applied = (effect: string): Fact => ({ type: "proposal.applied", data: { proposal: id, effect } });
  const isYes = isApproved(proposal);
  if (binding.effect === "merge")
    return applied(isYes ? `${binding.node} may be merged` : `${binding.node} is not to be merged`);
  if (binding.effect === "release") return applied(isYes ? "the run may be finished" : "the run is not to be finished");
  if (binding.effect === "budget") return budgetChange(state, proposal, binding.limit, isYes, applied);
  if (verdict.result === "none") return applied("nothing changes: there is no result");
  const winner = findParticipant(state, verdict.option);
  if (!winner || (winner.kind !== "human" && winner.retired))
    return applied(`nothing changes: ${verdict.option} is not there any more`);
  if (binding.effect === "lead") return election(state, winner, applied);
  return binding.effect === "own"
    ? ownership(state, binding.document, winner, applied)
    : assignment(state, binding.node, winner, applied);
}

/** Money is the human's: whatever the others want, it changes only with their vote. */
function budgetChange(
  state: State,
  { votes, options }: Settled,
  limit: BudgetLimit,
  isYes: boolean,
  applied: (effect: string) => Fact,
): Fact {
  if (!isYes) return applied("the budget stays as it is");
  if (votes.human !== options[0]) return applied("the budget stays as it is: the human has not voted for it");
  return JSON.stringify(accountFor(state, "run").limit) === JSON.stringify(limit)
    ? applied(`the budget of this run is ${limitText(limit)}`)
    : { type: "budget.set", data: { scope: { of: "run" }, limit } };
}

function election(state: State, winner: Participant, applied: (effect: string) => Fact): Fact {
  if (lead(state)) return applied("nothing changes: the run has a coordinator");
  return state.run?.status === "open" && state.run.elected === winner.id
    ? applied(`${winner.name} leads this run`)
    : { type: "run.led", data: { run: state.run!.id, lead: winner.id } };
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

/** Throws while a vote keeps this node from being merged. */
export function assertMergeable(state: State, node: string): void {
  const gate = mergeGate(state, node);
  if (gate) assertOpen(gate, node, "merged");
}

/** The newest binding vote on it was for merging it. */
export function isMergeApproved(state: State, node: string): boolean {
  const gate = mergeGate(state, node);
  return gate?.status === "settled" && isApproved(gate);
}

const mergeGate = (state: State, node: string): Proposal | undefined =>
  gateOf(state, (binding) => binding.effect === "merge" && binding.node === node);

/** Throws while a vote keeps the run from being finished. */
export function assertReleasable(state: State): undefined {
  const gate = gateOf(state, ({ effect }) => effect === "release");
  if (gate) assertOpen(gate, state.run?.id ?? "the run", "finished");
}

const isApproved = ({ verdict, options }: Settled): boolean =>
  verdict.result === "won" && verdict.option === options[0];

/** The newest vote counts; one that was withdrawn does not. */
const gateOf = ({ proposals }: State, isOn: (binding: Binding) => boolean): Proposal | undefined =>
  [...proposals.values()].findLast(({ binding, status }) => binding && isOn(binding) && status !== "withdrawn");

function assertOpen(gate: Proposal, what: string, done: string): void {
  if (gate.status === "open")
    throw new Problem("wrong_state", `${what} is being voted on (${gate.id}); wait for the result`);
  if (gate.status !== "settled" || isApproved(gate)) return;
  const result = gate.verdict.result === "won" ? gate.verdict.option : `no result (${gate.verdict.why})`;
  throw new Problem(
    "forbidden",
    `${what} is not to be ${done}: ${gate.id} gave ${result}. Put it to the vote again, or change it first`,
  );
}
