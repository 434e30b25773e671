/**
 * Proposals: questions put to a vote.
 *
 * `plurality`: most votes win. `majority`: more than half of the voters, not of the votes cast. `unanimous`: every voter, the same option. Fewer
 * votes than the quorum give no result, and expiry applies the same rule to the votes there are: only the rule decides. Who abstains counts for the
 * quorum, and is not a voter otherwise.
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

type Ballot = Pick<Proposal, "options" | "voters" | "votes" | "rule">;

/** The rule applied to the votes cast so far. */
export function verdict(ballot: Ballot): Verdict {
  const { options, rule } = ballot;
  const cast = options.reduce((sum, option) => sum + votesFor(ballot, option), 0);
  const abstained = abstentions(ballot);
  const voters = ballot.voters.length - abstained;
  if (cast + abstained < rule.quorum) return { result: "none", why: "no_quorum" };
  if (cast === 0) return { result: "none", why: "no_votes" };
  const most = Math.max(...options.map((option) => votesFor(ballot, option)));
  const leading = options.filter((option) => votesFor(ballot, option) === most);
  const won: Verdict = { result: "won", option: leading[0]! };
  switch (rule.rule) {
    case "plurality":
      return leading.length === 1 || rule.tie === "first" ? won : { result: "none", why: "tie" };
    case "majority":
      return most * 2 > voters ? won : { result: "none", why: "no_majority" };
    case "unanimous":
      return most === voters ? won : { result: "none", why: "not_unanimous" };
  }
}

export const proposalDecide: Deciders<"proposal.create" | "proposal.vote" | "proposal.expire" | "proposal.withdraw"> = {
  "proposal.create": (state, { type: _, voters: named, expires_seconds, ...given }, { now, actor }) => {
    const { options, rule, quorum, tie, binding, ...asked } = given;
    requireRun(state);
    const twice = options.find((option, at) => options.findIndex((other) => foldCase(other) === foldCase(option)) < at);
    if (twice)
      throw new Problem(
        "invalid",
        `the option ${JSON.stringify(twice)} is listed twice (case is ignored); options must differ`,
      );
    if (options.some(isAbstention))
      throw new Problem("invalid", `everyone may ${abstain} in any vote; leave it out of the options`);
    if (binding) assertBinding(state, { ...given, binding, named }, actor);
    const voters = named ? [...new Set(named.map((name) => voterNamed(state, name)))] : everyone(state);
    if (quorum > voters.length) {
      throw new Problem(
        "invalid",
        `a quorum of ${quorum} cannot be met by ${voters.length} voters; at most ${voters.length} is possible`,
      );
    }
    const proposal = `p${state.proposals.size + 1}`;
    const expires_at = expires_seconds === undefined ? undefined : iso(now + expires_seconds * 1000);
    const data = { proposal, ...asked, options, voters, rule: { rule, quorum, tie }, binding, expires_at };
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
        ...(reason === undefined && !open.reasons ? {} : { reasons: withReason(open.reasons, voter, reason) }),
      }));
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
    : openOnes(state).flatMap(({ id, expires_at }) =>
        expires_at ? [{ at: expires_at, command: { type: "proposal.expire" as const, proposal: id } }] : [],
      );

/** Whether voting is over before its time. */
export function isClosed(state: State, proposal: Proposal): boolean {
  if (proposal.voters.every((voter) => voteOf(proposal, voter) !== undefined || !canVote(state, voter))) return true;
  const result = verdict(proposal);
  return result.result === "won" && votesFor(proposal, result.option) * 2 > proposal.voters.length;
}

export const voteOf = ({ votes }: Ballot, voter: string): string | undefined =>
  Object.hasOwn(votes, voter) ? votes[voter] : undefined;

export const reasonOf = ({ reasons = {} }: Proposal, voter: string): string | undefined =>
  Object.hasOwn(reasons, voter) ? reasons[voter] : undefined;

/** The reason belongs to the vote: one that comes without a reason has none. */
function withReason(before: Proposal["reasons"] = {}, voter: string, reason: string | undefined) {
  const { [voter]: _, ...others } = before;
  return reason === undefined ? others : { ...others, [voter]: reason };
}

const votesFor = (ballot: Ballot, option: string): number =>
  ballot.voters.filter((voter) => voteOf(ballot, voter) === option).length;

const isAbstention = (option: string): boolean => foldCase(option) === abstain;

/** Of a proposal that has an option of that name, as some old ones may, nobody abstains. */
const abstentions = (ballot: Ballot): number => (ballot.options.includes(abstain) ? 0 : votesFor(ballot, abstain));

/** Whether it waits for this voter. */
export const awaitsVote = (proposal: Proposal, voter: string): boolean =>
  proposal.status === "open" && proposal.voters.includes(voter) && voteOf(proposal, voter) === undefined;

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
