/**
 * One execution towards a goal. One run is open at a time; starting the next one folds the last into a line of `past`.
 * A run starts with the coordinator and the human in it, and its goal is the coordinator's first mail.
 */
import { Problem } from "../schema/problem.ts";
import { isLive, requireAgent, requireRun } from "./lookup.ts";
import type { Deciders, Reduce, Settle } from "./noun.ts";
import { newThinker } from "./worker.ts";

export const runDecide: Deciders<"run.start" | "run.plan" | "run.finish"> = {
  "run.start": (state, { goal }) => {
    const agent = requireAgent(state, "active", "completed", "stopped", "failed");
    if (state.run?.status === "open")
      throw new Problem("wrong_state", `${state.run.id} is still open; finish or stop it first`);
    const number = state.past.length + (state.run ? 1 : 0) + 1;
    return [{ type: "run.started", data: { run: `r${number}`, goal: goal ?? agent.goal } }];
  },
  "run.plan": (state, { plan }) => [{ type: "run.planned", data: { run: requireRun(state).id, plan } }],
  /** Nodes still alive are cancelled, so that nobody works on for a run that is over. */
  "run.finish": (state, { summary }) => {
    const run = requireRun(state);
    const live = [...state.nodes.values()].filter(isLive);
    const reason = { code: "run.completed", message: "the run was finished", next_mover: "nobody" };
    return [
      ...live.map(({ id: node }) => ({ type: "node.cancelled" as const, data: { node, reason } })),
      { type: "run.completed", data: { run: run.id, summary } },
    ];
  },
};

/** An agent whose run is completed is completed. */
export const settleCompleted: Settle = ({ agent, run }) =>
  run?.status === "completed" && ["active", "paused", "stopped"].includes(agent?.status ?? "")
    ? [{ type: "agent.completed", data: { run: run.id, summary: run.summary } }]
    : [];

export const reduceRun: Reduce = (state, event) => {
  const { run } = state;
  switch (event.type) {
    case "run.started":
      if (run) state.past.push(run);
      state.run = {
        status: "open",
        id: event.data.run,
        goal: event.data.goal,
        started_at: event.ts,
        first_seq: event.seq,
      };
      state.participants = new Map([
        ["human", { kind: "human", id: "human", name: "Human", read: 0, unread: [] }],
        ["coordinator", { ...newThinker("coordinator", "Coordinator"), kind: "coordinator" }],
      ]);
      state.channel = [];
      return;
    case "agent.reopened":
      if (run && run.status !== "open") {
        const { id, goal, started_at, first_seq } = run;
        state.run = { status: "open", id, goal, started_at, first_seq };
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
          ? { ...line, ...ended, status: "completed", summary: event.data.summary }
          : { ...line, ...ended, status: "stopped" };
    }
  }
};
