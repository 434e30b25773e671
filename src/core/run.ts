/**
 * One execution towards a goal. One run is open at a time; starting the next one folds the last into a line of `past`. A run starts with the
 * coordinator and the human in it, and its goal is the coordinator's first mail.
 */

import { typesOf } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import type { Run } from "../schema/run.ts";
import { defaultLead } from "./lead.ts";
import { requireAgent, requireRun } from "./lookup.ts";
import { type Deciders, defineBehaviour, type Reduce, type Settle } from "./noun.ts";
import type { State } from "./state.ts";
import { newThinker } from "./worker.ts";

const runDecide: Deciders<"run.start" | "run.plan" | "run.checkpoint" | "run.finish"> = {
  /** For a stopped agent it ends the open run; its questions are closed first (shutdown.ts), then the next run starts. */
  "run.start": (state, { type: _, ...next }) => {
    const agent = requireAgent(state, "active", "completed", "stopped", "failed");
    const begun = { ...next, run: nextId(state), goal: next.goal ?? agent.goal };
    if (state.run?.status !== "open") return [{ type: "run.started", data: begun }];
    if (agent.status === "stopped") return [{ type: "run.stopped", data: { run: state.run.id, next: begun } }];
    throw new Problem("wrong_state", `${state.run.id} is still open; finish it or stop ${agent.id} first`);
  },
  "run.plan": (state, { plan }) => [{ type: "run.planned", data: { run: requireRun(state).id, plan } }],
  "run.checkpoint": (state, { summary }) => [
    { type: "run.checkpointed", data: { run: requireRun(state).id, summary } },
  ],
  "run.finish": (state, { summary }, { actor }) => {
    const { id } = requireRun(state);
    if (actor !== "human") assertFinite(state);
    return [{ type: "run.completed", data: { run: id, summary } }];
  },
};

/** Only people end an infinite run. */
export function assertFinite({ agent }: State): void {
  if (agent?.mode !== "infinite") return;
  throw new Problem(
    "wrong_state",
    `${agent.id} is an infinite agent and cannot finish. Report results with send_message, call checkpoint with your progress, and rest: the next cycle wakes you. Only the human can stop it.`,
  );
}

const nextId = (state: State): string => `r${state.past.length + (state.run ? 1 : 0) + 1}`;

/**
 * What follows by itself: a new agent's first run; that the participants of a completed run stop, that its agent is completed, and that a message
 * from the human reopens it. It follows instead of being part of the command, so that a command is one event: a crash keeps it or not, and a caller
 * that retries gets the truth.
 */
const settleRun: Settle = ({ agent, run, channel }) => {
  if (!run)
    return agent?.status === "active" && agent.start
      ? [{ type: "run.started", data: { run: "r1", goal: agent.goal } }]
      : [];
  if (run.status === "stopped" && run.next && agent?.status === "stopped")
    return [{ type: "run.started", data: run.next }];
  if (run.status !== "completed") return [];
  if (agent?.status === "completed")
    return (channel.findLast((message) => message.from === "human")?.seq ?? 0) > run.last_seq
      ? [{ type: "agent.reopened", data: {} }]
      : [];
  return agent?.status === "active" || agent?.status === "paused" || agent?.status === "stopped"
    ? [{ type: "agent.completed", data: { run: run.id, summary: run.summary } }]
    : [];
};

const reduceRun: Reduce = (state, event) => {
  const { run } = state;
  switch (event.type) {
    case "run.started":
      if (run) state.past.push(ended(run));
      state.run = {
        status: "open",
        id: event.data.run,
        goal: event.data.goal,
        started_at: event.ts,
        first_seq: event.seq,
        answers: 0,
      };
      state.participants = new Map([
        ["human", { kind: "human", id: "human", name: "Human", read: 0, unread: [] }],
        [defaultLead.id, { ...newThinker(defaultLead.id, defaultLead.name), kind: "coordinator" }],
      ]);
      state.channel = [];
      return;
    case "agent.reopened":
      if (run && run.status !== "open") {
        const { id, goal, started_at, first_seq, answers } = run;
        state.run = { status: "open", id, goal, started_at, first_seq, answers };
      }
      return;
    case "run.planned":
      if (run?.status === "open") state.run = { ...run, plan: event.data.plan };
      return;
    case "run.completed":
    case "run.stopped": {
      if (run?.status !== "open") return;
      const { plan: _plan, ...line } = run;
      const ended = { ended_at: event.ts, last_seq: event.seq };
      state.run =
        event.type === "run.completed"
          ? { ...line, ...ended, status: "completed", answers: line.answers + 1, summary: event.data.summary }
          : { ...line, ...ended, status: "stopped", ...(event.data.next ? { next: event.data.next } : {}) };
    }
  }
};

function ended(run: Run): Run {
  if (run.status !== "stopped") return run;
  const { next: _next, ...line } = run;
  return line;
}

export const run = defineBehaviour({
  decide: runDecide,
  reduce: [{ phase: "own", looksAt: [...typesOf("run"), "agent.reopened"], reduce: reduceRun }],
  settle: [{ phase: "begin", rule: settleRun }],
});
