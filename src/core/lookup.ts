/** Lookups for commands. Each returns what was asked for, or throws a Problem that lists what exists instead. */
import type { Agent } from "../schema/agent.ts";
import { driverOf, isProgramDriver } from "../schema/driver.ts";
import type { NodeId } from "../schema/ids.ts";
import type { Node } from "../schema/node.ts";
import { Problem } from "../schema/problem.ts";
import type { Run } from "../schema/run.ts";
import type { Stage } from "../schema/stage.ts";
import type { Thinker } from "../schema/worker.ts";
import type { State } from "./state.ts";

export function requireAgent(state: State, ...allowed: Agent["status"][]): Agent {
  const { agent } = state;
  if (!agent) throw new Problem("not_found", "there is no agent in this log yet; only agent.create is possible");
  if (allowed.length && !allowed.includes(agent.status)) {
    throw new Problem(
      "wrong_state",
      `${agent.id} is ${agent.status}; this command needs it to be ${allowed.join(" or ")}`,
    );
  }
  return agent;
}

export function requireRun(state: State): Extract<Run, { status: "open" }> {
  requireAgent(state, "active", "paused", "stopped");
  if (state.run?.status === "open") return state.run;
  throw new Problem(
    "wrong_state",
    state.run ? `${state.run.id} is ${state.run.status}; start a new run first` : "no run has been started yet",
  );
}

export function requireNode(state: State, id: NodeId): Node {
  const node = state.nodes.get(id);
  if (node) return node;
  const ids = [...state.nodes.keys()];
  const older = ids.length > shown ? `, and ${ids.length - shown} older ones` : "";
  throw new Problem("not_found", `there is no node ${id}; nodes: ${ids.slice(-shown).join(", ") || "none"}${older}`);
}

/** The most nodes that an error lists. */
const shown = 50;

/** The node as people call it: its id in any case, or only its number. */
export function findNode(state: State, given: string): Node {
  const wanted = given.trim().toLowerCase();
  const exactly = state.nodes.get(wanted);
  if (exactly) return exactly;
  for (const node of state.nodes.values()) if (/^n\d+$/.test(wanted) && node.id.startsWith(`${wanted}-`)) return node;
  return requireNode(state, given);
}

/** What a participant thinks with now (schema/driver.ts), if it or its node has one of its own. A program stays the program that it is. */
export function modelOf(state: State, one: Thinker): string | undefined {
  if (one.model !== undefined && isProgramDriver(driverOf(one.model))) return one.model;
  return (one.node ? state.nodes.get(one.node)?.model : undefined) ?? one.model;
}

export const isLive = (node: Node): boolean =>
  node.status === "pending" || node.status === "assigned" || node.status === "running" || node.status === "waiting";

const day = 86_400_000;

/** How many of these times count against a limit of the run: all of them, or in an infinite run those of the last day. */
export function countAgainstLimit(state: State, times: readonly string[], now: number): number {
  if (state.agent?.mode !== "infinite") return times.length;
  return times.filter((at) => Date.parse(at) > now - day).length;
}

/** The stage that is open, if one is. */
export function currentStage(state: State): Stage | undefined {
  const last = [...state.stages.values()].at(-1);
  return last?.status === "completed" ? undefined : last;
}
