/**
 * The node that a firing runs. A pending one needs nothing: it is assigned as soon as it is ready. One that has ended is created again from its
 * spec, as a new node that names it (`again`); one that is running, or whose repetition is, is left alone. The coordinator is told what cannot be
 * done: at the firing (`cannotRun`), or as `trigger.failed` when the board has no room.
 */

import type { Fact } from "../../schema/event.ts";
import type { NodeId } from "../../schema/ids.ts";
import { type Node, NodeSpec } from "../../schema/node.ts";
import { inputsReady, newNodeId } from "../board/node.ts";
import { noRoom } from "../board/node-room.ts";
import { currentStage, isLive } from "../lookup.ts";
import { defineBehaviour, type Reduce, type Settle } from "../noun.ts";
import { nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { isDoer } from "../team/worker.ts";

/** Runs before the inboxes: a node that is wanted again is not reported. */
const reduceReruns: Reduce = (state, event) => {
  switch (event.type) {
    case "run.started":
      state.reruns = [];
      return;
    case "trigger.fired": {
      const { trigger, fire } = event.data;
      const action = state.triggers.get(trigger)?.action;
      if (action?.type !== "run_node") return;
      const node = state.nodes.get(action.node);
      if (!node || isLive(node) || isWanted(state, node.id)) return;
      state.reruns = [...state.reruns, { trigger, fire, node: node.id }];
      return;
    }
    case "trigger.failed":
      state.reruns = state.reruns.filter(({ fire }) => fire !== event.data.fire);
      return;
    case "node.created":
      if (event.data.again) state.reruns = state.reruns.filter(({ node }) => node !== event.data.again);
  }
};

const settleReruns: Settle = (state, context) => {
  const [wanted] = state.reruns;
  if (!wanted || state.agent?.status !== "active" || state.run?.status !== "open") return [];
  const node = state.nodes.get(wanted.node);
  if (!node) return [];
  const above = node.parent ? state.nodes.get(node.parent) : undefined;
  const parent = above && isLive(above) ? above.id : undefined;
  const problem = noRoom(state, parent, context);
  if (!problem) return [createdAgain(state, node, parent)];
  const message = `It is time for ${node.id} again, but ${problem.message}`;
  const reason = { code: problem.code, message, next_mover: nextMover(state) };
  return [{ type: "trigger.failed", data: { trigger: wanted.trigger, fire: wanted.fire, reason } }];
};

/** Why a firing has no effect by itself, as text for the coordinator; undefined if it has one. */
export function cannotRun(state: State, id: NodeId): string | undefined {
  const node = state.nodes.get(id);
  if (!node) return `It is time for ${id}, which is not on the board of this run. Create what is needed.`;
  if (![...state.participants.values()].some((one) => isDoer(one) && !one.retired))
    return `It is time for ${id}, and there is no worker who could do it. Spawn one.`;
  if (node.status !== "pending" || inputsReady(state, node)) return undefined;
  const open = node.depends_on.filter((need) => state.nodes.get(need)?.status !== "completed");
  return `It is time for ${id}, but it waits for ${open.join(", ")}.`;
}

const isWanted = (state: State, id: NodeId): boolean =>
  state.reruns.some(({ node }) => node === id) ||
  [...state.nodes.values()].some((node) => node.again === id && isLive(node));

const fields = Object.keys(NodeSpec.shape) as (keyof NodeSpec)[];
const specOf = (node: Node): NodeSpec => Object.fromEntries(fields.map((field) => [field, node[field]])) as NodeSpec;

function createdAgain(state: State, node: Node, parent: NodeId | undefined): Fact {
  const { name, creator } = node;
  const place = { parent, stage: currentStage(state)?.id, wanted_worker: node.wanted_worker, again: node.id };
  return { type: "node.created", data: { node: newNodeId(state, name), ...specOf(node), ...place }, actor: creator };
}

export const rerun = defineBehaviour({
  reduce: [
    {
      phase: "follows",
      looksAt: ["run.started", "trigger.fired", "trigger.failed", "node.created"],
      reduce: reduceReruns,
    },
  ],
  settle: [{ phase: "answer", rule: settleReruns }],
});
