/**
 * The agent's lifecycle: created, active, paused, stopped, completed, failed, archived.
 *
 * `active` is what the log knows; whether an active agent is idle, working or waiting for the human is derived (status.ts). Pausing ends no turn: a
 * running one is recorded to its end. What a stop and archiving end is in shutdown.ts. A message from the human resumes a stopped agent, and one
 * that paused because a participant repeated itself. An archived agent accepts no command.
 */
import type { Agent } from "../../schema/agent.ts";
import { logVersion, typesOf } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import { requireAgent } from "../lookup.ts";
import { type Appointments, type Context, type Deciders, defineBehaviour, type Reduce } from "../noun.ts";
import { assertTeam } from "../run/workflow.ts";
import { factsOfMove } from "./moved.ts";
import { wayOut } from "./pause.ts";
import { summary } from "./shutdown.ts";

type Commands = "agent.create" | "agent.pause" | "agent.resume" | "agent.stop" | "agent.archive" | "agent.move";

const agentDecide: Deciders<Commands> = {
  "agent.create": (state, { type: _, ...given }, { limits }) => {
    if (state.agent) throw new Problem("conflict", `${state.agent.id} already exists`);
    const cycle_seconds = rhythm(given, limits);
    if (given.team) assertTeam(given.team, limits);
    const soul = given.soul ?? given.team?.coordinator?.soul;
    const data = { ...given, ...cycle_seconds, ...(soul === undefined ? {} : { soul }), version: logVersion };
    return [{ type: "agent.created", data }];
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
    return agent.status === "stopped" ? [] : [{ type: "agent.stopped", data: { summary: summary(state) } }];
  },
  "agent.archive": () => [{ type: "agent.archived", data: {} }],
  /** Also replaces a pause that would end by itself. */
  "agent.move": (state, { most, reason }) => {
    const { status } = requireAgent(state);
    return [
      ...factsOfMove(state, most),
      ...(status === "active" || status === "paused" ? [{ type: "agent.paused" as const, data: { reason } }] : []),
    ];
  },
};

/** Only an infinite agent has one: its own, or the config's. */
function rhythm(
  { mode, cycle_seconds }: { mode: string; cycle_seconds?: number | undefined },
  limits: Context["limits"],
): { cycle_seconds?: number } {
  if (mode !== "infinite") {
    if (cycle_seconds === undefined) return {};
    throw new Problem("invalid", "cycle_seconds is only for infinite agents; a finite agent works until it is done");
  }
  const seconds = cycle_seconds ?? limits.cycle_seconds;
  if (seconds >= limits.shortest_interval_seconds) return { cycle_seconds: seconds };
  throw new Problem(
    "invalid",
    `a cycle of ${seconds} s is too short; the minimum is ${limits.shortest_interval_seconds} s`,
  );
}

/** Paused because a participant repeated itself: a message from the human may be what it needs. */
const waitsForWords = (agent: Agent): agent is Extract<Agent, { status: "paused" }> =>
  agent.status === "paused" && wayOut(agent.reason.code) === "words";

type Lasting = Omit<Extract<Agent, { status: "active" }>, "status">;

/** An agent's fields in every status; a field that was not given is absent. */
function lasting(given: Lasting): Lasting {
  const { id, goal, mode, model, cycle_seconds, start, created_at, tools, context_window, folder, merge } = given;
  const { team, soul } = given;
  return {
    id,
    goal,
    mode,
    model,
    ...(cycle_seconds === undefined ? {} : { cycle_seconds }),
    start,
    created_at,
    ...(tools === undefined ? {} : { tools }),
    ...(context_window === undefined ? {} : { context_window }),
    ...(folder === undefined ? {} : { folder }),
    ...(merge === undefined ? {} : { merge }),
    ...(team === undefined ? {} : { team }),
    ...(soul === undefined ? {} : { soul }),
  };
}

/** Paused by a provider that said until when: it resumes by itself then. */
const agentAppointments: Appointments = ({ agent }) =>
  agent?.status === "paused" && agent.reason.code === "provider" && agent.reason.until
    ? [{ at: agent.reason.until, command: { type: "agent.resume" } }]
    : [];

const reduceAgent: Reduce = (state, event) => {
  const { agent } = state;
  if (event.type === "agent.created") {
    const { agent: id, start = false, ...given } = event.data;
    state.agent = { status: "active", ...lasting({ ...given, id, start, created_at: event.ts }) };
    return;
  }
  if (!agent || agent.status === "archived") return;
  const { model } = agent;
  const same = lasting(agent);
  const since = event.ts;
  switch (event.type) {
    case "agent.paused":
      state.agent = { ...same, status: "paused", reason: event.data.reason, since };
      break;
    case "agent.moved": {
      const { folder: _folder, merge: _merge, ...rest } = agent;
      // A message that the human sent in another home does not resume it here.
      if (event.data.inert && (rest.status === "stopped" || rest.status === "paused")) delete rest.heard;
      state.agent = rest;
      break;
    }
    case "agent.resumed":
    case "agent.reopened":
      state.agent = { ...same, status: "active" };
      break;
    case "run.preparing":
    case "run.started":
      state.agent = { ...same, model: event.data.model ?? model, status: "active" };
      break;
    case "message.posted":
      if (event.data.from === "human" && (agent.status === "stopped" || waitsForWords(agent)))
        state.agent = { ...agent, heard: true };
      break;
    case "question.answered":
      if (agent.status === "stopped") state.agent = { ...agent, heard: true };
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

export const agent = defineBehaviour({
  decide: agentDecide,
  reduce: [
    {
      phase: "own",
      looksAt: [...typesOf("agent"), "run.preparing", "run.started", "message.posted", "question.answered"],
      reduce: reduceAgent,
    },
  ],
  appointments: { while: ["paused"], of: agentAppointments },
});
