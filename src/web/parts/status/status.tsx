/** How somebody or something stands: a shape, a colour and a word, never the colour alone. */

import type { State } from "../../../core/state.ts";
import { canRun } from "../../../core/team/worker.ts";
import { isQueued } from "../../../core/turn/queue.ts";
import type { Node } from "../../../schema/node.ts";
import type { Thinker } from "../../../schema/worker.ts";

export type Look = "idle" | "done" | "working" | "waiting" | "failed" | "retired" | "pending";

const shapes: Record<Look, { shape: string; colour: string; word: string }> = {
  idle: { shape: "done", colour: "done", word: "Idle" },
  done: { shape: "ok", colour: "done", word: "Done" },
  working: { shape: "working", colour: "working", word: "Working" },
  waiting: { shape: "waiting", colour: "waiting", word: "Waits for you" },
  failed: { shape: "failed", colour: "failed", word: "Failed" },
  retired: { shape: "retired", colour: "retired", word: "Retired" },
  pending: { shape: "pending", colour: "retired", word: "Pending" },
};

export function StatusDot({ look, size = 10, word }: { look: Look; size?: number; word?: string }) {
  const { shape, colour, word: usual } = shapes[look];
  return (
    <svg
      className={`st st-${colour} ${look === "working" ? "spin" : ""}`}
      width={size}
      height={size}
      role="img"
      aria-label={word ?? usual}
    >
      <use href={`#s-${shape}`} />
    </svg>
  );
}

/** The dot and its word. */
export function StatusWord({ look, word }: { look: Look; word?: string }) {
  const { colour, word: usual } = shapes[look];
  return (
    <span className={`word ${colour}`}>
      <StatusDot look={look} />
      {word ?? usual}
    </span>
  );
}

const agents: Record<string, { look: Look; word: string }> = {
  idle: { look: "idle", word: "Idle" },
  working: { look: "working", word: "Working" },
  waiting_for_human: { look: "waiting", word: "Waits for you" },
  paused: { look: "waiting", word: "Paused" },
  stopped: { look: "retired", word: "Stopped" },
  completed: { look: "done", word: "Done" },
  failed: { look: "failed", word: "Failed" },
  archived: { look: "retired", word: "Archived" },
  quarantined: { look: "failed", word: "Cannot be opened" },
  untrusted: { look: "retired", word: "Untrusted" },
};

export const agentLook = (status: string): { look: Look; word: string } =>
  agents[status] ?? { look: "pending", word: status };

/** As it stands in its state, if that is there: where every call under way has failed and is only tried again, nobody is at work. */
export function agentLookIn(status: string, state: State | undefined): { look: Look; word: string } {
  if (status !== "working" || !state) return agentLook(status);
  const atWork = [...state.participants.values()].flatMap((one) => (one.kind !== "human" && canRun(one) ? [one] : []));
  return atWork.some(isRetrying) && atWork.every((one) => isRetrying(one) || !one.turn)
    ? { look: "pending", word: "A call failed; retrying" }
    : agentLook(status);
}

/** Of somebody who thinks. */
export function personLook(state: State, one: Thinker): { look: Look; word: string } {
  if (one.retired) return { look: "retired", word: "Retired" };
  const asks = [...state.questions.values()].some(({ by, status }) => by === one.id && status === "open");
  if (asks) return { look: "waiting", word: "Waits for you" };
  const stands = state.agent?.status !== "active";
  if (!stands && isQueued(state, one)) return { look: "pending", word: "Waits for budget" };
  if (!stands && isRetrying(one)) return { look: "pending", word: "Retrying" };
  if (!stands && canRun(one)) return { look: "working", word: "Working" };
  if (stands && standsStill(state)) return { look: "retired", word: agentLook(state.agent?.status ?? "idle").word };
  if (one.wait) return { look: "pending", word: "Waits" };
  const node = one.node ? state.nodes.get(one.node) : undefined;
  if (node?.status === "failed") return { look: "failed", word: "Failed" };
  return { look: "idle", word: stands ? agentLook(state.agent?.status ?? "idle").word : "Idle" };
}

const nodes: Record<Node["status"], { look: Look; word: string }> = {
  pending: { look: "pending", word: "Pending" },
  assigned: { look: "pending", word: "Assigned" },
  running: { look: "working", word: "Running" },
  waiting: { look: "waiting", word: "Waiting" },
  completed: { look: "done", word: "Completed" },
  failed: { look: "failed", word: "Failed" },
  cancelled: { look: "retired", word: "Cancelled" },
};

export const nodeLook = (status: Node["status"]): { look: Look; word: string } => nodes[status];

/** A node as it stands in its agent: nothing runs in one that stands still, and whose worker only tries again is not at work. */
export function nodeLookIn(state: State, node: Node): { look: Look; word: string } {
  if (node.status === "completed" && node.partial) return { look: "done", word: "Completed in part" };
  if (node.status === "pending" || "ended_at" in node) return nodeLook(node.status);
  if (standsStill(state)) return { look: "pending", word: agentLook(state.agent?.status ?? "idle").word };
  if (node.status === "waiting") return { look: "pending", word: "Waits" };
  const one = state.participants.get(node.worker);
  return one && one.kind !== "human" && isRetrying(one) ? { look: "pending", word: "Retrying" } : nodeLook(node.status);
}

const standsStill = ({ agent }: State): boolean => agent !== null && /^(paused|stopped|failed)$/.test(agent.status);

const isRetrying = ({ turn }: Thinker): boolean => turn?.status === "calling" && turn.retry !== undefined;
