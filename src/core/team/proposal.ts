/**
 * Proposals: questions put to a vote.
 *
 * `plurality`: most votes win. `majority`: more than half of the voters, not of the votes cast. `unanimous`: every voter, the same option. Fewer
 * votes than the quorum give no result, and expiry applies the same rule to the votes there are: only the rule decides. Who abstains counts for the
 * quorum, and is not a voter otherwise.
 *
 * A voter may delegate to another one and then counts for what that one votes, until it votes itself. Weights count wherever votes are summed, and
 * not for the quorum, which is about how many took part.
 *
 * A vote may be changed while the proposal is open, and its reason with it. It closes when everyone who can still vote has voted (a retired voter
 * cannot, but still counts as a voter); or earlier when more than half of the voters agree and the quorum is met, because then neither the open votes nor a change of mind
 * of the losing side can alter the result. A mere lead does not close it, nor does a broken unanimity: both may still turn. It closes once; settled
 * and withdrawn are final.
 *
 * Not here: what a binding result leads to (binding.ts). Any other reaches the voters' inboxes, and they act on it.
 */

import { typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { abstain, type Proposal, type Verdict } from "../../schema/proposal.ts";
import { requireRun } from "../lookup.ts";
import { type Appointments, type Deciders, defineBehaviour, iso, type Reduce, type Settle } from "../noun.ts";
import { leads } from "../run/lead.ts";
import type { State } from "../state.ts";
import { assertBinding, settleEffects } from "./binding.ts";
import { foldCase, requireParticipant } from "./names.ts";

type Ballot = Pick<Proposal, "options" | "voters" | "votes" | "rule"> & Partial<Pick<Proposal, "by" | "delegations">>;

/** The rule applied to the votes cast so far. */
export function verdict(ballot: Ballot): Verdict {
  const { options, rule, voters } = ballot;
  const cast = options.reduce((sum, option) => sum + votesFor(ballot, option), 0);
  const all = weightOf(ballot, voters) - abstentions(ballot);
  const valid = new Set([...options, abstain]);
  if (voters.filter((voter) => valid.has(countedVote(ballot, voter) ?? "")).length < rule.quorum)
    return { result: "none", why: "no_quorum" };
  if (cast === 0) return { result: "none", why: "no_votes" };
  const most = Math.max(...options.map((option) => votesFor(ballot, option)));
  const leading = options.filter((option) => votesFor(ballot, option) === most);
  const won = (option: string): Verdict => ({ result: "won", option });
  switch (rule.rule) {
    case "plurality": {
      const chosen = leading.length === 1 || rule.tie === "first" ? leading[0] : castByCreator(ballot, leading);
      return chosen === undefined ? { result: "none", why: "tie" } : won(chosen);
    }
    case "majority":
      return most * 2 > all ? won(leading[0]!) : { result: "none", why: "no_majority" };
    case "unanimous":
      return most === all ? won(leading[0]!) : { result: "none", why: "not_unanimous" };
  }
}

/** What decides a tie if its creator does. */
function castByCreator(ballot: Ballot, leading: readonly string[]): string | undefined {
  const own = ballot.rule.tie === "creator" && ballot.by !== undefined ? countedVote(ballot, ballot.by) : undefined;
  return leading.find((option) => option === own);
}

export const proposalDecide: Deciders<
  | "proposal.create"
  | "proposal.vote"
  | "proposal.delegate"
  | "proposal.expire"
  | "proposal.withdraw"
  | "proposal.review"
> = {
  "proposal.create": (state, { type: _, voters: named, expires_seconds, review_seconds, ...given }, context) => {
    const { now, actor } = context;
    const { options, rule, quorum, tie, binding, weights, ...asked } = given;
    requireRun(state);
    const twice = options.find((option, at) => options.findIndex((other) => foldCase(other) === foldCase(option)) < at);
    if (twice)
      throw new Problem(
        "invalid",
        `the option ${JSON.stringify(twice)} is listed twice (case is ignored); options must differ`,
      );
    if (options.some(isAbstention))
      throw new Problem("invalid", `everyone may ${abstain} in any vote; leave it out of the options`);
    if (binding) assertBinding(state, { ...given, binding, named, weights }, actor);
    const voters = named ? [...new Set(named.map((name) => voterNamed(state, name)))] : everyone(state);
    if (quorum > voters.length) {
      throw new Problem(
        "invalid",
        `a quorum of ${quorum} cannot be met by ${voters.length} voters; at most ${voters.length} is possible`,
      );
    }
    const proposal = `p${state.proposals.size + 1}`;
    const later = (seconds: number | undefined) => (seconds === undefined ? undefined : iso(now + seconds * 1000));
    const counted = weights ? { weights: weightsOf(state, weights, voters) } : {};
    const times = { expires_at: later(expires_seconds), review_at: later(review_seconds) };
    const data = { proposal, ...asked, options, voters, rule: { rule, quorum, tie, ...counted }, binding, ...times };
    return [{ type: "proposal.created", data }];
  },

  "proposal.vote": (state, { proposal: id, voter, option: wanted, reason }, { actor }) => {
    requireRun(state);
    const proposal = requireOpen(state, id);
    if (actor !== voter)
      throw new Problem(
        "forbidden",
        `${actor} cannot vote on behalf of ${voter}; participants vote only for themselves`,
      );
    if (!proposal.voters.includes(voter)) {
      throw new Problem("forbidden", `${voter} has no vote on ${id}; its voters are ${proposal.voters.join(", ")}`);
    }
    const option =
      proposal.options.find((one) => foldCase(one) === foldCase(wanted)) ??
      (isAbstention(wanted) ? abstain : undefined);
    if (option === undefined) {
      throw new Problem(
        "invalid",
        `${id} has no option ${JSON.stringify(wanted)}; its options are ${proposal.options.join(" / ")} / ${abstain}`,
      );
    }
    const isSame = voteOf(proposal, voter) === option && (reason === undefined || reasonOf(proposal, voter) === reason);
    const data = { proposal: id, voter, option, ...(reason === undefined ? {} : { reason }) };
    return isSame ? [] : [{ type: "proposal.voted", data }];
  },

  "proposal.delegate": (state, { proposal: id, voter, to }, { actor }) => {
    requireRun(state);
    const proposal = requireOpen(state, id);
    if (actor !== voter)
      throw new Problem(
        "forbidden",
        `${actor} cannot delegate on behalf of ${voter}; participants decide for themselves`,
      );
    const other = voterNamed(state, to);
    for (const one of [voter, other])
      if (!proposal.voters.includes(one))
        throw new Problem("forbidden", `${one} has no vote on ${id}; its voters are ${proposal.voters.join(", ")}`);
    if (other === voter || chainFrom(proposal, other).includes(voter))
      throw new Problem("invalid", `${other} votes as ${voter} does; somebody must vote for themselves`);
    return proposal.delegations?.[voter] === other
      ? []
      : [{ type: "proposal.delegated", data: { proposal: id, voter, to: other } }];
  },

  /** No effect before its time, nor twice. */
  "proposal.review": (state, { proposal: id }, { now }) => {
    const proposal = requireProposal(state, id);
    return isForReview(state, proposal) && Date.parse(proposal.review_at!) <= now
      ? [{ type: "proposal.review_due", data: { proposal: id } }]
      : [];
  },

  /** No effect before its time, nor after it is closed. */
  "proposal.expire": (state, { proposal: id }, { now }) => {
    const proposal = requireProposal(state, id);
    if (state.run?.status !== "open" || proposal.status !== "open") return [];
    if (!proposal.expires_at || Date.parse(proposal.expires_at) > now) return [];
    return [{ type: "proposal.settled", data: { proposal: id, verdict: verdict(proposal), expired: true } }];
  },

  "proposal.withdraw": (state, { proposal: id }, { actor }) => {
    requireRun(state);
    const proposal = requireProposal(state, id);
    if (proposal.status === "withdrawn") return [];
    requireOpen(state, id);
    if (actor !== proposal.by && !leads(state, actor) && actor !== "human") {
      throw new Problem(
        "forbidden",
        `${id} was created by ${proposal.by}; only its creator, the coordinator or the human can withdraw it`,
      );
    }
    return [{ type: "proposal.withdrawn", data: { proposal: id } }];
  },
};

const reduceProposals: Reduce = (state, event) => {
  switch (event.type) {
    case "run.started":
      return state.proposals.clear();
    case "proposal.created": {
      const { proposal: id, ...given } = event.data;
      state.proposals.set(id, { ...given, id, status: "open", by: event.actor, votes: {}, created_at: event.ts });
      return;
    }
    case "proposal.voted": {
      const { voter, option, reason } = event.data;
      return change(state, event.data.proposal, (open) => ({
        ...open,
        votes: { ...open.votes, [voter]: option },
        ...(open.delegations ? { delegations: without(open.delegations, voter) } : {}),
        ...(reason === undefined && !open.reasons ? {} : { reasons: withReason(open.reasons, voter, reason) }),
      }));
    }
    case "proposal.delegated": {
      const { voter, to } = event.data;
      return change(state, event.data.proposal, (open) => ({
        ...open,
        votes: without(open.votes, voter),
        ...(open.reasons ? { reasons: without(open.reasons, voter) } : {}),
        delegations: { ...open.delegations, [voter]: to },
      }));
    }
    case "proposal.review_due": {
      const one = state.proposals.get(event.data.proposal);
      if (one?.status === "settled") state.proposals.set(one.id, { ...one, review_due: true });
      return;
    }
    case "proposal.settled": {
      const { verdict: result, expired } = event.data;
      return change(state, event.data.proposal, (open) => ({
        ...open,
        status: "settled",
        verdict: result,
        expired,
        ended_at: event.ts,
      }));
    }
    case "proposal.applied": {
      const { proposal: id, effect } = event.data;
      const one = state.proposals.get(id);
      if (one?.status === "settled") state.proposals.set(id, { ...one, effect });
      return;
    }
    case "proposal.withdrawn":
      return change(state, event.data.proposal, (open) => ({ ...open, status: "withdrawn", ended_at: event.ts }));
  }
};

const settleProposals: Settle = (state) => {
  if (state.run?.status !== "open") return [];
  const closed = openOnes(state).filter((proposal) => isClosed(state, proposal));
  return closed.map((proposal) => ({
    type: "proposal.settled",
    data: { proposal: proposal.id, verdict: verdict(proposal), expired: false },
  }));
};

const proposalAppointments: Appointments = (state) =>
  state.run?.status !== "open"
    ? []
    : [...state.proposals.values()].flatMap((one): ReturnType<Appointments> => {
        const { id, status, expires_at, review_at } = one;
        if (status === "open" && expires_at)
          return [{ at: expires_at, command: { type: "proposal.expire", proposal: id } }];
        return isForReview(state, one) ? [{ at: review_at!, command: { type: "proposal.review", proposal: id } }] : [];
      });

/** What was settled is looked at again, once. */
const isForReview = ({ run }: State, one: Proposal): boolean =>
  run?.status === "open" && one.status === "settled" && one.review_at !== undefined && !one.review_due;

/** Whether voting is over before its time. */
export function isClosed(state: State, proposal: Proposal): boolean {
  const { voters } = proposal;
  if (
    voters.every((voter) => countedVote(proposal, voter) !== undefined || !canVote(state, delegatesTo(proposal, voter)))
  )
    return true;
  // Nothing about money is settled before the human has had a say.
  if (proposal.binding?.effect === "budget" && awaitsVote(proposal, "human")) return false;
  const result = verdict(proposal);
  return result.result === "won" && votesFor(proposal, result.option) * 2 > weightOf(proposal, voters);
}

/** Its own vote, or that of the one it delegated to. */
export const countedVote = (ballot: Ballot, voter: string): string | undefined =>
  voteOf(ballot, delegatesTo(ballot, voter));

/** Whose vote counts for this voter. */
export const delegatesTo = (ballot: Ballot, voter: string): string => chainFrom(ballot, voter).at(-1)!;

/** It, the one it delegated to, and so on. There is no cycle; in a log that has one it is cut. */
function chainFrom({ delegations = {} }: Ballot, voter: string): string[] {
  const chain = [voter];
  for (let one = voter; Object.hasOwn(delegations, one); ) {
    one = delegations[one]!;
    if (chain.includes(one)) break;
    chain.push(one);
  }
  return chain;
}

const weightOf = ({ rule: { weights = {} } }: Pick<Ballot, "rule">, voters: readonly string[]): number =>
  voters.reduce((sum, voter) => sum + (Object.hasOwn(weights, voter) ? weights[voter]! : 1), 0);

/** By id, for those who vote. */
function weightsOf(state: State, weights: Record<string, number>, voters: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    Object.entries(weights).map(([name, weight]) => {
      const id = voterNamed(state, name);
      if (!voters.includes(id))
        throw new Problem("invalid", `weights: ${id} has no vote; voters: ${voters.join(", ")}`);
      return [id, weight];
    }),
  );
}

