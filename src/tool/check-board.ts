import { z } from "zod";
import { workerStatus } from "../core/agent/status.ts";
import { turnsOf } from "../core/board/node-time.ts";
import { openSuggestions } from "../core/board/suggestion.ts";
import { currentStage, isLive } from "../core/lookup.ts";
import { completion } from "../core/message/mail-route.ts";
import type { State } from "../core/state.ts";
import { isWorker } from "../core/team/worker.ts";
import { shortLine } from "../lib/text/text.ts";
import type { Node } from "../schema/node.ts";
import { defineTool } from "../toolkit/tool.ts";

export const checkBoard = defineTool({
  name: "check_board",
  about:
    "See every node with its status, worker, dependencies, and its summary or the reason it ended; and who is there.",
  guidance:
    "Before you plan, and when you have lost the thread. You are told by mail when a node ends, so there is no need to look again and again: use wait_for_nodes.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["board"], words: "status, overview, progress, who is there" },
  only: "coordinator",
  input: z.object({}),
  run: async (_input, { state }) => boardOf(state()),
});

function boardOf(state: State): string {
  const stage = currentStage(state);
  const workers = [...state.participants.values()].filter(isWorker);
  const open = [...state.questions.values()].filter((question) => question.status === "open");
  return [
    ...(stage ? [`Stage ${stage.id} (${stage.name}) is ${stage.status}; policy ${stage.contract.policy}.`] : []),
    ...nodesOf(state),
    ...(state.nodes.size ? [] : ["The board is empty."]),
    ...workers.map((one) => `${one.name} (${one.id}): ${workerStatus(one)}${one.node ? `, holds ${one.node}` : ""}`),
    ...(workers.length ? [] : ["There are no workers."]),
    ...openSuggestions(state).map(
      ({ id, by, node, text }) =>
        `${id}: suggested by ${by}${node ? ` (${node})` : ""}, to be decided (create_work_node or dismiss_suggestion): ${shortLine(text, longest)}`,
    ),
    ...open.map((question) => `${question.id} of ${question.by} is open: ${shortLine(question.text, longest)}`),
  ].join("\n");
}

/** Ended nodes that are shown; an infinite agent has ever more of them. */
const endedShown = 100;

function nodesOf(state: State): string[] {
  const nodes = [...state.nodes.values()];
  const older = new Set(nodes.filter((node) => !isLive(node)).slice(0, -endedShown));
  return [
    ...(older.size
      ? [`(${older.size} older nodes that have ended are left out; list_files shows what they published)`]
      : []),
    ...nodes.filter((node) => !older.has(node)).map((node) => lineOf(state, node)),
  ];
}

function lineOf(state: State, node: Node): string {
  const worker = "worker" in node && node.worker ? node.worker : undefined;
  const wanted = worker === undefined && isLive(node) && node.wanted_worker ? `for ${node.wanted_worker}` : undefined;
  const needs = node.depends_on.map((id) => {
    const status = state.nodes.get(id)?.status;
    return status === "failed" || status === "cancelled" ? `${id} (${status})` : id;
  });
  const parts = [
    node.status === "completed" ? completion(node) : node.status,
    worker ?? wanted,
    node.turns ? `${node.turns} of ${turnsOf(state, node)} turns` : undefined,
    node.retry_of ? `instead of ${node.retry_of}` : undefined,
    node.retries ? `tried again with ${node.model}` : undefined,
    needs.length ? `needs ${needs.join(", ")}` : undefined,
    node.status === "waiting" ? `waits for ${waitsFor(node)}` : undefined,
  ].filter((part) => part !== undefined);
  return `${node.id}: ${parts.join("; ")}. ${outcome(node)}`;
}

const waitsFor = ({ on }: Extract<Node, { status: "waiting" }>): string =>
  on.for === "nodes" ? on.nodes.join(", ") : on.for === "question" ? on.question : "mail";

function outcome(node: Node): string {
  if (node.status === "completed") return `Made: ${shortLine(node.summary, longest)}`;
  if (node.status === "failed" || node.status === "cancelled")
    return `${node.reason.code}: ${shortLine(node.reason.message, longest)}`;
  return node.checkpoint === undefined
    ? `Task: ${shortLine(node.task, longest)}`
    : `At a checkpoint: ${shortLine(node.checkpoint, longest)}`;
}

const longest = 200;
