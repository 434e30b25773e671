/**
 * Proposals as their events tell them, of every run: who voted what, when and why. Folded with the core's own rules; what nothing touched is the
 * same object as before.
 */

import { emptyState } from "../../core/state.ts";
import { proposal as rules } from "../../core/team/proposal.ts";
import type { Event } from "../../schema/event.ts";
import type { Proposal } from "../../schema/proposal.ts";

export interface Ballot {
  voter: string;
  option: string;
  reason?: string;
  /** Missing where only the state is known. */
  at?: string;
}

export interface Vote {
  /** Ids of proposals begin anew with each run. */
  key: string;
  run: string;
  /** Of the event that created it. */
  seq: number;
  proposal: Proposal;
  /** As they count, in the order in which they were cast. */
  ballots: readonly Ballot[];
}

export interface Votes {
  /** The vote that the event touched, if it did. */
  take(event: Event): Vote | undefined;
  all(): readonly Vote[];
}

export const voteKey = (run: string | undefined, id: string): string => `${run ?? ""}/${id}`;

export function createVotes(): Votes {
  const state = emptyState();
  const votes = new Map<string, Vote>();
  return {
    take(event) {
      for (const { reduce } of rules.reduce ?? []) reduce(state, event);
      if (!("proposal" in event.data) || !event.type.startsWith("proposal.")) return undefined;
      const id = event.data.proposal as string;
      const proposal = state.proposals.get(id);
      if (!proposal) return undefined;
      const key = voteKey(event.run, id);
      const before = votes.get(key) ?? { key, run: event.run ?? "", seq: event.seq, proposal, ballots: [] };
      const vote = { ...before, proposal, ballots: ballotsAfter(before.ballots, event) };
      votes.set(key, vote);
      return vote;
    },
    all: () => [...votes.values()],
  };
}

/** The last vote of a voter counts. */
function ballotsAfter(ballots: readonly Ballot[], event: Event): readonly Ballot[] {
  if (event.type !== "proposal.voted") return ballots;
  const { voter, option, reason } = event.data;
  const ballot = { voter, option, at: event.ts, ...(reason === undefined ? {} : { reason }) };
  return [...ballots.filter((one) => one.voter !== voter), ballot];
}

/** As the state has it. */
export const voteIn = (run: string | undefined, proposal: Proposal): Vote => ({
  key: voteKey(run, proposal.id),
  run: run ?? "",
  seq: 0,
  proposal,
  ballots: Object.entries(proposal.votes).map(([voter, option]) => ({
    voter,
    option,
    ...(proposal.reasons?.[voter] === undefined ? {} : { reason: proposal.reasons[voter] }),
  })),
});