export const voteOf = ({ votes }: Ballot, voter: string): string | undefined =>
  Object.hasOwn(votes, voter) ? votes[voter] : undefined;

export const reasonOf = ({ reasons = {} }: Proposal, voter: string): string | undefined =>
  Object.hasOwn(reasons, voter) ? reasons[voter] : undefined;

function without<T>(given: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _, ...others } = given;
  return others;
}

/** The reason belongs to the vote: one that comes without a reason has none. */
function withReason(before: Proposal["reasons"] = {}, voter: string, reason: string | undefined) {
  const others = without(before, voter);
  return reason === undefined ? others : { ...others, [voter]: reason };
}

/** With their weights. */
export const votesFor = (ballot: Ballot, option: string): number =>
  weightOf(
    ballot,
    ballot.voters.filter((voter) => countedVote(ballot, voter) === option),
  );

const isAbstention = (option: string): boolean => foldCase(option) === abstain;

/** Of a proposal that has an option of that name, as some old ones may, nobody abstains. */
const abstentions = (ballot: Ballot): number => (ballot.options.includes(abstain) ? 0 : votesFor(ballot, abstain));

/** Whether it waits for this voter, who has neither voted nor delegated. */
export const awaitsVote = (proposal: Proposal, voter: string): boolean =>
  proposal.status === "open" &&
  proposal.voters.includes(voter) &&
  voteOf(proposal, voter) === undefined &&
  delegatesTo(proposal, voter) === voter;

