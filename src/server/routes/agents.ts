/** Agents over HTTP. */
import type { agentRoutes, Summary } from "../../api/agents.ts";
import { runLine } from "../../api/lines.ts";
import { summaryOf } from "../../api/summary.ts";
import { limitOf } from "../../core/budget.ts";
import type { State } from "../../core/state.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { BudgetLimit } from "../../schema/budget.ts";
import { Problem } from "../../schema/problem.ts";
import type { Team } from "../../schema/workflow.ts";
import { byHuman, type Handlers } from "../handler.ts";
import type { Served } from "../house.ts";
import { cursorOf, pageOf, readCursor } from "./page-cursor.ts";

type Needs = Pick<Served, "runtime" | "budget" | "model" | "folder" | "workflows" | "summaries">;

export const agentHandlers = (needs: Needs): Handlers<typeof agentRoutes> => {
  const { runtime, budget, model, folder, summaries } = needs;

  /** The requested workflow, or the team as given; every model in it is available. */
  async function written(workflow: string | undefined, team: Team | undefined): Promise<Written> {
    if (workflow !== undefined && team) throw new Problem("invalid", "give a workflow or a team, not both");
    if (workflow !== undefined && !needs.workflows)
      throw new Problem("not_found", `there is no workflow ${workflow}; this home has none`);
    const found = workflow === undefined ? undefined : await needs.workflows!.find(workflow);
    const whole = found?.team ?? team;
    if (!whole) return { own: {} };
    const named = async (one: Team["workers"][number]) => (one.model ? { ...one, model: await model(one.model) } : one);
    const workers = await Promise.all(whole.workers.map(named));
    return { team: { ...whole, workers }, own: found?.workflow.budget ?? {}, model: found?.workflow.model };
  }

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
    async createAgent({ body: { model: wanted, budget: own, folder: shown, workflow, team, ...given }, key }) {
      const from = await written(workflow, team);
      const limit = limitOf(budget, from.own, own);
      const agent = await runtime.create(
        {
          ...said(given),
          model: await model(wanted ?? from.model),
          ...(from.team ? { team: from.team } : {}),
          ...(shown === undefined ? {} : { folder: await folder(shown) }),
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
    async startRun({ params: { agent }, body: { model: wanted, ...given }, key }) {
      assertKnown(runtime, agent);
      const next = { ...given, ...(wanted === undefined ? {} : { model: await model(wanted) }) };
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

interface Written {
  team?: Team;
  own: BudgetLimit;
  model?: string | undefined;
}

const runsOf = ({ past, run }: State) => [...past, ...(run ? [run] : [])].reverse().map(runLine);

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
export function assertKnown(runtime: Runtime, agent: string): void {
  if (runtime.has(agent)) return;
  const all = runtime.agents();
  const some = all.length > 20 ? [...all.slice(0, 20), "…"] : all;
  throw new Problem("not_found", `there is no agent ${agent}; known agents: ${some.join(", ") || "none"}`);
}
