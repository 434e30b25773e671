/**
 * Insights: what is proposed for the agent's memory, and who accepts it.
 *
 * Always holds: an insight of a run that has read what strangers wrote (taint), or what other agents wrote, is accepted by the human only, not by
 * the coordinator, whom that text may have talked into it; the guard's rules accept it only as a note that says so (`origin`). It is decided once. Proposals outlive their run. A held note has one
 * open insight per run, which follows its last version. A reflection is one call at a time, reserved before it is made and settled once.
 *
 * Not here: what is worth keeping (guard/judge.ts), the files (runtime/memory/insights.ts).
 */
import type { Amount } from "../../schema/budget.ts";
import type { EventOf } from "../../schema/event.ts";
import type { Insight } from "../../schema/insight.ts";
import { Problem } from "../../schema/problem.ts";
import { type Deciders, defineBehaviour, iso, type Reduce } from "../noun.ts";
import { leads } from "../run/lead.ts";
import type { State } from "../state.ts";
import { foreignSources } from "../turn/taint.ts";
import { accountsOf, assertAffordable, charge, countUsage, negate, noAmount } from "./budget.ts";

const most = { open: 200, decided: 100 };

export const openInsights = ({ insights }: State): Insight[] =>
  [...insights.values()].filter(({ status }) => status === "open");

/** The open insight of this id, or a Problem that says what became of it or which are open. */
export function requireInsight(state: State, id: string): Insight & { status: "open" } {
  const found = state.insights.get(id);
  if (found?.status === "open") return found;
  const open = openInsights(state).map((one) => one.id);
  throw found
    ? new Problem("wrong_state", `${id} was ${found.status} by ${found.decided_by}`)
    : new Problem("not_found", `there is no insight ${id}; open insights: ${open.join(", ") || "none"}`);
}

/** Throws unless this actor may accept it. `marked`: the note says where it comes from, and is never taken for the agent's own knowledge. */
export function assertMayAccept(state: State, { id, outside }: Insight, actor: string, marked = false): void {
  if (actor === "human") return;
  const now = foreignSources(state);
  if (outside !== undefined && !(marked && actor === "system"))
    throw new Problem(
      "forbidden",
      `${id} is from a run that has read what ${outside} says; only the human can accept it`,
    );
  if (actor === "system") return;
  if (!leads(state, actor))
    throw new Problem("forbidden", `${actor} cannot accept ${id}; only the coordinator or the human can`);
  if (now) throw new Problem("forbidden", `this run has read what ${now} says; only the human can accept ${id}`);
}

const insightDecide: Deciders<
  "insight.propose" | "insight.accept" | "insight.decline" | "reflection.start" | "reflection.end"
> = {
  "insight.propose": (state, { type: _, by: said, file, outside: before, ...given }, { actor }) => {
    const isOwn = state.participants.has(actor);
    const by = isOwn ? actor : said;
    const known = file && heldOf(state, given.run, file.path);
    if (known?.file?.sha256 === file?.sha256 && known) return [];
    if (!known && openInsights(state).length >= most.open)
      throw new Problem("limit_reached", `${most.open} insights wait to be decided; no more are taken until some are`);
    const insight = known?.id ?? `i${state.insightCount + 1}`;
    const outside = foreignSources(state) || (isOwn ? undefined : before);
    // What is held was written over what the first of its versions was.
    const held = file && { file: { ...file, base: known?.file ? known.file.base : file.base } };
    return [{ type: "insight.proposed", data: { insight, by, ...given, ...held, outside } }];
  },
  "insight.accept": (state, { type: _, ...data }, { actor }) => {
    const before = state.insights.get(data.insight);
    if (before?.status === "accepted") return [];
    assertMayAccept(state, requireInsight(state, data.insight), actor, data.origin !== undefined);
    return [{ type: "insight.accepted", data }];
  },
  "insight.decline": (state, { insight, reason }, { actor }) => {
    if (state.insights.get(insight)?.status === "declined") return [];
    if (!leads(state, actor) && actor !== "human" && actor !== "system")
      throw new Problem("forbidden", `${actor} cannot decline ${insight}; only the coordinator or the human can`);
    return [{ type: "insight.declined", data: { insight: requireInsight(state, insight).id, reason } }];
  },
  "reflection.start": (state, { run, node, model, reserve }, { now }) => {
    if (state.reflections.open) throw new Problem("wrong_state", "another reflection is still running");
    assertAffordable(state, accountsOf(payer, node, iso(now)), reserve);
    return [{ type: "reflection.started", data: { run, node, model, reserved: reserve } }];
  },
  "reflection.end": (state, { proposed, cost, usage, problem }) => {
    const { open } = state.reflections;
    if (!open) return [];
    const { run, node } = open;
    return [{ type: "reflection.ended", data: { run, node, proposed, cost: cost ?? open.reserved, usage, problem } }];
  },
};

