/** Proposals over HTTP: the human proposes, votes and withdraws. */
import type { proposalRoutes } from "../../api/proposals.ts";
import { Problem } from "../../schema/problem.ts";
import type { Proposal } from "../../schema/proposal.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const proposalHandlers = ({ runtime }: Pick<Served, "runtime">): Handlers<typeof proposalRoutes> => {
  async function proposalOf(agent: string, id: string): Promise<Proposal> {
    const proposal = await runtime.read(agent, ({ proposals }) => proposals.get(id));
    // Asked again with the key of a request in an earlier run.
    if (!proposal) throw new Problem("not_found", `${id} is not a proposal of the current run`);
    return proposal;
  }
  return {
    async createProposal({ params: { agent }, body, key }) {
      assertKnown(runtime, agent);
      const { made } = await runtime.send(agent, { ...body, type: "proposal.create" }, byHuman(key));
      return await proposalOf(agent, made.proposal!);
    },
    async voteOnProposal({ params: { agent, proposal }, body, key }) {
      assertKnown(runtime, agent);
      await runtime.send(agent, { ...body, type: "proposal.vote", proposal, voter: "human" }, byHuman(key));
      return await proposalOf(agent, proposal);
    },
    async delegateVote({ params: { agent, proposal }, body, key }) {
      assertKnown(runtime, agent);
      await runtime.send(agent, { ...body, type: "proposal.delegate", proposal, voter: "human" }, byHuman(key));
      return await proposalOf(agent, proposal);
    },
    async withdrawProposal({ params: { agent, proposal }, key }) {
      assertKnown(runtime, agent);
      await runtime.send(agent, { type: "proposal.withdraw", proposal }, byHuman(key));
      return await proposalOf(agent, proposal);
    },
  };
};
