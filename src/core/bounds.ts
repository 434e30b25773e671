/**
 * What reaching a turn limit leads to, once the running turn has ended: the node of a worker that repeats itself or makes no progress fails, and
 * the coordinator is told why; such a coordinator asks the human and is parked; a worker without a node is halted. Never silence.
 *
 * Not here: the number of turns and the time of a node (node.ts), silence and turns without mail (worker.ts).
 */

import type { Reason } from "../schema/agent.ts";
import type { Fact } from "../schema/event.ts";
import type { Worker } from "../schema/worker.ts";
import { isLead, nextMover } from "./lead.ts";
import { isLive } from "./lookup.ts";
import { turnsOf } from "./node.ts";
import { behaves, type Settle } from "./noun.ts";
import { most } from "./repeat.ts";
import type { State } from "./state.ts";
import { canRun, isWorker } from "./worker.ts";

/** Participants that repeated a call too often with the same result. */
const settleLoops: Settle = (state, { limits }) => {
  if (state.agent?.status !== "active" || state.run?.status !== "open") return [];
  for (const one of state.participants.values()) {
    if (one.kind === "human" || most(one) < limits.same_call_stop) continue;
    // A turn ends first; that of a program may never end.
    if (one.turn && !(one.turn.status === "calling" && one.turn.own)) continue;
    const message = `${one.name} made the same tool call ${most(one)} times and nothing changed`;
    if (isLead(one)) {
      const text = `I made the same tool call ${most(one)} times and nothing changed. What should I do differently?`;
      return [
        {
          type: "question.asked",
          data: { question: `q${state.questions.size + 1}`, by: one.id, text, limit: "limit.loop" },
        },
      ];
    }
    const reason = { code: "limit.loop", message, next_mover: nextMover(state) };
    return [overNode(state, one, reason) ?? { type: "worker.halted", data: { worker: one.id, reason } }];
  }
  return [];
};

/** Participants that work on a node and produce nothing. */
const settleProgress: Settle = (state, { limits }) => {
  if (state.agent?.status !== "active") return [];
  for (const one of state.participants.values()) {
    if (!isWorker(one) || one.turn || (one.fruitless ?? 0) < limits.turns_without_progress) continue;
    const message = `${one.name} took ${one.fruitless} turns on ${one.node} without a result: no file, no publication, no node, no memory`;
    const failed = overNode(state, one, { code: "limit.progress", message, next_mover: nextMover(state) });
    if (failed) return [failed];
  }
  return [];
};

/** At this share of its turns a worker is told to produce; once per node, in a turn that it takes anyway. */
const late = 0.7;

const settleUrge: Settle = (state) => {
  if (state.agent?.status !== "active") return [];
  for (const one of state.participants.values()) {
    if (!isWorker(one) || !one.node || one.turn || one.wait || !canRun(one)) continue;
    const node = state.nodes.get(one.node);
    if (node?.status !== "running" && node?.status !== "waiting") continue;
    const max_turns = turnsOf(state, node);
    if (node.urged || node.turns >= max_turns || node.turns < late * max_turns) continue;
    return [{ type: "worker.urged", data: { worker: one.id, node: node.id, turns: node.turns, max_turns } }];
  }
  return [];
};

function overNode(state: State, one: Worker, reason: Reason): Fact | undefined {
  const node = one.node ? state.nodes.get(one.node) : undefined;
  return node && isLive(node) ? { type: "node.failed", data: { node: node.id, reason } } : undefined;
}

export const bounds = behaves({
  settle: [
    { phase: "limit", rule: settleLoops },
    { phase: "limit", rule: settleProgress },
    { phase: "limit", rule: settleUrge },
  ],
});
