import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const proposalWithdraw = defineTool({
  name: "proposal_withdraw",
  about: "Withdraw an open proposal that you made.",
  guidance: "",
  effect: "state",
  repeatable: true,
  offer: { when: ["proposal"], words: "cancel a vote, poll" },
  progress: "none",
  input: z.object({ proposal_id: z.string().min(1).describe("Such as p1") }),
  async run({ proposal_id: proposal }, { dispatch }) {
    await dispatch({ type: "proposal.withdraw", proposal });
    return `${proposal} is withdrawn.`;
  },
});
