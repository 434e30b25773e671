/**
 * The board of one run.
 *
 * A node is ready when it is pending and everything it depends on is completed. Failure does not spread: a node behind a failed one never becomes
 * ready, and the coordinator decides what to do. There is no cycle: a node may depend only on nodes that exist before it. A node at its checkpoint
 * does not move by itself either: participants that wait for it resume, and its worker waits for mail. A node has one assignee; a worker holds one
 * node. Published is final: completed, failed and cancelled nodes never change again.
 *
 * Not here: a stage's contract (stage.ts), the files of a node (runtime/workspace/publish.ts).
 */

import type { Reason } from "../../schema/agent.ts";
import { typesOf } from "../../schema/event.ts";
import type { Check } from "../../schema/evidence.ts";
import type { NodeId } from "../../schema/ids.ts";
import type { Node } from "../../schema/node.ts";
import { Problem } from "../../schema/problem.ts";
import type { Stage } from "../../schema/stage.ts";
import type { Worker } from "../../schema/worker.ts";
import { currentStage, isLive, requireAgent, requireNode, requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { defaultLead, leads, nextMover, toLead } from "../run/lead.ts";
import type { State } from "../state.ts";
import { isGuest } from "../team/guest.ts";
import { findParticipant, foldCase, requireDoer, requireParticipant, slug } from "../team/names.ts";
import { nearest } from "../team/sub-worker.ts";
import { evidenceFor, verdictOn } from "./check.ts";

import { assertRoom } from "./node-room.ts";
import {
  nodeAppointments,
  reduceNodeTurns,
  reduceNodeWords,
  reduceStandstill,
  settleTurnLimits,
  withoutWait,
} from "./node-time.ts";
import { settleSubNodes } from "./sub-node.ts";
import { requireSuggestion } from "./suggestion.ts";

export function ready(state: State): Node[] {
  return [...state.nodes.values()].filter((node) => node.status === "pending" && inputsReady(state, node));
}

export const inputsReady = (state: State, node: Node): boolean =>
  node.depends_on.every((id) => state.nodes.get(id)?.status === "completed");

/** The nodes that can still end by themselves: alive, and not behind one that failed or was cancelled; nor behind `held`, if one is given. */
export function nodesThatCanEnd(state: State, held?: NodeId): Set<NodeId> {
  const can = new Set<NodeId>();
  const open = (id: NodeId) => can.has(id) || state.nodes.get(id)?.status === "completed";
  for (const node of state.nodes.values())
    if (
      node.id !== held &&
      isLive(node) &&
      node.checkpoint === undefined &&
      (node.status !== "pending" || node.depends_on.every(open))
    )
      can.add(node.id);
  return can;
}

export const nodeDecide: Deciders<
  | "node.create"
  | "node.assign"
  | "node.want"
  | "node.attempt"
  | "node.publish"
  | "node.checkpoint"
  | "node.fail"
  | "node.cancel"
> = {
  "node.create": (state, command, context) => {
    requireRun(state);
    requireAgent(state, "active", "paused");
    const { task, acceptance, checks, if_unverified, depends_on, refs, parent, retry_of, suggestion } = command;
    const { workspace, base, resolves } = command;
    const worker = command.worker === undefined ? undefined : requireDoer(state, command.worker);
    if (worker?.retired)
      throw new Problem("wrong_state", `${worker.name} is retired; choose another worker or spawn one`);
    const sources = Object.values(refs).map((ref) => ref.split("/")[0]!);
    for (const id of [base, resolves]) if (id !== undefined && id !== "base") sources.push(id);
    const needs = [...new Set([...depends_on, ...sources])];
    for (const id of needs) requireNode(state, id);
    if (parent !== undefined) requireNode(state, parent);
    assertRoom(state, parent, context);
    assertOthersReview(state, checks, worker?.id);
    if (retry_of !== undefined) assertEndedBadly(requireNode(state, retry_of));
    if (suggestion !== undefined) requireSuggestion(state, suggestion);
    const name = command.name ?? task.split("\n")[0]!.slice(0, 60);
    const node = newNodeId(state, name);
    const stage = currentStage(state);
    assertOpen(stage, command.stage);
    const max_turns = command.max_turns ?? stage?.contract.max_turns ?? context.limits.turns_per_node;
    const timeout_seconds =
      command.timeout_seconds ?? stage?.contract.timeout_seconds ?? context.limits.seconds_per_node;
    const place = { parent, stage: stage?.id, wanted_worker: worker?.id };
    return [
      {
        type: "node.created",
        data: {
          node,
          task,
          name,
          acceptance,
          ...(checks?.length ? { checks, if_unverified } : {}),
          depends_on: needs,
          refs,
          ...place,
          max_turns,
          timeout_seconds,
          model: command.model,
          retry_of,
          suggestion,
          workspace,
          base,
          resolves,
        },
      },
    ];
  },

  "node.assign": (state, command) => {
    const node = requireNode(state, command.node);
    const worker = requireDoer(state, command.worker);
    if (node.status === "assigned" && node.worker === worker.id) return [];
    if (node.status !== "pending")
      throw new Problem("wrong_state", `${node.id} is ${node.status}; only a pending node can be assigned`);
    if (!inputsReady(state, node)) {
      const open = node.depends_on.filter((id) => state.nodes.get(id)?.status !== "completed");
      throw new Problem(
        "wrong_state",
        `${node.id} waits for ${open.join(", ")}; it can be assigned when they are completed`,
      );
    }
    if (worker.retired) throw new Problem("wrong_state", `${worker.name} is retired and cannot take a node`);
    if (worker.node)
      throw new Problem("wrong_state", `${worker.name} is busy with ${worker.node}; a worker holds one node at a time`);
    return [{ type: "node.assigned", data: { node: node.id, worker: worker.id } }];
  },

  /** Sets the worker that should do it once it is ready. */
  "node.want": (state, command) => {
    const node = requireNode(state, command.node);
    const worker = requireDoer(state, command.worker);
    if (node.status !== "pending")
      throw new Problem("wrong_state", `${node.id} is ${node.status}; only a pending node can be assigned`);
    if (worker.retired) throw new Problem("wrong_state", `${worker.name} is retired and cannot take a node`);
    return node.wanted_worker === worker.id
      ? []
      : [{ type: "node.wanted", data: { node: node.id, worker: worker.id } }];
  },

  /** Its checks have results. Nothing follows if the content may be published. */
  "node.attempt": (state, { node: id, on, partial, limit }, { actor, limits }) => {
    const node = requireOwn(state, id, actor);
    const verdict = verdictOn(node, { on, partial, limit }, limits.check_attempts);
    if (verdict.do === "publish") return [];
    if (verdict.do === "fail")
      return [{ type: "node.failed", data: { node: id, reason: unverified(state, node, limit) } }];
    const { failed, attempt } = verdict;
    const data = { node: id, worker: node.worker, on, failed, attempt, attempts: limits.check_attempts };
    return [{ type: "node.rejected", data }];
  },

  /** Not what an attempt with this content would be rejected with. */
  "node.publish": (state, { node: id, summary, partial, limit, files, on, change }, { actor, limits }) => {
    const node = requireOwn(state, id, actor);
    if (verdictOn(node, { on, partial, limit }, limits.check_attempts).do !== "publish")
      throw new Problem("wrong_state", `${id} does not pass its checks; it cannot be published`);
    const evidence = evidenceFor(node.checks, node.results, on);
    const { worker } = node;
    return [{ type: "node.completed", data: { node: id, worker, summary, partial, limit, files, evidence, change } }];
  },

  "node.checkpoint": (state, { node: id, summary }, { actor }) => {
    const node = requireNode(state, id);
    if (node.status !== "running")
      throw new Problem("wrong_state", `${id} is ${node.status}; only a running node can report a checkpoint`);
    if (node.worker !== actor)
      throw new Problem("forbidden", `${id} belongs to ${node.worker}; ${actor} cannot report a checkpoint for it`);
    return [{ type: "node.checkpointed", data: { node: id, worker: actor, summary } }];
  },

  "node.fail": (state, { node: id, reason }) => {
    const node = requireNode(state, id);
    if (!isLive(node)) throw new Problem("wrong_state", `${id} is already ${node.status}`);
    return [{ type: "node.failed", data: { node: id, reason } }];
  },

  "node.cancel": (state, { node: id, reason }, { actor }) => {
    const node = requireNode(state, id);
    if (node.status === "cancelled") return [];
    if (!isLive(node)) throw new Problem("wrong_state", `${id} is already ${node.status}`);
    if (!leads(state, actor) && actor !== "human" && actor !== node.creator) {
      throw new Problem(
        "forbidden",
        `${id} was created by ${node.creator}; only its creator, the coordinator or the human can cancel it`,
      );
    }
    return [
      {
        type: "node.cancelled",
        data: { node: id, reason: { code: "cancelled", message: reason, next_mover: nextMover(state) } },
      },
    ];
  },
};

export const newNodeId = (state: State, name: string): NodeId => `n${state.nodes.size + 1}-${slug(name, 32)}`;

const reduceNodes: Reduce = (state, event) => {
  if (event.type === "run.started") return state.nodes.clear();
  if (event.type === "node.created") {
    const { node: id, parent, ...given } = event.data;
    const depth = parent ? (state.nodes.get(parent)?.depth ?? 0) + 1 : 0;
    const node: Node = {
      ...given,
      id,
      parent,
      depth,
      turns: 0,
      creator: event.actor,
      status: "pending",
      created_at: event.ts,
    };
    state.nodes.set(id, node);
    return;
  }
  if (!(event.type.startsWith("node.") || event.type === "worker.urged") || !("node" in event.data)) return;
  const node = state.nodes.get(event.data.node!);
  if (!node || !isLive(node)) return;
  const next = after(node, event);
  if (next) state.nodes.set(node.id, next);
};

const withoutAttempts = <T extends object>(node: T): T => {
  const { attempts_left: _, ...rest } = node as T & { attempts_left?: number };
  return rest as T;
};

const begun = <T extends object>(node: T) => node as T & { worker?: string; started_at?: string };

/** The node after this event, or nothing if the event does not fit its state. */
function after(node: Node, event: Parameters<Reduce>[1]): Node | undefined {
  const same = withoutWait(node);
  switch (event.type) {
    case "node.assigned":
      return node.status === "pending" ? { ...same, status: "assigned", worker: event.data.worker } : undefined;
    case "node.started":
      return node.status === "assigned"
        ? { ...same, status: "running", worker: node.worker, started_at: event.ts }
        : undefined;
    case "node.wanted":
      return node.status === "pending" ? { ...node, wanted_worker: event.data.worker } : undefined;
    case "node.checkpointed":
      return node.status === "running" ? { ...node, checkpoint: event.data.summary } : undefined;
    case "worker.urged":
      return { ...node, urged: true };
    case "node.rejected": {
      const { attempt: rejections, attempts } = event.data;
      return node.status === "running" ? { ...node, rejections, attempts_left: attempts - rejections } : undefined;
    }
    case "node.completed": {
      if (node.status !== "running") return undefined;
      const { summary, partial, limit, files, evidence, change } = event.data;
      return {
        ...withoutAttempts(same),
        status: "completed",
        worker: node.worker,
        started_at: node.started_at,
        summary,
        partial,
        ...(limit ? { limit } : {}),
        files,
        ...(change ? { change } : {}),
        ...(evidence ? { evidence } : {}),
        ended_at: event.ts,
      };
    }
    case "node.retried": {
      const { worker, started_at: _started, urged: _urged, checkpoint: _checkpoint, ...tried } = begun(same);
      const { results: _results, rejections: _rejections, attempts_left: _left, ...rest } = tried;
      const again = { model: event.data.model, retries: (node.retries ?? 0) + 1, turns: 0 };
      return { ...rest, ...(worker ? { wanted_worker: worker } : {}), ...again, status: "pending" };
    }
    case "node.failed":
      return { ...same, status: "failed", reason: event.data.reason, ended_at: event.ts };
    case "node.cancelled":
      return { ...same, status: "cancelled", reason: event.data.reason, ended_at: event.ts };
    default:
      return undefined;
  }
}

/**
 * Ready nodes go to idle workers, oldest first; a node that wants a certain worker waits for it, unless it was retired. One that wants nobody goes to
 * the nearest.
 */
const settleAssignments: Settle = (state) => {
  if (state.agent?.status !== "active") return [];
  const idle = [...state.participants.values()].filter(
    (one): one is Worker =>
      (one.kind === "harnessed" || one.kind === "autonomous") &&
      !one.retired &&
      !one.node &&
      !one.turn &&
      !one.wait &&
      !isGuest(one),
  );
  for (const node of ready(state)) {
    const wanted = node.wanted_worker ? state.participants.get(node.wanted_worker) : undefined;
    const choosy = wanted && wanted.kind !== "human" && !wanted.retired;
    const worker = choosy ? idle.find((one) => one.id === wanted.id) : nearest(state, idle, node);
    if (worker) return [{ type: "node.assigned", data: { node: node.id, worker: worker.id } }];
  }
  return [];
};

function requireOwn(state: State, id: NodeId, actor: string): Node & { status: "running" } {
  const node = requireNode(state, id);
  if (node.status !== "running")
    throw new Problem("wrong_state", `${id} is ${node.status}; only a running node can be published`);
  if (node.worker !== actor)
    throw new Problem("forbidden", `${id} belongs to ${node.worker}; ${actor} cannot publish it`);
  return node;
}

function unverified(state: State, node: Node, limit: string | undefined): Reason {
  const message = `${node.id} did not pass its checks, and it was to fail then; what its worker made is in nodes/${node.id}/scratch`;
  return { code: limit ?? "limit.checks", message, next_mover: nextMover(state) };
}

/** A review that its own author would have to do is refused before anybody works. */
function assertOthersReview(state: State, checks: readonly Check[] = [], worker: string | undefined): void {
  for (const check of checks) {
    if (!("review" in check) || check.by === undefined || worker === undefined) continue;
    const reviewer = findParticipant(state, check.by);
    if (reviewer?.id === worker)
      throw new Problem(
        "invalid",
        `${reviewer.name} is to do the node and cannot review it; name another worker or a model`,
      );
  }
}

function assertEndedBadly(node: Node): void {
  if (node.status === "failed" || node.status === "cancelled" || (node.status === "completed" && node.partial)) return;
  throw new Problem(
    "wrong_state",
    `${node.id} is ${node.status}; only a failed, cancelled or partially completed node can be retried`,
  );
}

function assertOpen(stage: Stage | undefined, wanted: string | undefined): void {
  if (wanted === undefined || stage?.id === wanted || (stage && foldCase(stage.name) === foldCase(wanted))) return;
  const open = stage ? `${stage.id} (${stage.name})` : "none";
  throw new Problem("not_found", `stage ${JSON.stringify(wanted)} is not open; open stage: ${open}`);
}

/** Who is told when a node ends: the coordinator, and the worker that created it. */
export function whoHearsOfEnd(state: State, id: NodeId): string[] {
  const creator = state.nodes.get(id)?.creator ?? defaultLead.id;
  const known = state.participants.has(creator) && requireParticipant(state, creator).kind !== "human";
  return [...new Set([...toLead(state), ...(known ? [creator] : [])])];
}

export const node = defineBehaviour({
  decide: nodeDecide,
  reduce: [
    { phase: "before", looksAt: ["agent.resumed"], reduce: reduceStandstill },
    { phase: "own", looksAt: [...typesOf("node"), "run.started", "worker.urged"], reduce: reduceNodes },
    { phase: "after", looksAt: ["turn.started", "turn.ended", "worker.parked"], reduce: reduceNodeTurns },
    { phase: "after", looksAt: ["question.answered", "question.expired"], reduce: reduceNodeWords },
  ],
  settle: [
    { phase: "limit", rule: settleTurnLimits },
    { phase: "limit", rule: settleSubNodes },
    { phase: "assign", rule: settleAssignments },
  ],
  appointments: { while: ["active", "paused"], of: nodeAppointments },
});
