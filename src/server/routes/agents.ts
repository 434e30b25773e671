/** Agents over HTTP. */
import type { agentRoutes, RunLine, Summary } from "../../api/agents.ts";
import { preparingLine, runLine } from "../../api/lines.ts";
import { summaryOf } from "../../api/summary.ts";
import { limitOf } from "../../core/agent/budget.ts";
import type { State } from "../../core/state.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { Problem } from "../../schema/problem.ts";
import type { Team } from "../../schema/workflow.ts";
import { declaredTeam } from "../declared-team.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { cursorOf, pageOf, readCursor } from "./page-cursor.ts";

type Needs = Pick<Served, "runtime" | "budget" | "model" | "folder" | "workflows" | "summaries">;

export const agentHandlers = (needs: Needs): Handlers<typeof agentRoutes> => {
  const { runtime, budget, model, folder, summaries } = needs;

  async function change(
    agent: string,
    type: "agent.archive" | "agent.pause" | "agent.resume" | "agent.stop",
    key: string | undefined,
  ): Promise<Summary> {
    assertKnown(runtime, agent);
    await runtime.send(agent, { type }, byHuman(key));
    return await runtime.read(agent, summaryOf);
  }

  return {
    async createAgent({ body: { goal: told, model: wanted, budget: own, folder: shown, ...body }, key }) {
      const { workflow, team, params, tag, ...given } = body;
      const from = await declaredTeam(needs, { workflow, team, params, tag });
      const limit = limitOf(budget, from.budget, own);
      const goal = told ?? from.goal;
      const on = shown ?? from.folder;
      if (goal === undefined)
        throw new Problem("invalid", "goal: is required, unless a workflow or a kickoff states it");
      const agent = await runtime.create(
        {
          ...said(given),
          goal,
          model: await model(wanted ?? from.model ?? thinkerOf(from.team)),
          ...(from.team ? { team: from.team } : {}),
          ...(on === undefined ? {} : { folder: await folder(on) }),
          ...(Object.keys(limit).length ? { budget: limit } : {}),
        },
        byHuman(key),
      );
      return await runtime.read(agent, summaryOf);
    },
    async listAgents({ query: { limit, cursor, archived } }) {
      const after = readCursor("agents", cursor) ?? "";
      const items: Summary[] = [];
      for (const agent of runtime.agents()) {
        if (agent <= after) continue;
        const summary = await summaries.of(agent).catch(gone);
        if (!summary || (summary.status === "archived" && !archived)) continue;
        if (items.length === limit) return { items, next: cursorOf("agents", items.at(-1)!.id) };
        items.push(summary);
      }
      return { items, next: null };
    },
    async getAgent({ params: { agent } }) {
      assertKnown(runtime, agent);
      return await summaries.of(agent);
    },
    archiveAgent: ({ params: { agent }, key }) => change(agent, "agent.archive", key),
    pauseAgent: ({ params: { agent }, key }) => change(agent, "agent.pause", key),
    resumeAgent: ({ params: { agent }, key }) => change(agent, "agent.resume", key),
    stopAgent: ({ params: { agent }, key }) => change(agent, "agent.stop", key),
    async previewStop({ params: { agent } }) {
      assertKnown(runtime, agent);
      return await (await runtime.reading(agent)).previewStop();
    },
    async startRun({ params: { agent }, body: { goal, model: wanted, budget: own, ...body }, key }) {
      assertKnown(runtime, agent);
      const { workflow, team, params, tag } = body;
      const from = await declaredTeam(needs, { workflow, team: team ?? undefined, params, tag });
      const thinker = wanted ?? from.model;
      const next = {
        ...said({ goal: goal ?? from.goal, budget: own ?? (workflow === undefined ? undefined : from.budget) }),
        ...(thinker === undefined ? {} : { model: await model(thinker) }),
        ...(team === null ? { team } : from.team ? { team: from.team } : {}),
      };
      const { made } = await runtime.send(agent, { type: "run.start", ...next }, byHuman(key));
      const run = await runtime.read(agent, (state) => runsOf(state).find(({ id }) => id === made.run));
      if (!run) throw new Error(`${agent}: the run ${made.run} was started and is not there`);
      return run;
    },
    async listRuns({ params: { agent }, query }) {
      assertKnown(runtime, agent);
      return pageOf("runs", await runtime.read(agent, runsOf), query);
    },
    async changeBudget({ params: { agent }, body: { of, ...wanted }, key }) {
      assertKnown(runtime, agent);
      const before = await runtime.read(agent, ({ accounts }) => accounts.get(of)?.limit ?? {});
      const limit = limitOf(before, wanted);
      await runtime.send(agent, { type: "budget.set", scope: { of }, limit }, byHuman(key));
      return await runtime.read(agent, ({ accounts }) => accounts.get(of)!);
    },
  };
};

const runsOf = ({ past, run, preparation }: State): RunLine[] => [
  ...(preparation ? [preparingLine(preparation)] : []),
  ...[...past, ...(run ? [run] : [])].reverse().map(runLine),
];

/** Without undefined fields. */
const said = <T extends object>(given: T) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };

/** It existed when the list was made. */
function gone(problem: unknown): null {
  if (problem instanceof Problem && problem.code === "not_found") return null;
  throw problem;
}

/** Throws `not_found`, listing the known agents. */
/** Where nobody leads, the agent itself asks no model: if each of its workers has one, there need be no other. */
const thinkerOf = (team: Team | undefined): string | undefined =>
  team?.lead === false && team.workers.every((worker) => worker.model) ? team.workers[0]?.model : undefined;

export function assertKnown(runtime: Runtime, agent: string): void {
  if (runtime.has(agent)) return;
  const all = runtime.agents();
  const some = all.length > 20 ? [...all.slice(0, 20), "…"] : all;
  throw new Problem("not_found", `there is no agent ${agent}; known agents: ${some.join(", ") || "none"}`);
}
