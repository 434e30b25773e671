import { z } from "zod";
import { proposal } from "../schema/proposal.ts";
import { defineTool } from "../toolkit/tool.ts";
import { resultText } from "./proposal-list.ts";

const { reason } = proposal.commands["proposal.vote"].shape;

const teamOf = (proposal: string): string => proposal.replace(/^agent:/, "").split("/", 1)[0]!;

export const vote = defineTool({
  name: "vote",
  about: "Vote on a proposal, or change your vote while it is open.",
  guidance:
    "Look at what is at stake before you vote, and give your reason: it is kept with the result. Choose abstain if you cannot judge it.",
  effect: "state",
  repeatable: true,
  offer: { when: ["proposal", "member"], words: "ballot, poll, choose" },
  progress: "words",
  input: z.object({
    proposal_id: z.string().min(1).describe("Such as p1; in a team of another agent NAME/p1"),
    choice: z.string().min(1).max(200).describe("One of its options, or abstain"),
    reason: reason.describe("Why, in a sentence"),
  }),
  toward: ({ proposal_id }) => (proposal_id.includes("/") ? [`agent:${teamOf(proposal_id)}`] : []),
  async run({ proposal_id: id, choice: option, reason: why }, { dispatch, me, state }) {
    const there = id.split("/", 2)[1];
    if (there !== undefined) {
      const team = teamOf(id);
      const ballot = { proposal: there, option, ...(why === undefined ? {} : { reason: why }) };
      await dispatch({ type: "membership.vote", team, ...ballot });
      return `Your vote is on its way to the team of agent:${team}.`;
    }
    const given = { type: "proposal.vote" as const, proposal: id, voter: me, option };
    await dispatch({ ...given, ...(why === undefined ? {} : { reason: why }) });
    return `Your vote on ${id} is counted. ${resultText(state().proposals.get(id)!)}`;
  },
});
