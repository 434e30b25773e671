/**
 * How an agent stands, for callers that wait for it: does it work, does it ask, is there anything left to wait for? Derived from the state, in one
 * place for all of them: the command line, programs, MCP, A2A.
 *
 * `finished` comes after the turn that finished the run was recorded to its end. A question counts also while others keep working: `busy` says so.
 */
import { appointments } from "../decide.ts";
import type { State } from "../state.ts";
import { canRun } from "../team/worker.ts";

export interface Standing {
  /** idle: nobody has anything to do, and no question is open. */
  is: "working" | "question" | "idle" | "finished" | "paused" | "failed" | "stopped" | "archived";
  /** Somebody has something to do now. */
  busy: boolean;
  /** It continues by itself: a wait, a vote or a deadline ends; or, if no question is open, a trigger or its cycle wakes it. */
  goesOn: boolean;
}

export function standingOf(state: State): Standing {
  const { agent, run, participants, questions, triggers, cycle } = state;
  const busy = state.preparation !== null || [...participants.values()].some(canRun);
  const still = { busy: false, goesOn: false };
  if (agent?.status === "completed") {
    // Mail that nobody will read does not keep a finished run open.
    const inTurn = [...participants.values()].some((one) => one.kind !== "human" && one.turn);
    return inTurn || !run ? { is: "working", busy: true, goesOn: false } : { is: "finished", ...still };
  }
  if (agent && agent.status !== "active") return { is: agent.status, ...still };
  const asks = [...questions.values()].some(({ status }) => status === "open");
  const isDue = appointments(state).some(({ command }) => !/^(trigger|cycle)\./.test(command.type));
  const wakes = cycle !== null || [...triggers.values()].some(({ status }) => status === "active");
  const goesOn = isDue || (!asks && wakes);
  if (asks) return { is: "question", busy, goesOn };
  return { is: busy || !agent ? "working" : "idle", busy, goesOn };
}

/** Nothing more happens unless somebody acts. */
export const isAtRest = ({ is, busy, goesOn }: Standing): boolean => is !== "working" && !busy && !goesOn;
