/**
 * Tool calls that wait for the human's approval. The question is one like any other (question.ts), with the call that it is about; the turn lists
 * the questions that its calls wait for, and resumes when all are answered or expired.
 *
 * Not here: which calls need approval (loop/features/policy.ts).
 */
import { type Fact, typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import { requireRun } from "../lookup.ts";
import { type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import type { State } from "../state.ts";
import { update } from "../team/worker.ts";
import { requireCall } from "../turn/tool-call.ts";
import { inTurn } from "../turn/turn.ts";
import { decisionOn } from "./question.ts";

const approvalDecide: Deciders<"tool.ask"> = {
  "tool.ask": (state, { turn: id, participant, call: callId, text, target }) => {
    requireRun(state);
    const { turn, one } = inTurn(state, participant, id, "acting");
    const { tool, status } = requireCall(turn, callId);
    if (status !== "asked")
      throw new Problem("wrong_state", `tool call ${callId} of ${id} is ${status}; it no longer needs approval`);
    return askOnce(state, one.id, text, { turn: id, call: callId, tool, target });
  },
};

/** Asks the human whether a call may be made, unless that was asked before. */
export function askOnce(
  state: State,
  by: string,
  text: string,
  { target, ...call }: { turn: string; call: string; tool: string; target: string | undefined },
): Fact[] {
  const approves = { ...call, ...(target === undefined ? {} : { target }) };
  if (decisionOn(state, by, approves)) return [];
  const question = `q${state.questions.size + 1}`;
  return [{ type: "question.asked", data: { question, by, text, options: ["allow", "deny"], approves } }];
}

const reduceApprovals: Reduce = (state, event) => {
  switch (event.type) {
    case "question.asked": {
      const { question, by, approves } = event.data;
      if (approves) update(state, by, (one) => parked(one, approves.turn, (asking) => [...asking, question]));
      return;
    }
    case "question.answered":
    case "question.expired": {
      const question = state.questions.get(event.data.question);
      if (question?.approves)
        update(state, question.by, (one) =>
          parked(one, question.approves!.turn, (asking) => asking.filter((id) => id !== question.id)),
        );
      return;
    }
  }
};

/** A turn some of whose calls wait for approval. */
function parked(one: Thinker, id: string, next: (asking: string[]) => string[]): Partial<Thinker> {
  if (one.turn?.id !== id || one.turn.status !== "acting") return {};
  const { asking = [], ...turn } = one.turn;
  const open = next(asking);
  return { turn: open.length ? { ...turn, asking: open } : turn };
}

export const approval = defineBehaviour({
  decide: approvalDecide,
  reduce: [{ phase: "own", looksAt: typesOf("question"), reduce: reduceApprovals }],
});
