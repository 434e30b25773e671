/**
 * Deadlock: participants that wait only for each other. Only a timeout would ever free them, so one of them is woken and told: the coordinator if
 * it is among them, else the first.
 *
 * A participant can still act if it can run or is in a turn, waits for the human, or waits for one that can act. A message from a person or a
 * trigger may come at any time, but nothing guarantees it, so waiting for mail does not count while nobody can send it.
 */

import type { NodeId } from "../../schema/ids.ts";
import type { Thinker } from "../../schema/worker.ts";
import { why } from "../board/why.ts";
import type { Limits } from "../limits.ts";
import { isLive } from "../lookup.ts";
import type { State } from "../state.ts";
import { isAway } from "./guest.ts";
import { canRun, isDoer } from "./worker.ts";

/** The participants in the deadlock, in the order they joined; empty if there is none. */
export function deadlocked(state: State): Thinker[] {
  let waits = false;
  for (const one of state.participants.values())
    waits ||= one.kind !== "human" && one.wait?.for === "nodes" && !one.turn;
  if (!waits) return []; // the usual case, and checked after every change
  const thinkers = [...state.participants.values()].filter((one) => one.kind !== "human");
  const parked = thinkers.filter((one) => one.wait && !one.turn && !canRun(one) && !one.retired);
  if (!parked.some(({ wait }) => wait?.for === "nodes")) return [];
  if ([...state.triggers.values()].some(({ status }) => status === "active")) return [];
  const moves = new Set(thinkers.filter((one) => one.turn || canRun(one) || isAway(one)).map(({ id }) => id));
  for (const { id, wait } of parked)
    if (wait?.for === "question" && state.questions.get(wait.question)?.status === "open") moves.add(id);
  const isFree = (one: Thinker) => isDoer(one) && !one.retired && !one.node && !one.wait;
  for (let before = -1; before < moves.size; ) {
    before = moves.size;
    const can = movingNodes(state, moves, thinkers.some(isFree));
    for (const { id, wait } of parked) {
      if (wait?.for === "mail" ? moves.size > 0 : wait?.for === "nodes" && wait.nodes.some((node) => can.has(node)))
        moves.add(id);
    }
  }
  return parked.filter(({ id }) => !moves.has(id));
}

/** Live nodes that can still end: held by a participant that can act, or waiting for such nodes with a worker to come. */
function movingNodes(state: State, moves: ReadonlySet<string>, free: boolean): Set<NodeId> {
  const can = new Set<NodeId>();
  for (const node of state.nodes.values()) {
    if (!isLive(node) || node.checkpoint !== undefined) continue;
    if (node.status !== "pending") {
      if (node.worker !== undefined && moves.has(node.worker)) can.add(node.id);
      continue;
    }
    const needs = node.depends_on.every((id) => can.has(id) || state.nodes.get(id)?.status === "completed");
    const wanted = node.wanted_worker;
    const comes = wanted === undefined ? free || [...moves].some((id) => isDoer(state.participants.get(id))) : true;
    if (needs && comes && (wanted === undefined || moves.has(wanted) || isIdle(state, wanted))) can.add(node.id);
  }
  return can;
}

function isIdle(state: State, id: string): boolean {
  const one = state.participants.get(id);
  return isDoer(one) && !one.retired && !one.node && !one.wait;
}

/** For the one that is woken. */
export const describeDeadlock = (state: State, stuck: readonly Thinker[], limits: Limits): string =>
  `Nobody can continue: ${stuck.map((each) => describe(state, each, limits)).join("; ")}. You are woken so that somebody decides.`;

function describe(state: State, { name, wait, node }: Thinker, limits: Limits): string {
  const holds = node ? ` (holds ${node})` : "";
  if (wait?.for !== "nodes") {
    const from = wait?.for === "mail" && wait.from?.map((id) => state.participants.get(id)?.name ?? id).join(", ");
    return `${name}${holds} waits for ${from ? `an answer from ${from}` : "messages"}`;
  }
  const open = wait.nodes.filter((id) => isLive(state.nodes.get(id)!));
  return `${name}${holds} waits for ${open.map((id) => `${id}${because(state, id, limits)}`).join(", ")}`;
}

/** Why an unassigned node does not start. Holders of nodes are named by themselves. */
function because(state: State, id: NodeId, limits: Limits): string {
  const node = state.nodes.get(id)!;
  if (node.checkpoint !== undefined) return " (it has stopped at a checkpoint)";
  if (node.status !== "pending") return "";
  const [first] = why(state, id, { limits });
  return first ? ` (${first.text})` : "";
}
