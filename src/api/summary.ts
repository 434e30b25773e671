/** An agent at a glance, made from its state alone: the same on both sides of the wire. */

import { agentStatus } from "../core/agent/status.ts";
import { humanInbox } from "../core/human/human-inbox.ts";
import type { State } from "../core/state.ts";
import { isWorker } from "../core/team/worker.ts";
import { isTainted } from "../core/turn/taint.ts";
import type { Summary } from "./agents.ts";
import { proofOf } from "./lines.ts";

/** Of each state as it was last asked about: a state with the same seq is the same. */
const known = new WeakMap<State, Summary>();

export function summaryOf(state: State): Summary {
  const before = known.get(state);
  if (before?.seq === state.seq) return before;
  const made = makeSummary(state);
  known.set(state, made);
  return made;
}

function makeSummary(state: State): Summary {
  const { agent, run, stages, nodes, participants, questions, accounts } = state;
  if (!agent) throw new Error("an agent that was not created has no summary");
  const stage = [...stages.values()].findLast((one) => one.status !== "completed");
  const team = state.preparation?.team ?? run?.team ?? agent.team;
  const { usd = 0, tokens = 0 } = accounts.get("agent")?.spent ?? {};
  const finished = run?.status === "completed" ? run : state.past.findLast((one) => one.status === "completed");
  return {
    id: agent.id,
    goal: agent.goal,
    mode: agent.mode,
    status: agentStatus(state),
    ...("reason" in agent ? { reason: { ...agent.reason, since: agent.since } } : {}),
    model: agent.model,
    run: run?.id ?? null,
    current_stage: stage?.id ?? null,
    node_count: nodes.size,
    worker_count: [...participants.values()].filter(isWorker).length,
    open_questions: [...questions.values()].filter(({ status }) => status === "open").length,
    unread: humanInbox(state).counts.unread,
    cost: { usd, tokens },
    created_at: agent.created_at,
    updated_at: state.at,
    seq: state.seq,
    ...(finished?.status === "completed" ? { result: finished.summary, ...proofOf(finished) } : {}),
    ...(team?.workflow ? { workflow: team.workflow, tag: team.tag ?? "main" } : {}),
    ...(isTainted(state) ? { tainted_by: state.taint.sources } : {}),
  };
}
