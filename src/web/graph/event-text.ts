/** An event in one line, as people would tell it. */
import { wholeText } from "../../core/attachments.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { whoIs } from "../parts/avatar.tsx";
import { shortGoal } from "../parts/words.ts";

type Words = {
  [T in Event["type"]]?: (data: Extract<Event, { type: T }>["data"], who: (id: string) => string) => string;
};

const words: Words = {
  "agent.created": ({ goal }) => `Created: ${shortGoal(goal)}`,
  "run.started": ({ run }) => `${run} began`,
  "run.planned": () => "The plan was written",
  "run.completed": ({ summary }) => `Finished: ${shortGoal(summary)}`,
  "run.stopped": ({ run }) => `${run} was stopped`,
  "node.created": ({ node, name }) => `${node} was created: ${name}`,
  "node.wanted": ({ node, worker }, who) => `${node} is meant for ${who(worker)}`,
  "node.assigned": ({ node, worker }, who) => `${who(worker)} was given ${node}`,
  "node.started": ({ node, worker }, who) => `${who(worker)} began ${node}`,
  "node.completed": ({ node, worker, summary, partial }, who) =>
    `${who(worker)} published ${node}${partial ? " in part" : ""}: ${shortGoal(summary, 100)}`,
  "node.failed": ({ node, reason }) => `${node} failed: ${shortGoal(reason.message, 100)}`,
  "node.cancelled": ({ node, reason }) => `${node} was cancelled: ${shortGoal(reason.message, 100)}`,
  "node.checkpointed": ({ node, summary }) => `${node} stopped for its stage: ${shortGoal(summary, 100)}`,
  "node.retried": ({ node, model }) => `Retrying ${node} with ${model}`,
  "stage.started": ({ name }) => `Stage ${name} began`,
  "stage.reconvened": ({ stage, completed }) => `${stage} reconvened with ${completed.length}`,
  "stage.completed": ({ assessment }) => `Stage done: ${shortGoal(assessment, 100)}`,
  "worker.spawned": ({ name, role }) => `${name} joined${role ? `: ${shortGoal(role)}` : ""}`,
  "worker.retired": ({ worker }, who) => `${who(worker)} retired`,
  "worker.nudged": ({ worker }, who) => `${who(worker)} was reminded`,
  "worker.parked": ({ worker, wait }, who) =>
    `${who(worker)} waits for ${wait.for === "nodes" ? wait.nodes.join(", ") : wait.for === "mail" ? `an answer from ${(wait.from ?? []).map(who).join(", ")}` : "an answer"}`,
  "worker.urged": ({ worker }, who) => `${who(worker)} was asked to produce a result`,
  "worker.halted": ({ worker, reason }, who) => `${who(worker)} was halted: ${shortGoal(reason.message)}`,
  "turn.started": ({ participant, node }, who) => `${who(participant)} thinks${node ? ` about ${node}` : ""}`,
  "turn.answered": ({ participant, text }, who) =>
    text ? `${who(participant)}: ${shortGoal(text, 100)}` : `${who(participant)} answered`,
  "turn.ended": ({ participant, wait }, who) => `${who(participant)} ${wait ? "waits" : "ended a turn"}`,
  "turn.failed": ({ participant, reason }, who) =>
    `A turn of ${who(participant)} failed: ${shortGoal(reason.message, 100)}`,
  "turn.queued": ({ participant, by }, who) =>
    `${who(participant)} waits for budget reserved by calls of ${by.map(who).join(", ")}`,
  "turn.retried": ({ participant, error }, who) => `${who(participant)} retries: ${shortGoal(error, 100)}`,
  "tool.started": ({ participant, tool }, who) => `${who(participant)} uses ${tool}`,
  "tool.ended": ({ participant, tool, outcome }, who) => `${tool} of ${who(participant)}: ${outcome}`,
  "message.posted": ({ from, to, ...said }, who) =>
    `${who(from)} to ${to.map(who).join(", ")}: ${shortGoal(wholeText(said), 100)}`,
  "question.asked": ({ by, text }, who) => `${who(by)} asks you: ${shortGoal(text, 100)}`,
  "question.answered": ({ answer }) => `You answered: ${shortGoal(answer, 100)}`,
  "question.expired": () => "A question expired",
  "suggestion.made": ({ by, text }, who) => `${who(by)} suggests: ${shortGoal(text, 100)}`,
};

export function eventText(event: Event, state: State | undefined): string {
  const tell = words[event.type] as ((data: unknown, who: (id: string) => string) => string) | undefined;
  const who = (id: string) => whoIs(state, id).name;
  return tell ? tell(event.data, who) : event.type.replace(".", " ").replaceAll("_", " ");
}

/** It says something about this node. */
export const concerns = ({ data }: Event, node: string): boolean =>
  typeof data === "object" && data !== null && "node" in data && data.node === node;
