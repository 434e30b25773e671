/** A question put to a vote, with a rule that settles it. */
import { z } from "zod";
import { BudgetLimit } from "./budget.ts";
import { DocumentName } from "./document.ts";
import { NodeId, ParticipantId, ProposalId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

export const ProposalRule = z
  .object({
    rule: z.enum(["plurality", "majority", "unanimous"]),
    quorum: z.number().int().nonnegative().describe("Votes needed for any result"),
    tie: z
      .enum(["none", "first", "creator"])
      .describe(
        "none: a tie gives no winner; first: the earlier option wins; creator: what its creator voted for wins",
      ),
    weights: z
      .record(z.string(), z.number().positive().max(1_000))
      .optional()
      .describe("What the votes of some count, by voter; 1 for the others"),
  })
  .describe("How votes become a result");
export type ProposalRule = z.infer<typeof ProposalRule>;

/** A choice that is always there, and counts for the quorum only. */
export const abstain = "abstain";

export const Binding = z
  .discriminatedUnion("effect", [
    z.object({ effect: z.literal("own"), document: DocumentName }).describe("The winner owns this document"),
    z.object({ effect: z.literal("assign"), node: NodeId }).describe("The winner does this node"),
    z
      .object({ effect: z.literal("merge"), node: NodeId })
      .describe("This node is merged only if the first option wins, and not before"),
    z
      .object({ effect: z.literal("release") })
      .describe("The run is finished only if the first option wins, and not before, unless a person ends it"),
    z
      .object({ effect: z.literal("lead") })
      .describe("The winner leads a run without a coordinator: it hears what concerns the whole run"),
    z
      .object({ effect: z.literal("budget"), limit: z.strictObject(BudgetLimit.shape) })
      .describe("This is the budget of the run if the first option wins and the human votes for it"),
  ])
  .describe("What the runtime does with the result; without it a result only informs");
export type Binding = z.infer<typeof Binding>;

const option = z.string().min(1).max(200);
const reason = z.string().min(1).max(2000).describe("Why the voter chose this option");
/** One vote, as it is sent. */
export const Ballot = z.object({ proposal: ProposalId, option, reason: reason.optional() });
export type Ballot = z.infer<typeof Ballot>;

const shared = {
  id: ProposalId,
  text: z.string().min(1),
  kind: z.enum(["decision", "election", "approval", "assignment"]),
  options: z.array(option).min(2),
  voters: z.array(ParticipantId).min(1),
  rule: ProposalRule,
  binding: Binding.optional(),
  by: ParticipantId,
  votes: z.record(ParticipantId, option),
  reasons: z.record(ParticipantId, reason).optional().describe("Of those who gave one"),
  delegations: z.record(ParticipantId, ParticipantId).optional().describe("Who votes as another one does, by voter"),
  created_at: Time,
  expires_at: Time.optional(),
  review_at: Time.optional().describe("When to ask again whether it is still right"),
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
  z.object({
    ...shared,
    status: z.literal("settled"),
    verdict: Verdict,
    expired: z.boolean(),
    ended_at: Time,
    effect: z.string().optional().describe("What came of it, if it is binding"),
    review_due: z.literal(true).optional().describe("The time to look at it again has come"),
  }),
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
    binding: Binding.optional(),
    expires_at: Time.optional(),
    review_at: Time.optional(),
  }),
  "proposal.delegated": z.object({ proposal: ProposalId, voter: ParticipantId, to: ParticipantId }),
  "proposal.review_due": z.object({ proposal: ProposalId }),
  "proposal.voted": z.object({ proposal: ProposalId, voter: ParticipantId, option, reason: reason.optional() }),
  "proposal.settled": z.object({ proposal: ProposalId, verdict: Verdict, expired: z.boolean() }),
  "proposal.applied": z.object({ proposal: ProposalId, effect: z.string() }),
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
    binding: Binding.optional(),
    weights: ProposalRule.shape.weights,
    expires_seconds: z.number().positive().max(3_153_600_000).optional(),
    review_seconds: z
      .number()
      .positive()
      .max(3_153_600_000)
      .optional()
      .describe("When to ask whether it is still right"),
  }),
  "proposal.delegate": z
    .object({ proposal: ProposalId, voter: ParticipantId, to: z.string().min(1) })
    .describe("To vote as another voter does, until one votes oneself"),
  "proposal.review": z.object({ proposal: ProposalId }),
  "proposal.vote": z.object({ proposal: ProposalId, voter: ParticipantId, option, reason: reason.optional() }),
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
