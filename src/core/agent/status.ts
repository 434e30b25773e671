/** The status of an agent and its workers as people see it: derived from the state, stored nowhere. */

import type { AgentStatus } from "../../schema/agent.ts";
import type { Thinker, WorkerStatus } from "../../schema/worker.ts";
import type { State } from "../state.ts";
import { isAway } from "../team/guest.ts";
import { awaitsVote } from "../team/proposal.ts";
import { canRun } from "../team/worker.ts";

export function agentStatus(state: State): AgentStatus {
  const { agent } = state;
  if (!agent) return "idle";
  if (agent.status !== "active") return agent.status;
  if (state.preparation || [...state.participants.values()].some((one) => canRun(one) || isAway(one))) return "working";
  if ([...state.questions.values()].some((question) => question.status === "open")) return "waiting_for_human";
  if ([...state.proposals.values()].some((proposal) => awaitsVote(proposal, "human"))) return "waiting_for_human";
  return "idle";
}

export function workerStatus(one: Thinker): WorkerStatus {
  if (one.retired) return "retired";
  if (one.wait) return "waiting";
  return one.node || one.turn || isAway(one) ? "busy" : "idle";
}
