/** What is put to a vote in an agent's run, from the command line: list, propose, vote, withdraw. */
import { awaitsVote, reasonOf, voteOf } from "../../core/team/proposal.ts";
import { shellLine } from "../../lib/command-line.ts";
import type { Proposal } from "../../schema/proposal.ts";
import { clean, wrap } from "../terminal/text.ts";
import { pickAgent, type Shell, show } from "./shell.ts";

export interface NewProposal {
  question: string;
  options?: string[];
  rule?: Proposal["rule"]["rule"];
  quorum?: number;
  /** Seconds. */
  deadline?: number;
  /** Seconds. */
  review?: number;
}

export async function listProposals(shell: Shell, wanted: string | undefined): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const { items } = await shell.client.listProposals({ params: { agent } });
  show(shell, items, () => {
    if (!items.length)
      return [`Nothing was put to a vote in ${agent}. Do so: ${shellLine(`proposals ${agent} --new "Ship it?"`)}`];
    const newest = items.toReversed();
    const open = newest.filter(({ status }) => status === "open");
    return [...open, ...newest.filter(({ status }) => status !== "open")].flatMap((one, at) => [
      ...(at ? [""] : []),
      ...proposalLines(shell, agent, one),
    ]);
  });
}

export async function propose(shell: Shell, wanted: string | undefined, given: NewProposal): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const { question: text, options = ["yes", "no"], deadline, review, ...rest } = given;
  const body = {
    text,
    options,
    ...rest,
    ...(deadline ? { expires_seconds: deadline } : {}),
    ...(review ? { review_seconds: review } : {}),
  };
  const made = await shell.client.createProposal({ params: { agent }, body });
  show(shell, made, () => proposalLines(shell, agent, made));
}

export async function vote(shell: Shell, wanted: string, proposal: string, option: string, reason?: string) {
  const agent = await pickAgent(shell, wanted);
  const body = { option, ...(reason ? { reason } : {}) };
  const voted = await shell.client.voteOnProposal({ params: { agent, proposal }, body });
  show(shell, voted, () => proposalLines(shell, agent, voted));
}

export async function delegateVote(shell: Shell, wanted: string, proposal: string, to: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const changed = await shell.client.delegateVote({ params: { agent, proposal }, body: { to } });
  show(shell, changed, () => proposalLines(shell, agent, changed));
}

export async function withdrawProposal(shell: Shell, wanted: string | undefined, proposal: string): Promise<void> {
  const agent = await pickAgent(shell, wanted);
  const withdrawn = await shell.client.withdrawProposal({ params: { agent, proposal }, body: {} });
  show(shell, withdrawn, () => [`${withdrawn.id} is withdrawn.`]);
}

function proposalLines({ terminal }: Shell, agent: string, proposal: Proposal): string[] {
  const { id, text, by, options, voters, status } = proposal;
  const width = terminal.width();
  const votes = voters.flatMap((voter) => {
    const option = voteOf(proposal, voter);
    const reason = reasonOf(proposal, voter);
    const other = proposal.delegations?.[voter];
    if (option === undefined && other) return [`  ${voter}: as ${other}`];
    return option === undefined ? [] : wrap(`  ${voter}: ${clean(option)}${reason ? `, ${clean(reason)}` : ""}`, width);
  });
  const left = voters.filter((voter) => awaitsVote(proposal, voter));
  const mine = awaitsVote(proposal, "human")
    ? [`  ${terminal.colors.dim("→")} ${shellLine(`vote ${agent} ${id} "${clean(options[0]!)}"`)}`]
    : [];
  return [
    ...wrap(`${terminal.colors.bold(id)} ${clean(text)}`, width),
    terminal.colors.dim(`  by ${by}, ${proposal.rule.rule} of ${options.map(clean).join(" / ")}`),
    ...votes,
    `  ${status === "open" ? `open, waits for ${left.join(", ")}${until(proposal)}` : outcome(proposal)}`,
    ...mine,
  ];
}

const until = ({ expires_at }: Proposal): string => (expires_at ? ` until ${expires_at}` : "");

function outcome(proposal: Proposal): string {
  if (proposal.status !== "settled") return proposal.status;
  const { verdict, effect } = proposal;
  const result = verdict.result === "won" ? clean(verdict.option) : `no result (${verdict.why.replaceAll("_", " ")})`;
  return `settled: ${result}${effect ? `; ${clean(effect)}` : ""}${proposal.review_at ? `; to be looked at again on ${proposal.review_at}` : ""}`;
}
