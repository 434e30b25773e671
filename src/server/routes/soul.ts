/** The soul of an agent over HTTP. */
import type { SoulView, soulRoutes } from "../../api/soul.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const soulHandlers = ({ runtime }: Pick<Served, "runtime">): Handlers<typeof soulRoutes> => ({
  async getSoul({ params: { agent } }) {
    assertKnown(runtime, agent);
    return await viewOf(runtime, agent);
  },
  async diffSoul({ params: { agent }, query: { from, to } }) {
    assertKnown(runtime, agent);
    return { lines: await (await runtime.reading(agent)).soul.diff(from, to) };
  },
  async restoreSoul({ params: { agent }, body: { seq } }) {
    assertKnown(runtime, agent);
    await (await runtime.reading(agent)).soul.restore(seq);
    return await viewOf(runtime, agent);
  },
  async decideSoulProposal({ params: { agent, proposal }, body: { decision, line, reason }, key }) {
    assertKnown(runtime, agent);
    if (decision === "accept") await (await runtime.reading(agent)).soul.accept(proposal, "human", line);
    else await runtime.send(agent, { type: "soul.decline", proposal, ...(reason ? { reason } : {}) }, byHuman(key));
    return await runtime.read(agent, ({ soulProposals }) => soulProposals.get(proposal)!);
  },
});

async function viewOf(runtime: Runtime, agent: string): Promise<SoulView> {
  const { soul } = await runtime.reading(agent);
  const { text, sha256 } = await soul.read();
  const known = await soul.versions();
  const { versions, proposals, teams } = await runtime.read(agent, (state) => ({
    versions: new Map(state.soul.versions.map((one) => [one.seq, one.results])),
    proposals: [...state.soulProposals.values()].reverse(),
    teams: [...state.memberships.values()].reverse(),
  }));
  return {
    text,
    sha256,
    versions: known.map(({ seq, at, by, kept }, index) => ({
      ...{ seq, at, by, current: index === 0, readable: kept },
      results: versions.get(seq) ?? null,
    })),
    proposals,
    teams,
  };
}
