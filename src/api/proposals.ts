/** Proposals: questions that the human puts to a vote, votes on, or withdraws. They are listed with the other records of a run (records.ts). */
import { z } from "zod";
import { ProposalId } from "../schema/ids.ts";
import { Proposal, proposal } from "../schema/proposal.ts";
import { Nothing, OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const Create = proposal.commands["proposal.create"];
const Vote = proposal.commands["proposal.vote"];
const OfProposal = OfAgent.extend({ proposal: ProposalId });

export const proposalRoutes = {
  createProposal: route({
    method: "POST",
    path: "/agents/{agent}/proposals",
    tag: "records",
    summary: "Put a question to a vote in the current run",
    about: "The voters are told, and so is everyone about the result. An open proposal keeps a run from ending.",
    params: OfAgent,
    body: z.strictObject(Create.shape),
    ok: 201,
    answer: Proposal,
    errors: ["not_found", "wrong_state", "key_reused"],
    example: { body: { text: "How do we compare chips?", options: ["Equal batch", "Each at its best"] } },
  }),
  voteOnProposal: route({
    method: "POST",
    path: "/agents/{agent}/proposals/{proposal}/vote",
    tag: "records",
    summary: "Vote as the human",
    about:
      "The choice `abstain` is always there. A vote can be changed until the proposal is settled, which may be at once; after that 409 `wrong_state`.",
    params: OfProposal,
    body: z.strictObject({ option: Vote.shape.option, reason: Vote.shape.reason }),
    ok: 200,
    answer: Proposal,
    errors: ["not_found", "forbidden", "wrong_state", "key_reused"],
    example: { body: { option: "Equal batch", reason: "A number means the same only if the setting is the same." } },
  }),
  delegateVote: route({
    method: "POST",
    path: "/agents/{agent}/proposals/{proposal}/delegate",
    tag: "records",
    summary: "Let another voter decide for the human",
    about: "The human counts for what that one votes, until the human votes.",
    params: OfProposal,
    body: z.strictObject({ to: z.string().min(1).max(100).describe("Id or name of a voter") }),
    ok: 200,
    answer: Proposal,
    errors: ["not_found", "forbidden", "wrong_state", "key_reused"],
    example: { body: { to: "alice" } },
  }),
  withdrawProposal: route({
    method: "POST",
    path: "/agents/{agent}/proposals/{proposal}/withdraw",
    tag: "records",
    summary: "Withdraw an open proposal",
    params: OfProposal,
    body: Nothing,
    ok: 200,
    answer: Proposal,
    errors: ["not_found", "wrong_state", "key_reused"],
  }),
};
