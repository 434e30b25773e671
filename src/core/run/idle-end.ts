/**
 * The end of a run that nobody leads: when everybody is idle, nothing waits for the human or a vote, and no timer of the team is set, there is
 * nobody left who could continue. A short while later the run is completed, or, if nodes are left that nobody can do, the agent pauses and says which.
 *
 * Always holds: a run with a lead is never ended here. Waiting costs nothing: the time of the end is an appointment, computed from the state.
 */

import { shortLine } from "../../lib/text/text.ts";
import type { Fact } from "../../schema/event.ts";
import { refusalOr } from "../../schema/problem.ts";
import { proofOf } from "../board/check.ts";
import { unmergedOf, unmergedText } from "../file/unmerged.ts";
import { isLive } from "../lookup.ts";
import { hasDeferred } from "../message/deferral.ts";
import { type Appointments, type Deciders, defineBehaviour, iso } from "../noun.ts";
import type { State } from "../state.ts";
import { assertReleasable } from "../team/binding.ts";
import { isAway } from "../team/guest.ts";
import { canRun } from "../team/worker.ts";

import { lead } from "./lead.ts";

/** Between the last event and the end: enough for a person or a program that reacts to it at once. */
const pauseMs = 250;

const decideEnd: Deciders<"run.end_idle"> = {
  "run.end_idle": (state) => (isOver(state) ? ending(state) : []),
};

const endAppointments: Appointments = (state) =>
  isOver(state) ? [{ at: iso(Date.parse(state.at) + pauseMs), command: { type: "run.end_idle" } }] : [];

function isOver(state: State): boolean {
  const { agent, run, participants, questions, proposals, triggers } = state;
  if (run?.status !== "open" || agent?.status !== "active" || agent.mode !== "finite") return false;
  if (!run.team || run.team.on_idle === "stay" || lead(state)) return false;
  if (hasDeferred(state)) return false;
  const isOpen = ({ status }: { status: string }) => status === "open";
  if ([...participants.values()].some((one) => canRun(one) || isAway(one) || (one.kind !== "human" && one.turn)))
    return false;
  if ([...questions.values()].some(isOpen) || [...proposals.values()].some(isOpen)) return false;
  return ![...triggers.values()].some(
    ({ status, schedule: { type } }) => status === "active" && (type === "delayed" || type === "at_time"),
  );
}

function ending(state: State): Fact[] {
  const left = [...state.nodes.values()].filter(isLive).map(({ id, status }) => `${id} is ${status}`);
  if (left.length) {
    const message = `everybody is idle, and nobody leads this run: ${left.join(", ")}`;
    return [{ type: "agent.paused", data: { reason: { code: "idle", message, next_mover: "human" } } }];
  }
  const gate = releaseProblem(state);
  if (gate) return [{ type: "agent.paused", data: { reason: { code: "idle", message: gate, next_mover: "human" } } }];
  const { evidence, claimed } = proofOf(state, undefined, undefined);
  const unmerged = unmergedOf(state);
  const lacks = { ...(claimed.length ? { claimed } : {}), ...(unmerged.length ? { unmerged } : {}) };
  const summary = [summaryOf(state), ...(unmerged.length ? ["", unmergedText(unmerged)] : [])].join("\n");
  return [{ type: "run.completed", data: { run: state.run!.id, summary, evidence, ...lacks } }];
}

/** Why a vote keeps it from being finished. */
const releaseProblem = (state: State): string | undefined => refusalOr(() => assertReleasable(state))?.message;

/** What was said last, to the human if anything was; and the nodes, if there are any. */
function summaryOf({ channel, nodes, participants }: State): string {
  const said = channel.filter(({ from }) => from !== "human");
  const last = said.findLast(({ to }) => to.includes("human")) ?? said.at(-1);
  const name = last && (participants.get(last.from)?.name ?? last.from);
  const lines = [...nodes.values()].map(
    (node) => `- ${node.id}: ${node.status}${node.status === "completed" ? `, ${shortLine(node.summary, 200)}` : ""}`,
  );
  const words = last ? `${name}: ${last.text}` : "Everybody is idle.";
  return [words, ...(lines.length ? ["", ...lines] : [])].join("\n");
}

export const idleEnd = defineBehaviour({
  decide: decideEnd,
  appointments: { while: ["active"], of: endAppointments },
});
