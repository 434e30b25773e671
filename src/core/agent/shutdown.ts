/**
 * What ends with something else, one fact at a time: a stop ends the workers' work, the end of a run its questions and proposals, archiving
 * everything. It follows from the state, so that the command itself is one event and a crash in between is repaired.
 *
 * A stopped agent keeps its run and the coordinator its conversation, with one entry that sums up the board (`summary`); a message from the human,
 * or resuming, lets it continue. Not here: running turns (turn-failure.ts, settleOver).
 */

import type { Fact } from "../../schema/event.ts";
import type { Node } from "../../schema/node.ts";
import { currentStage, isLive } from "../lookup.ts";
import { defineBehaviour, type Settle } from "../noun.ts";
import { leads, nextMover } from "../run/lead.ts";
import type { State } from "../state.ts";
import { isWorker } from "../team/worker.ts";

const settleEnding: Settle = (state) => {
  const { agent, run } = state;
  if (agent?.status === "archived") {
    const left =
      nodesEnd(state, "archived", "the agent was archived", "nobody") ?? asksEnd(state, "the agent was archived");
    if (left) return [left];
    for (const { id, status } of state.triggers.values())
      if (status === "active") return [{ type: "trigger.cancelled", data: { trigger: id } }];
    return run?.status === "open" ? [{ type: "run.stopped", data: { run: run.id } }] : [];
  }
  if (run && run.status !== "open") {
    const left =
      nodesEnd(
        state,
        `run.${run.status}`,
        run.status === "completed" ? "the run was finished" : "the run was stopped",
        "nobody",
      ) ?? asksEnd(state, `${run.id} is over`);
    return left ? [left] : [];
  }
  if (agent?.status === "paused" && agent.heard) return [{ type: "agent.resumed", data: {} }];
  if (agent?.status !== "stopped") return [];
  const left = nodesEnd(state, "stopped", "the agent was stopped", nextMover(state)) ?? workersAsksEnd(state);
  if (left) return [left];
  return agent.heard ? [{ type: "agent.resumed", data: {} }] : [];
};

/** What the coordinator is told after a stop: the board as it was, and what became of it. */
export function summary(state: State): string {
  const nodes = [...state.nodes.values()];
  const doers = [...state.participants.values()].filter((one) => isWorker(one) && !one.retired);
  const asked = [...state.questions.values()].filter(({ status, by }) => status === "open" && leads(state, by));
  return [
    "You were stopped. Nothing is under way any more; this conversation is kept, and you go on from here when you are told to.",
    ...(nodes.length ? ["The board:", ...shown(nodes)] : ["The board is empty."]),
    `Workers, all idle now: ${doers.map(({ name }) => name).join(", ") || "none"}.`,
    ...(asked.length ? [`Still open are your questions ${asked.map(({ id }) => id).join(", ")}.`] : []),
    ...cutShort(state),
    "What was cancelled is begun again only if you create it anew.",
  ].join("\n");
}

/** It reconvenes because none of its nodes can move any more, not because its work is done. */
function cutShort(state: State): string[] {
  const stage = currentStage(state);
  const lost = [...state.nodes.values()].some((node) => node.stage === stage?.id && isLive(node));
  if (stage?.status !== "running" || !lost) return [];
  return [
    `The stage ${stage.name} (${stage.id}) was cut short by this and is not done. Before you complete it, create anew what it still needs.`,
  ];
}

const mostShown = 60;

/** Live nodes first: they are what was lost. */
function shown(nodes: Node[]): string[] {
  const lines = [...nodes.filter(isLive), ...nodes.filter((node) => !isLive(node))].map((node) => {
    const by = "worker" in node && node.worker ? ` by ${node.worker}` : "";
    const state = isLive(node) ? `was ${node.status}${by} and is cancelled` : `${node.status}${by}`;
    return `- ${node.id}: ${state}`;
  });
  const more = lines.length - mostShown;
  return more > 0 ? [...lines.slice(0, mostShown), `- and ${more} more`] : lines;
}

function nodesEnd({ nodes }: State, code: string, message: string, next_mover: string): Fact | undefined {
  for (const node of nodes.values())
    if (isLive(node)) return { type: "node.cancelled", data: { node: node.id, reason: { code, message, next_mover } } };
  return undefined;
}

function asksEnd({ questions, proposals }: State, over: string): Fact | undefined {
  for (const { id, status } of questions.values())
    if (status === "open") return { type: "question.expired", data: { question: id, over } };
  for (const { id, status } of proposals.values())
    if (status === "open") return { type: "proposal.withdrawn", data: { proposal: id } };
  return undefined;
}

/** The coordinator's own questions stay open; a call that waited for approval is given up with its turn. */
function workersAsksEnd(state: State): Fact | undefined {
  for (const { id, status, by, approves, host } of state.questions.values())
    if (status === "open" && (!leads(state, by) || approves || host))
      return { type: "question.expired", data: { question: id, over: "the agent was stopped" } };
  return undefined;
}

export const shutdown = defineBehaviour({
  settle: [{ phase: "close", rule: settleEnding }],
});
