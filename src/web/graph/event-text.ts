/** An event in one line, as people would tell it. */

import { checkTitle } from "../../core/board/check.ts";
import { wholeText } from "../../core/message/attachments.ts";
import type { State } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { whoIs } from "../parts/status/avatar.tsx";
import { plural, shortGoal } from "../parts/text/words.ts";

type Words = {
  [T in Event["type"]]?: (data: Extract<Event, { type: T }>["data"], who: (id: string) => string) => string;
};

const words: Words = {
  "agent.created": ({ goal }) => `Created: ${shortGoal(goal)}`,
  "run.preparing": ({ run }) => `${run} is being prepared`,
  "setup.ended": ({ step, shell, outcome }) => `setup step ${step} ${outcome}: ${shell}`,
  "run.started": ({ run }) => `${run} began`,
  "run.planned": () => "The plan was written",
  "run.completed": ({ summary }) => `Finished: ${shortGoal(summary)}`,
  "run.stopped": ({ run }) => `${run} was stopped`,
  "node.created": ({ node, name }) => `${node} was created: ${name}`,
  "node.wanted": ({ node, worker }, who) => `${node} is meant for ${who(worker)}`,
  "node.assigned": ({ node, worker }, who) => `${who(worker)} was given ${node}`,
  "node.started": ({ node, worker }, who) => `${who(worker)} began ${node}`,
  "node.completed": ({ node, worker, summary, partial, evidence = "claimed" }, who) =>
    `${who(worker)} published ${node}${partial ? " in part" : ""}, ${evidence}: ${shortGoal(summary, 100)}`,
  "node.rejected": ({ node, attempt, attempts }) =>
    `${node} did not pass its checks and goes back to its worker (attempt ${attempt} of ${attempts})`,
  "check.started": ({ node, check, by }, who) =>
    by === "runtime" ? `Check ${check} of ${node ?? "the answer"} began` : `${who(by)} reviews ${node ?? "the answer"}`,
  "check.ended": ({ what, outcome, by }, who) =>
    `Check ${outcome === "errored" ? "could not be done" : outcome}${by === "runtime" ? "" : ` by ${who(by)}`}: ${checkTitle(what)}`,
  "workspace.based": ({ branch, base }) => `Work starts from ${branch ?? "the folder"} at ${base.slice(0, 7)}`,
  "workspace.opened": ({ workspace }) => `${workspace} has a checkout of its own`,
  "workspace.kept": ({ workspace, files, added = 0, removed = 0, scratch }) =>
    scratch
      ? `The files of ${workspace} were saved: ${plural(files, "file")}`
      : `The work of ${workspace} was saved: ${plural(files, "changed file")}, +${added} −${removed}`,
  "workspace.restored": ({ workspace, files }) =>
    `The files of ${workspace} were restored as they were saved last: ${plural(files, "file")}`,
  "workspace.merged": ({ workspace }) => `${workspace} was merged into the integration branch`,
  "workspace.handed_over": ({ as, into }) => (as === "merge" ? `Merged into ${into}` : `Handed over as ${as} ${into}`),
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
  "inbox.deferred": ({ participant, entry }, who) => `${who(participant)} put off what ${who(entry.from)} wrote`,
  "outbox.refused": ({ to, message, reason }) =>
    `${message} was not delivered to agent:${to}: ${shortGoal(reason.message, 100)}`,
  "question.asked": ({ by, text }, who) => `${who(by)} asks you: ${shortGoal(text, 100)}`,
  "question.answered": ({ answer }) => `You answered: ${shortGoal(answer, 100)}`,
  "question.expired": () => "A question expired",
  "insight.proposed": ({ by, subject }, who) => `${who(by)} proposes to remember: ${shortGoal(subject, 100)}`,
  "insight.accepted": ({ path }) => `Remembered in ${path}`,
  "insight.declined": ({ insight, reason }) => `${insight} is not remembered: ${shortGoal(reason, 100)}`,
  "reflection.ended": ({ proposed, node }) =>
    `Reflected on ${node ?? "the run"}: ${plural(proposed, "thing")} to remember`,
  "memory.asked": ({ by, question, notes }) =>
    `${by} asked what it knows: ${shortGoal(question, 80)} (${notes.length ? `answered from ${plural(notes.length, "note")}` : "nothing to tell"})`,
  "suggestion.made": ({ by, text }, who) => `${who(by)} suggests: ${shortGoal(text, 100)}`,
};

export function eventText(event: Event, state: State | undefined): string {
  const tell = words[event.type] as ((data: unknown, who: (id: string) => string) => string) | undefined;
  const who = (id: string) => whoIs(state, id).name;
  return tell ? tell(event.data, who) : event.type.replace(".", " ").replaceAll("_", " ");
}

/** It says something about this node. */
export const concerns = ({ data }: Event, node: string): boolean =>
  typeof data === "object" &&
  data !== null &&
  (("node" in data && data.node === node) || ("workspace" in data && data.workspace === node));
