/** Who gets what is being written, and what it does to them: said before it is sent. */
import { leading } from "../../core/mention.ts";
import type { State } from "../../core/state.ts";
import { canRun } from "../../core/worker.ts";

export interface Wake {
  /** Ids; empty if nobody is called so. */
  to: string[];
  /** Goes with the message; missing if its text says it. */
  address?: string;
  words: string;
  /** Nobody would read it: it cannot be sent. */
  deaf?: boolean;
}

export function wakeOf(state: State, text: string, thread: string): Wake {
  const named = leading(state, text);
  const unknown = named.find(({ id }) => id === undefined);
  if (unknown) return { to: [], words: `nobody is called ${unknown.said}` };
  const everyone = named.some(({ id }) => id === "*");
  const others = [...state.participants.values()].filter((one) => one.kind !== "human" && !one.retired);
  const to = everyone ? others.map(({ id }) => id) : named.flatMap(({ id }) => (id && id !== "human" ? [id] : []));
  const address = named.length === 0 && thread !== "channel" ? thread : undefined;
  const reached = to.length ? [...new Set(to)] : [address ?? "coordinator"];
  const one = reached.length === 1 ? state.participants.get(reached[0]!) : undefined;
  const gone = one !== undefined && one.kind !== "human" && one.retired;
  const over = state.agent?.status === "failed" || state.agent?.status === "archived";
  const deaf = gone || over ? { deaf: true } : {};
  return { to: reached, ...(address ? { address } : {}), words: effect(state, reached), ...deaf };
}

function effect(state: State, to: readonly string[]): string {
  switch (state.agent?.status) {
    case "paused":
      return "read when you let it go on";
    case "stopped":
      return "lets the agent go on";
    case "completed":
      return "opens the run again";
    case "failed":
    case "archived":
      return `is not read: the agent is ${state.agent.status}`;
  }
  if (to.length > 1) {
    const busy = to.filter((id) => isBusy(state, id)).length;
    return busy ? `wakes ${to.length - busy}, reaches ${busy} at work` : `wakes ${to.length}`;
  }
  const one = state.participants.get(to[0]!);
  if (one && one.kind !== "human" && one.retired) return "has retired and reads nothing any more";
  return isBusy(state, to[0]!) ? "reads it before the next step" : "wakes";
}

function isBusy(state: State, id: string): boolean {
  const one = state.participants.get(id);
  return one !== undefined && one.kind !== "human" && canRun(one);
}
