/**
 * A task of the A2A protocol, derived from how an agent stands and stored nowhere: the nth answer of a run. Its context is the agent.
 *
 * A finished run that the human speaks to again is opened again; its next answer is the next task, so a task that ended stays ended. An agent
 * that was stopped takes no further task: going on would bring back one that was canceled.
 */
import type { RunLine } from "../api/agents.ts";
import type { InboxItem } from "../api/asking.ts";
import type { Standing } from "../api/wait.ts";

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

/** What is known of an agent: how it stands, and its runs, newest first. */
export interface View {
  standing: Standing;
  runs: readonly RunLine[];
}

const idOf = ({ agent, run, nth }: TaskId): string => `${agent}:${run}:${nth}`;

/** Null if it is no id of ours. */
export function readTaskId(id: string): TaskId | null {
  const [, agent, run, nth] = /^([^:]{1,200}):(r\d{1,9}):([1-9]\d{0,8})$/.exec(id) ?? [];
  return agent && run && nth ? { agent, run, nth: Number(nth) } : null;
}

export const isOver = ({ state }: Task): boolean => state === "completed" || state === "canceled" || state === "failed";

/** The one that is under way, or was the last. Null as long as there was no run. */
export function currentTask(view: View): Task | null {
  const [run] = view.runs;
  if (!run) return null;
  const nth = run.status === "completed" ? run.answers : run.answers + 1;
  return taskOf(view, { agent: view.standing.agent.id, run: run.id, nth });
}

/** All there ever were, the newest last. */
export const tasksOf = (view: View): Task[] =>
  view.runs
    .toReversed()
    .flatMap(({ id: run, answers }) =>
      Array.from({ length: answers + 1 }, (_, n) =>
        taskOf(view, { agent: view.standing.agent.id, run, nth: n + 1 }),
      ).filter((task) => task !== null),
    );

/** Null if there never was such a task. */
export function taskOf({ standing, runs }: View, of: TaskId): Task | null {
  const { agent } = standing;
  const run = runs.find(({ id }) => id === of.run);
  if (!run || agent.id !== of.agent) return null;
  const base = { id: idOf(of), context: agent.id };
  if (of.nth <= run.answers) {
    const isLast = run.status === "completed" && of.nth === run.answers;
    const text = isLast && run.summary !== undefined ? { text: run.summary } : {};
    const answer = { run: run.id, nth: of.nth, ...text };
    return { ...base, state: "completed", at: run.ended_at ?? agent.updated_at, answer };
  }
  if (of.nth > run.answers + 1 || run.status === "completed") return null;
  if (run.status === "stopped") return { ...base, state: "canceled", at: run.ended_at ?? agent.updated_at };
  return { ...base, ...underWay(standing) };
}

function underWay({ why, agent, questions, said, turns }: Standing): Pick<Task, "state" | "at" | "says"> {
  const at = agent.updated_at;
  const { reason } = agent;
  if (why === "stopped" || why === "archived") return { state: "canceled", at };
  if (why === "failed") return { state: "failed", at, ...(reason ? { says: reason.message } : {}) };
  if (questions.length) return { state: "input-required", at, says: questions.map(worded).reverse().join("\n\n") };
  if (why === "paused") {
    const state = reason?.next_mover === "human" ? "input-required" : "working";
    return { state, at: reason?.since ?? at, ...(reason ? { says: reason.message } : {}) };
  }
  if (why === "idle") {
    const last = said.at(-1);
    return { state: "input-required", at, ...(last ? { says: last.text } : {}) };
  }
  return { state: turns > 0 ? "working" : "submitted", at };
}

const worded = ({ id, from, text, options }: InboxItem): string =>
  `${id} (${from} asks): ${text}${options ? `\nOptions: ${options.join(", ")}` : ""}`;