/** It counts against the agent's budgets as its coordinator's calls do. */
const payer = "coordinator";

/** The open insight of a note that a run has written and that is held. */
const heldOf = (state: State, run: string | undefined, path: string): Insight | undefined =>
  openInsights(state).find((one) => one.run === run && one.file?.path === path);

const reduceInsights: Reduce = (state, event) => {
  switch (event.type) {
    case "insight.proposed":
      return propose(state, event);
    case "insight.accepted":
    case "insight.declined": {
      const before = state.insights.get(event.data.insight);
      if (before?.status !== "open") return;
      const decided = { decided_by: event.actor, decided_at: event.ts };
      state.insights.delete(before.id);
      state.insights.set(
        before.id,
        event.type === "insight.accepted"
          ? { ...before, status: "accepted", path: event.data.path, ...decided }
          : { ...before, status: "declined", reason: event.data.reason, ...decided },
      );
      return forget(state);
    }
    case "reflection.started": {
      const { run, node, reserved } = event.data;
      charge(state, payer, node, event.ts, noAmount, reserved);
      state.reflections = {
        ...state.reflections,
        open: { ...(run ? { run } : {}), ...(node ? { node } : {}), reserved, at: event.ts },
      };
      return;
    }
    case "reflection.ended":
      if (event.data.usage && state.reflections.open) countUsage(state, event.data.usage, event.data.cost.usd);
      return settleReflection(state, event.data.cost);
  }
};

/** The budgets of a run begin anew with the next one: a reflection that is still under way is charged what was reserved. */
const giveUp: Reduce = (state, event) => {
  if (event.type === "run.started") settleReflection(state, state.reflections.open?.reserved ?? noAmount);
};

function settleReflection(state: State, cost: Amount): void {
  const { open, calls, usd, tokens } = state.reflections;
  if (!open) return;
  charge(state, payer, open.node, open.at, cost, negate(open.reserved));
  state.reflections = { calls: calls + 1, usd: usd + cost.usd, tokens: tokens + cost.tokens };
}

function propose(state: State, { data, ts }: EventOf<"insight.proposed">): void {
  const { insight: id, ...given } = data;
  if (!state.insights.has(id)) state.insightCount++;
  state.insights.set(id, { ...given, id, status: "open", at: ts });
}

/** The oldest decided ones leave the state; the log has them. */
function forget(state: State): void {
  const decided = [...state.insights.values()].filter(({ status }) => status !== "open");
  for (const { id } of decided.slice(0, Math.max(0, decided.length - most.decided))) state.insights.delete(id);
}

export const insight = defineBehaviour({
  decide: insightDecide,
  reduce: [
    { phase: "before", looksAt: ["run.started"], reduce: giveUp },
    {
      phase: "own",
      looksAt: ["insight.proposed", "insight.accepted", "insight.declined", "reflection.started", "reflection.ended"],
      reduce: reduceInsights,
    },
  ],
});
