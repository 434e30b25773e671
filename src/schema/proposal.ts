/** A question put to a vote, with a rule that settles it. */
import { z } from "zod";
import { ParticipantId, ProposalId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

export const ProposalRule = z
  .object({
    rule: z.enum(["plurality", "majority", "unanimous"]),
    quorum: z.number().int().nonnegative().describe("Votes needed for any result"),
    tie: z.enum(["none", "first"]).describe("none: a tie gives no winner; first: the earlier option wins"),
  })
  .describe("How votes become a result");
export type ProposalRule = z.infer<typeof ProposalRule>;

const option = z.string().min(1).max(200);
const shared = {
  id: ProposalId,
  text: z.string().min(1),
  kind: z.enum(["decision", "election", "approval", "assignment"]),
  options: z.array(option).min(2),
  voters: z.array(ParticipantId).min(1),
  rule: ProposalRule,
  by: ParticipantId,
  votes: z.record(ParticipantId, option),
  created_at: Time,
  expires_at: Time.optional(),
};

export const Verdict = z.discriminatedUnion("result", [
  z.object({ result: z.literal("won"), option }),
  z.object({
    result: z.literal("none"),
    why: z.enum(["tie", "no_quorum", "no_majority", "not_unanimous", "no_votes"]),
  }),
]);
export type Verdict = z.infer<typeof Verdict>;

export const Proposal = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("open") }),
  z.object({ ...shared, status: z.literal("settled"), verdict: Verdict, expired: z.boolean(), ended_at: Time }),
  z.object({ ...shared, status: z.literal("withdrawn"), ended_at: Time }),
]);
export type Proposal = z.infer<typeof Proposal>;

const proposalEvents = {
  "proposal.created": z.object({
    proposal: ProposalId,
    text: shared.text,
    kind: shared.kind,
    options: shared.options,
    voters: shared.voters,
    rule: ProposalRule,
    expires_at: Time.optional(),
  }),
  "proposal.voted": z.object({ proposal: ProposalId, voter: ParticipantId, option }),
  "proposal.settled": z.object({ proposal: ProposalId, verdict: Verdict, expired: z.boolean() }),
  "proposal.withdrawn": z.object({ proposal: ProposalId }),
};

const proposalCommands = {
  "proposal.create": z.object({
    text: z.string().min(1).max(20_000),
    kind: shared.kind.default("decision"),
    options: z.array(option).min(2).max(20),
    voters: z
      .array(z.string().min(1))
      .min(1)
      .max(50)
      .optional()
      .describe("Default: everyone in the run who is not retired"),
    rule: ProposalRule.shape.rule.default("plurality"),
    quorum: ProposalRule.shape.quorum.default(1),
    tie: ProposalRule.shape.tie.default("none"),
    expires_seconds: z.number().positive().max(3_153_600_000).optional(),
  }),
  "proposal.vote": z.object({ proposal: ProposalId, voter: ParticipantId, option }),
  "proposal.expire": z.object({ proposal: ProposalId }),
  "proposal.withdraw": z.object({ proposal: ProposalId }),
};

export const proposal = defineNoun({
  name: "proposal",
  events: proposalEvents,
  commands: proposalCommands,
  state: () => ({ proposals: new Map<string, Proposal>() }),
  reference: { Proposal },
});
