/**
 * The agent's life: created, active, paused, stopped, completed, failed, archived.
 *
 * `active` is what the log knows; whether an active agent is idle, working or waiting for the human is derived (status.ts).
 * Pausing and stopping start no turn and end none: a turn under way is recorded to its end. An archived agent takes no command.
 */
import { logVersion } from "../schema/event.ts";
import { Problem } from "../schema/problem.ts";
import { requireAgent } from "./lookup.ts";
import type { Appointments, Deciders, Reduce } from "./noun.ts";

export const agentDecide: Deciders<"agent.create" | "agent.pause" | "agent.resume" | "agent.stop" | "agent.archive"> = {
  "agent.create": (state, { agent, goal, mode, model, budget, start }) => {
    if (state.agent) throw new Problem("conflict", `${state.agent.id} exists already`);
    return [{ type: "agent.created", data: { agent, goal, mode, model, version: logVersion, budget, start } }];
  },
  "agent.pause": (state, { reason }) => {
    const agent = requireAgent(state, "active", "paused");
    if (agent.status === "paused") return [];
    return [
      {
        type: "agent.paused",
        data: { reason: reason ?? { code: "human", message: "paused by the human", next_mover: "human" } },
      },
    ];
  },
  "agent.resume": (state) => {
    const agent = requireAgent(state, "active", "paused", "stopped");
    return agent.status === "active" ? [] : [{ type: "agent.resumed", data: {} }];
  },
  "agent.stop": (state) => {
    const agent = requireAgent(state, "active", "paused", "stopped");
    return agent.status === "stopped" ? [] : [{ type: "agent.stopped", data: {} }];
  },
  "agent.archive": (state) => {
    const agent = requireAgent(state);
    return agent.status === "archived" ? [] : [{ type: "agent.archived", data: {} }];
  },
};

/** Parked by a provider that said until when: it goes on by itself then. */
export const agentAppointments: Appointments = ({ agent }) =>
  agent?.status === "paused" && agent.reason.code === "provider" && agent.reason.until
    ? [{ at: agent.reason.until, command: { type: "agent.resume" } }]
    : [];

export const reduceAgent: Reduce = (state, event) => {
  const { agent } = state;
  if (event.type === "agent.created") {
    const { agent: id, goal, mode, model, start = false } = event.data;
    state.agent = { status: "active", id, goal, mode, model, start, created_at: event.ts };
    return;
  }
  if (!agent || agent.status === "archived") return;
  const { id, goal, mode, model, start, created_at } = agent;
  const same = { id, goal, mode, model, start, created_at };
  const since = event.ts;
  switch (event.type) {
    case "agent.paused":
      state.agent = { ...same, status: "paused", reason: event.data.reason, since };
      break;
    case "agent.resumed":
    case "agent.reopened":
    case "run.started":
      state.agent = { ...same, status: "active" };
      break;
    case "agent.stopped":
      state.agent = { ...same, status: "stopped", since };
      break;
    case "agent.completed":
      state.agent = { ...same, status: "completed", summary: event.data.summary, since };
      break;
    case "agent.failed":
      state.agent = { ...same, status: "failed", reason: event.data.reason, since };
      break;
    case "agent.archived":
      state.agent = { ...same, status: "archived", since };
  }
};
