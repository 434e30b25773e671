/**
 * A task of the A2A protocol, derived from an agent's state and stored nowhere: the nth answer of a run. Its context is the agent.
 *
 * A finished run that the human speaks to again is opened again; its next answer is the next task, so a task that ended stays ended. An agent
 * that was stopped takes no further task: going on would bring back one that was canceled.
 */
import { humanInbox } from "../core/human-inbox.ts";
import type { State } from "../core/state.ts";
import { agentStatus } from "../core/status.ts";
import type { Run } from "../schema/run.ts";

export type TaskState = "submitted" | "working" | "input-required" | "completed" | "canceled" | "failed";

export interface Task {
  id: string;
  /** The agent. */
  context: string;
  state: TaskState;
  at: string;
  /** What it asks, or why it does not go on. */
  says?: string;
  /** Of a completed one: which answer of which run. */
  answer?: { run: string; nth: number; text?: string };
}

export interface TaskId {
  agent: string;
  run: string;
  nth: number;
}

const idOf = ({ agent, run, nth }: TaskId): string => `${agent}:${run}:${nth}`;

/** Null if it is no id of ours. */
export function readTaskId(id: string): TaskId | null {
  const [, agent, run, nth] = /^([^:]{1,200}):(r\d{1,9}):([1-9]\d{0,8})$/.exec(id) ?? [];
  return agent && run && nth ? { agent, run, nth: Number(nth) } : null;
}

export const isOver = ({ state }: Task): boolean => state === "completed" || state === "canceled" || state === "failed";

/** The one that is under way, or was the last. Null as long as there was no run. */
export function currentTask(state: State): Task | null {
  const { agent, run } = state;
  if (!agent || !run) return null;
  return taskOf(state, {
    agent: agent.id,
    run: run.id,
    nth: run.status === "completed" ? run.answers : run.answers + 1,
  });
}

/** All there ever were, the newest last. */
export function tasksOf(state: State): Task[] {
  const { agent, run, past } = state;
  if (!agent) return [];
  return [...past, ...(run ? [run] : [])].flatMap(({ id, answers }) =>
    Array.from({ length: answers + 1 }, (_, n) => taskOf(state, { agent: agent.id, run: id, nth: n + 1 })).filter(
      (task) => task !== null,
    ),
  );
}

/** Null if there never was such a task. */
export function taskOf(state: State, of: TaskId): Task | null {
  const { agent } = state;
  const run = state.run?.id === of.run ? state.run : state.past.find(({ id }) => id === of.run);
  if (!agent || !run || agent.id !== of.agent) return null;
  const base = { id: idOf(of), context: agent.id };
  if (of.nth <= run.answers) {
    const last = run.status === "completed" && of.nth === run.answers ? { text: run.summary } : {};
    return { ...base, state: "completed", at: endOf(run) ?? state.at, answer: { run: run.id, nth: of.nth, ...last } };
  }
  if (of.nth > run.answers + 1 || run.status === "completed") return null;
  if (run.status === "stopped") return { ...base, state: "canceled", at: run.ended_at };
  return { ...base, ...underWay(state) };
}

const endOf = (run: Run): string | undefined => ("ended_at" in run ? run.ended_at : undefined);

function underWay(state: State): Pick<Task, "state" | "at" | "says"> {
  const { at } = state;
  const agent = state.agent!;
  if (agent.status === "stopped" || agent.status === "archived") return { state: "canceled", at: agent.since };
  if (agent.status === "failed") return { state: "failed", at: agent.since, says: agent.reason.message };
  const { items } = humanInbox(state, 1);
  const asked = items.filter(({ kind }) => kind === "question" || kind === "approval");
  if (asked.length) return { state: "input-required", at, says: asked.map(worded).reverse().join("\n\n") };
  if (agent.status === "paused") {
    const { message, next_mover } = agent.reason;
    return { state: next_mover === "human" ? "input-required" : "working", at: agent.since, says: message };
  }
  if (agentStatus(state) === "idle") {
    const said = items.find(({ kind }) => kind === "message");
    return { state: "input-required", at, ...(said ? { says: said.text } : {}) };
  }
  const coordinator = state.participants.get("coordinator");
  const begun = coordinator && coordinator.kind !== "human" && coordinator.turns > 0;
  return { state: begun ? "working" : "submitted", at };
}

function worded({ id, from, text, options }: ReturnType<typeof humanInbox>["items"][number]): string {
  return `${id} (${from} asks): ${text}${options ? `\nOptions: ${options.join(", ")}` : ""}`;
}
