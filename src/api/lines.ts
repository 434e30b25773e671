/** Approvals and runs as people see them, made from the state alone. */
import { evidenceOf } from "../core/board/check.ts";
import type { State } from "../core/state.ts";
import type { Question } from "../schema/question.ts";
import type { Run } from "../schema/run.ts";
import type { Preparation } from "../schema/setup.ts";
import type { RunLine } from "./agents.ts";
import type { Approval } from "./asking.ts";

export const approvalsOf = (state: State): Approval[] =>
  [...state.questions.values()].flatMap((question) => (question.approves ? [approvalOf(state, question)] : []));

export function approvalOf(state: State, question: Question): Approval {
  const { id, by, approves, text, status, asked_at } = question;
  const asker = state.participants.get(by);
  const turn = asker && asker.kind !== "human" && asker.turn?.id === approves?.turn ? asker.turn : undefined;
  const call = turn?.status === "acting" ? turn.calls.find((one) => one.id === approves?.call) : undefined;
  const said = "answer" in question && question.answer !== undefined ? question.answer : undefined;
  return {
    id,
    by,
    tool: approves!.tool,
    ...(call ? { input: call.input } : {}),
    text,
    status,
    ...(status === "answered" && said !== undefined
      ? {
          decision: said === "allow" ? "allow" : "deny",
          ...(said.startsWith("deny: ") ? { reason: said.slice(6) } : {}),
        }
      : {}),
    ...("remember" in question && question.remember ? { remember: true } : {}),
    asked_at,
    ...("ended_at" in question ? { ended_at: question.ended_at } : {}),
  };
}

/** What stands behind the answer of a completed run, and what is not part of it. */
export function proofOf(run: Run): Pick<RunLine, "evidence" | "claimed" | "unmerged"> {
  if (run.status !== "completed") return {};
  const { claimed, unmerged } = run;
  return { evidence: evidenceOf(run), ...(claimed ? { claimed } : {}), ...(unmerged ? { unmerged } : {}) };
}

/** A run that has not started yet. */
export const preparingLine = ({ run, goal, since }: Preparation): RunLine => ({
  id: run,
  goal,
  status: "preparing",
  started_at: since,
  answers: 0,
});

export function runLine(run: Run): RunLine {
  const { id, goal, status, started_at, answers } = run;
  return {
    id,
    goal,
    status,
    started_at,
    answers,
    ...("ended_at" in run ? { ended_at: run.ended_at } : {}),
    ...("summary" in run ? { summary: run.summary } : {}),
    ...proofOf(run),
  };
}
