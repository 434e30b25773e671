import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const proposalDelegate = defineTool({
  name: "proposal_delegate",
  about: "Let another voter decide for you: you count for what it votes, until you vote yourself.",
  guidance: "",
  effect: "state",
  repeatable: true,
  offer: { when: ["proposal"], words: "proxy, vote for me, let another decide" },
  progress: "words",
  input: z.object({
    proposal_id: z.string().min(1).describe("Such as p1"),
    to: z.string().min(1).describe("Id or name of another voter"),
  }),
  async run({ proposal_id: proposal, to }, { dispatch, me }) {
    await dispatch({ type: "proposal.delegate", proposal, voter: me, to });
    return `On ${proposal} you vote as ${to} does.`;
  },
});
