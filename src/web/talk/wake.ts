/** Who receives the draft and whom it wakes, shown before it is sent. */
import { leadingMentions, mentions } from "../../core/message/mention.ts";
import type { State } from "../../core/state.ts";
import { canRun } from "../../core/team/worker.ts";
import { isLeaderless } from "../store/main-thread.ts";

export interface Wake {
  /** Ids; empty if nobody is called so. */
  to: string[];
  /** Names of those it is for, with commas; missing if its text says it. */
  address?: string;
  words: string;
  /** Nobody would read it: it cannot be sent. */
  deaf?: boolean;
}

/**
 * A text that begins with names is for those. Else it is for whose thread it is written in, and whoever it names within gets it too: a name that is
 * picked says that it wakes, so it does. In the channel it is for those it names, else for whoever leads; where nobody leads, for everyone.
 */
export function wakeOf(state: State, text: string, thread: string): Wake {
  const named = leadingMentions(state, text);
  const unknown = named.find(({ id }) => id === undefined);
  if (unknown) return { to: [], words: `nobody here is called ${unknown.said}` };
  const within = named.length ? [] : mentions(state, text).filter(({ id }) => id !== undefined && reads(state, id));
  const all = [...named, ...within];
  const others = [...state.participants.values()].filter((one) => one.kind !== "human" && !one.retired);
  const to = all.some(({ id }) => id === "*")
    ? others.map(({ id }) => id)
    : all.flatMap(({ id }) => (id && id !== "human" ? [id] : []));
  const addressed = named.length > 0 || (thread === "channel" && to.length > 0);
  const forAll = !addressed && thread === "channel" && isLeaderless(state);
  const owner = forAll ? others.map(({ id }) => id) : thread === "channel" ? ["coordinator"] : [thread];
  const reached = [...new Set([...(addressed ? [] : owner), ...to])];
  const address = named.length || (thread === "channel" && within.length === 0) ? undefined : reached.join(",");
  const one = reached.length === 1 ? state.participants.get(reached[0]!) : undefined;
  const gone = one !== undefined && one.kind !== "human" && one.retired;
  const over = state.agent?.status === "failed" || state.agent?.status === "archived";
  const deaf = gone || over ? { deaf: true } : {};
  const words = `${forAll && reached.length > 1 ? "to everyone, " : ""}${effect(state, reached)}`;
  return { to: reached, ...(address ? { address } : {}), words, ...deaf };
}

function reads(state: State, id: string): boolean {
  const one = state.participants.get(id);
  return id === "*" || (one !== undefined && one.kind !== "human" && !one.retired);
}

function effect(state: State, to: readonly string[]): string {
  switch (state.agent?.status) {
    case "paused":
      return `${to.length > 1 ? "read" : "reads"} it when you resume the agent`;
    case "stopped":
      return "resumes the agent";
    case "completed":
      return "opens the run again";
    case "failed":
    case "archived":
      return `is not read: the agent is ${state.agent.status}`;
  }
  if (to.length === 0) return "nobody is here to read it";
  if (to.length > 1) {
    const busy = to.filter((id) => isBusy(state, id)).length;
    return busy ? `wakes ${to.length - busy}, reaches ${busy} at work` : `wakes ${to.length}`;
  }
  const one = state.participants.get(to[0]!);
  if (one && one.kind !== "human" && one.retired) return "has retired and no longer reads messages";
  return isBusy(state, to[0]!) ? "reads it before the next step" : "wakes";
}

function isBusy(state: State, id: string): boolean {
  const one = state.participants.get(id);
  return one !== undefined && one.kind !== "human" && canRun(one);
}
