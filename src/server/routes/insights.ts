/** What an agent knows and what is proposed for its memory, over HTTP. */
import type { insightRoutes } from "../../api/insights.ts";
import type { KnownNote } from "../../runtime/queries.ts";
import type { Insight } from "../../schema/insight.ts";
import { Problem } from "../../schema/problem.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { assertKnown } from "./agents.ts";

export const insightHandlers = ({ runtime }: Pick<Served, "runtime">): Handlers<typeof insightRoutes> => {
  async function insightOf(agent: string, id: string): Promise<Insight> {
    const insight = await runtime.read(agent, ({ insights }) => insights.get(id));
    if (!insight) throw new Problem("not_found", `${agent} has no insight ${id}; it may have been decided long ago`);
    return insight;
  }
  return {
    async listNotes({ params: { agent }, query: { tier, limit, offset } }) {
      assertKnown(runtime, agent);
      const wish = { limit, offset, ...(tier ? { tier } : {}) };
      const { notes, ...all } = await (await runtime.reading(agent)).notes(wish);
      const { calls, usd, tokens } = await runtime.read(agent, ({ reflections }) => reflections);
      return { items: notes.map(shown), ...all, reflections: { calls, usd, tokens } };
    },
    async setNoteHead({ params: { agent }, body: { path, ...head } }) {
      assertKnown(runtime, agent);
      return shown(await (await runtime.reading(agent)).setHead(path, head));
    },
    async listInsights({ params: { agent } }) {
      assertKnown(runtime, agent);
      return { items: await runtime.read(agent, ({ insights }) => [...insights.values()]) };
    },
    async acceptInsight({ params: { agent, insight } }) {
      assertKnown(runtime, agent);
      const { insights } = await runtime.reading(agent);
      const known = await insightOf(agent, insight);
      if (known.status !== "accepted") await insights.accept(insight, "human");
      return await insightOf(agent, insight);
    },
    async declineInsight({ params: { agent, insight }, body: { reason }, key }) {
      assertKnown(runtime, agent);
      await runtime.send(agent, { type: "insight.decline", insight, reason }, byHuman(key));
      return await insightOf(agent, insight);
    },
  };
};

function shown({ fresh, fades_at, ...note }: KnownNote) {
  const times = note.tier === "working" ? { fades_at: timeOf(fades_at) } : {};
  return { ...note, used_at: timeOf(fresh), ...times };
}

const timeOf = (ms: number): string => new Date(Math.floor(ms)).toISOString();
