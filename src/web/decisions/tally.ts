/** A proposal in words: its rule, how it stands, what came of it, and what a vote would do. */

import type { State } from "../../core/state.ts";
import { countedVote, isClosed, verdict, votesFor } from "../../core/team/proposal.ts";
import { shorten } from "../../lib/text/text.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import { abstain, type Proposal, type Verdict } from "../../schema/proposal.ts";
import { duration, plural } from "../parts/text/words.ts";

export interface Counted {
  option: string;
  votes: number;
  /** "2 of 3 needed", "2 votes". */
  words: string;
}

export function tallyOf(proposal: Proposal): Counted[] {
  const needed = neededOf(proposal);
  return proposal.options.map((option) => {
    const votes = votesFor(proposal, option);
    return { option, votes, words: needed === undefined ? plural(votes, "vote") : `${votes} of ${needed} needed` };
  });
}

/** Votes that win; missing where the most do. Who abstains does not count as a voter here. */
function neededOf(proposal: Proposal): number | undefined {
  const { weights = {} } = proposal.rule;
  const away = abstainersOf(proposal);
  const voters = proposal.voters.reduce((sum, voter) => sum + (away.includes(voter) ? 0 : (weights[voter] ?? 1)), 0);
  if (proposal.rule.rule === "unanimous") return voters;
  return proposal.rule.rule === "majority" ? Math.floor(voters / 2) + 1 : undefined;
}

/** Of a proposal that has an option of that name nobody abstains. */
export const abstainersOf = (proposal: Proposal): string[] =>
  proposal.options.includes(abstain) ? [] : proposal.voters.filter((voter) => countedVote(proposal, voter) === abstain);

/** What can be chosen: its options, and to abstain. */
export const choicesOf = ({ options }: Proposal): string[] =>
  options.includes(abstain) ? options : [...options, abstain];

/** Who has voted, or let another one vote who has. */
export const castCount = (proposal: Proposal): number =>
  proposal.voters.filter((voter) => countedVote(proposal, voter) !== undefined).length;

export function ruleWords({ rule, voters }: Proposal): string {
  const how = {
    plurality: `Most votes of ${voters.length} win`,
    majority: `Majority of ${voters.length}`,
    unanimous: voters.length === 1 ? "One vote decides" : `All ${voters.length} must agree`,
  }[rule.rule];
  const tie = rule.rule === "plurality" && rule.tie === "first" ? ["a tie goes to the earlier option"] : [];
  const weights = Object.entries(rule.weights ?? {}).map(([voter, weight]) => `${voter} counts ${weight}`);
  return [how, ...weights, ...(rule.quorum > 1 ? [`quorum ${rule.quorum}`] : []), ...tie].join(", ");
}

export const timeLeft = ({ expires_at }: Proposal, now: number): string | undefined => {
  if (expires_at === undefined) return undefined;
  const left = Date.parse(expires_at) - now;
  return left > 0 ? `${duration(left)} left` : "time is over";
};

/** How an open one stands: "Equal batch leads, 3 of 5 have voted". */
export function standing(proposal: Proposal): string {
  const cast = castCount(proposal);
  const of = `${cast} of ${proposal.voters.length} ${cast === 1 ? "has" : "have"} voted`;
  if (cast === 0) return "nobody has voted yet";
  const counted = tallyOf(proposal);
  if (counted.every(({ votes }) => votes === 0)) return `nothing is chosen, ${of}`;
  const most = Math.max(...counted.map(({ votes }) => votes));
  const leading = counted.filter(({ votes }) => votes === most);
  return leading.length > 1 ? `tied, ${of}` : `${named(leading[0]!.option)} leads, ${of}`;
}

const none: Record<Extract<Verdict, { result: "none" }>["why"], string> = {
  tie: "A tie",
  no_quorum: "Too few votes",
  no_majority: "No majority",
  not_unanimous: "Not everyone agreed",
  no_votes: "Nobody voted",
};

/** What came of it. */
export function outcomeOf(proposal: Proposal): { decided: boolean; words: string } {
  if (proposal.status === "withdrawn") return { decided: false, words: "Withdrawn" };
  if (proposal.status === "open") return { decided: false, words: standing(proposal) };
  const { verdict: result } = proposal;
  if (result.result === "won") return { decided: true, words: visibleLine(result.option) };
  return { decided: false, words: `${none[result.why]}, so nothing was decided` };
}

/** "4 to 0": for what won, and against it. */
export function scoreOf(proposal: Proposal): string {
  if (proposal.status !== "settled" || proposal.verdict.result !== "won") return `${castCount(proposal)} voted`;
  const { option } = proposal.verdict;
  const votes = tallyOf(proposal).find((one) => one.option === option)?.votes ?? 0;
  return `${votes} to ${castCount(proposal) - abstainersOf(proposal).length - votes}`;
}

/** What the human's vote for this option would do now. */
export function effectOf(state: State, proposal: Proposal, option: string): string {
  const then = { ...proposal, votes: { ...proposal.votes, human: option } };
  const cast = `then ${castCount(then)} of ${proposal.voters.length} have voted`;
  if (!isClosed(state, then)) return cast;
  const result = verdict(then);
  return result.result === "won"
    ? `settles it: ${named(result.option)}`
    : `settles it: ${none[result.why].toLowerCase()}, nothing is decided`;
}

const named = (option: string): string => shorten(visibleLine(option), 40);
