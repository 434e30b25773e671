import { z } from "zod";
import { reasonOf, voteOf } from "../core/team/proposal.ts";
import type { Proposal } from "../schema/proposal.ts";
import { defineTool } from "../toolkit/tool.ts";

/** Of those that are over. */
const mostEnded = 20;

export const proposalList = defineTool({
  name: "proposal_list",
  about: "List the proposals of this run: who voted for what and why, and what was decided.",
  guidance: "",
  effect: "reads",
  repeatable: true,
  offer: { when: ["proposal"], words: "votes, polls, result of a vote" },
  input: z.object({}),
  async run(_, { state }) {
    const all = [...state().proposals.values()];
    const open = all.filter(({ status }) => status === "open");
    const ended = all.filter(({ status }) => status !== "open").slice(-mostEnded);
    const called = (id: string) => state().participants.get(id)?.name ?? id;
    const text = [...open, ...ended].map((one) => describe(one, called)).join("\n\n");
    return text ? { text: "", data: { from: "the proposals of this run", text } } : "There are no proposals.";
  },
});

function describe(proposal: Proposal, called: (id: string) => string): string {
  const { id, kind, text, options, voters, by, rule } = proposal;
  const votes = voters.flatMap((voter) => {
    const option = voteOf(proposal, voter);
    const why = reasonOf(proposal, voter);
    const other = proposal.delegations?.[voter];
    if (option === undefined && other) return [`  ${called(voter)}: as ${called(other)}`];
    return option === undefined ? [] : [`  ${called(voter)}: ${option}${why ? ` (${why})` : ""}`];
  });
  const head = `${id}, ${kind} by ${called(by)}, ${rule.rule}: ${text}\n  options: ${options.join(" / ")}`;
  return [head, ...votes, `  ${resultText(proposal)}`].join("\n");
}

/** Where it stands. */
export function resultText(proposal: Proposal): string {
  const { id, status, voters } = proposal;
  if (status === "withdrawn") return `${id} was withdrawn.`;
  if (status === "open") {
    const left = voters.filter((voter) => voteOf(proposal, voter) === undefined).length;
    return `${id} is open until ${proposal.expires_at ?? "everyone has voted"}; ${left} of ${voters.length} have not voted.`;
  }
  const { verdict, effect } = proposal;
  const result = verdict.result === "won" ? verdict.option : `no result (${verdict.why})`;
  return `${id} is settled: ${result}.${effect ? ` ${effect}.` : ""}${proposal.review_at ? ` To be looked at again on ${proposal.review_at}.` : ""}`;
}