const openOnes = (state: State) => [...state.proposals.values()].filter((proposal) => proposal.status === "open");

const everyone = (state: State): string[] => [...state.participants.keys()].filter((id) => canVote(state, id));

function canVote(state: State, id: string): boolean {
  const one = state.participants.get(id);
  return one !== undefined && (one.kind === "human" || !one.retired);
}

function voterNamed(state: State, name: string): string {
  const { id } = requireParticipant(state, name);
  if (canVote(state, id)) return id;
  throw new Problem(
    "wrong_state",
    `${id} is retired and cannot vote; choose others, or omit voters to include everyone`,
  );
}

function requireProposal(state: State, id: string): Proposal {
  const proposal = state.proposals.get(id);
  if (proposal) return proposal;
  throw new Problem(
    "not_found",
    `there is no proposal ${id}; proposals: ${[...state.proposals.keys()].join(", ") || "none"}`,
  );
}

function requireOpen(state: State, id: string): Extract<Proposal, { status: "open" }> {
  const proposal = requireProposal(state, id);
  if (proposal.status === "open") return proposal;
  const open = openOnes(state).map((one) => one.id);
  throw new Problem("wrong_state", `${id} is already ${proposal.status}; open proposals: ${open.join(", ") || "none"}`);
}

function change(state: State, id: string, next: (open: Extract<Proposal, { status: "open" }>) => Proposal): void {
  const proposal = state.proposals.get(id);
  if (proposal?.status === "open") state.proposals.set(id, next(proposal));
}

export const proposal = defineBehaviour({
  decide: proposalDecide,
  reduce: [{ phase: "own", looksAt: [...typesOf("proposal"), "run.started"], reduce: reduceProposals }],
  settle: [
    { phase: "answer", rule: settleProposals },
    { phase: "answer", rule: settleEffects },
  ],
  appointments: { while: ["active"], of: proposalAppointments },
});
