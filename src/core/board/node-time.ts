/**
 * The time and the turns of a node: how long it has run, and what happens when its limits are reached.
 *
 * Time in which nobody could act does not count: a pause, a wait, a call that waits for approval, a command that waits for a host, a check of its result
 * (check.ts).
 */
import type { Node } from "../../schema/node.ts";
import type { Worker } from "../../schema/worker.ts";
import { hostPatienceSeconds } from "../human/host.ts";
import { type Appointments, iso, type Reduce, type Settle } from "../noun.ts";
import { nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { later } from "../time/postpone.ts";
import { callKey } from "../turn/call-key.ts";

/** A node waits while its worker waits, and runs again with the worker's next turn. Runs after the turn was folded. */
export const reduceNodeTurns: Reduce = (state, event) => {
  if (event.type !== "turn.started" && event.type !== "turn.ended" && event.type !== "worker.parked") return;
  const holder = state.participants.get("worker" in event.data ? event.data.worker : event.data.participant);
  if (!holder || holder.kind === "human" || !holder.node) return;
  const node = state.nodes.get(holder.node);
  if (node?.status !== "running" && node?.status !== "waiting") return;
  if (event.type === "turn.started") {
    const started_at = node.status === "waiting" ? later(node.started_at, node.since, event.ts) : node.started_at;
    const turns = node.turns + 1;
    state.nodes.set(node.id, { ...withoutWait(node), checkpoint: undefined, started_at, status: "running", turns });
  } else if (holder.wait && holder.next === "rest") {
    state.nodes.set(node.id, { ...node, status: "waiting", on: holder.wait, since: event.ts });
  }
};

/** Time in which a call of its worker waited for approval, or for a host, does not count. Runs after the turn was folded. */
export const reduceNodeWords: Reduce = (state, event) => {
  if (event.type !== "question.answered" && event.type !== "question.expired") return;
  const question = state.questions.get(event.data.question);
  const holder = question?.approves || question?.host ? state.participants.get(question.by) : undefined;
  if (!question || !holder || holder.kind === "human" || !holder.turn || isAsking(holder)) return;
  if (question.host && (!isOfTurn(state, question.host.call, holder.turn.id) || waitsForHost(state, holder))) return;
  const node = holder.turn.node ? state.nodes.get(holder.turn.node) : undefined;
  const until = question.host ? earlier(event.ts, add(question.asked_at, hostPatienceSeconds)) : event.ts;
  if (node?.status === "running")
    state.nodes.set(node.id, { ...node, started_at: later(node.started_at, question.asked_at, until) });
};

/** A command of its running turn wants to reach a host, and the human has not answered: the connection may still wait. */
const waitsForHost = (state: State, { id, turn }: Pick<Worker, "id" | "turn">): boolean =>
  turn !== undefined &&
  [...state.questions.values()].some(
    ({ by, status, host }) => by === id && status === "open" && host && isOfTurn(state, host.call, turn.id),
  );

const isOfTurn = (state: State, call: string, turn: string): boolean => call.startsWith(callKey(state, turn, ""));
const add = (at: string, seconds: number): string => iso(Date.parse(at) + seconds * 1000);
const earlier = (one: string, other: string): string => (Date.parse(one) < Date.parse(other) ? one : other);

const isAsking = ({ turn }: Pick<Worker, "turn">): boolean => turn?.status === "acting" && turn.asking !== undefined;

/** Time in which nobody could act does not count against a node: its start is moved by as much. */
export const reduceStandstill: Reduce = (state, { type, ts: until }) => {
  const { agent } = state;
  if (type !== "agent.resumed" || agent?.status !== "paused") return;
  for (const node of state.nodes.values()) {
    const holder = node.status === "running" ? state.participants.get(node.worker) : undefined;
    if (node.status !== "running" || (holder && "turn" in holder && holder.turn)) continue;
    state.nodes.set(node.id, { ...node, started_at: later(node.started_at, agent.since, until) });
  }
};

/** How many turns its node and its worker allow. */
export function turnsOf(state: State, node: Node): number {
  const holder = "worker" in node && node.worker ? state.participants.get(node.worker) : undefined;
  return Math.min(node.max_turns, (holder && "max_turns" in holder && holder.max_turns) || Number.POSITIVE_INFINITY);
}

/** A node that has used its turns fails, visibly, once the running turn has ended. */
export const settleTurnLimits: Settle = (state) => {
  for (const node of state.nodes.values()) {
    if (node.status !== "running" && node.status !== "waiting") continue;
    const holder = state.participants.get(node.worker);
    if (holder && holder.kind !== "human" && !holder.turn && node.turns >= turnsOf(state, node)) {
      const message = `${node.id} used its ${turnsOf(state, node)} turns without publishing`;
      return [
        {
          type: "node.failed",
          data: { node: node.id, reason: { code: "limit.turns", message, next_mover: nextMover(state) } },
        },
      ];
    }
  }
  return [];
};

export const nodeAppointments: Appointments = (state) => {
  const due: ReturnType<Appointments> = [];
  for (const node of state.nodes.values()) {
    if (node.status !== "running") continue;
    const holder = state.participants.get(node.worker);
    if (state.agent?.status === "paused" && !(holder && "turn" in holder && holder.turn)) continue;
    if (holder && holder.kind !== "human" && isAsking(holder)) continue;
    if (holder && "turn" in holder && holder.turn && state.reviews.has(node.id)) continue;
    const message = `${node.id} ran longer than ${node.timeout_seconds} s`;
    const patience = holder && holder.kind !== "human" && waitsForHost(state, holder) ? hostPatienceSeconds : 0;
    due.push({
      at: add(node.started_at, node.timeout_seconds + patience),
      command: {
        type: "node.fail",
        node: node.id,
        reason: { code: "limit.time", message, next_mover: nextMover(state) },
      },
    });
  }
  return due;
};

export function withoutWait<T extends object>(node: T): Omit<T, "on" | "since"> {
  if (!("on" in node)) return node;
  const { on: _on, since: _since, ...rest } = node as T & { on?: unknown; since?: unknown };
  return rest;
}
