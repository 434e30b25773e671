/**
 * An agent's presence in this process: one state per agent, and every transition between the states.
 *
 *     unknown ── reserve ──▶ creating ── finish ──▶ open ◀── opened ── opening ◀── open ── unknown, closed, elsewhere, resting, faulted
 *     open ── rest ──▶ resting      opening ── fail ──▶ faulted, elsewhere, unknown      creating, opening, open ── lose ──▶ faulted, elsewhere
 *
 * Always holds: an agent is in exactly one state. A change that comes too late for the state it was meant for leaves it as it is; an opening
 * that was lost before it ended, for one, cannot fail a second time. Pure: the work is done in lifecycle.ts and creation.ts.
 */
import type { Lease } from "../../engine/engine.ts";
import type { Problem } from "../../schema/problem.ts";
import type { OpenAgent } from "../agent.ts";

/** `exists`: the agent has a log, as far as this process knows. `attempts`: failures in a row, for the backoff. */
export type Presence<Opened = OpenAgent> =
  | { is: "unknown" }
  /** It exists and was not opened here yet. */
  | { is: "closed" }
  /** Another process owns it. `released`: when nothing of our last opening touches a file any more. */
  | { is: "elsewhere"; released?: Promise<void> }
  /** The id is taken by a creation under way (with its idempotency key), which opens it on the way. */
  | { is: "creating"; key: string | undefined; exists: boolean; opened?: Opened }
  /** `fault`: why it had to be opened again. */
  | { is: "opening"; job: Promise<Opened>; exists: boolean; attempts: number; fault?: Problem }
  | { is: "open"; opened: Opened; attempts: number }
  /** Closed because it was idle. The lease is kept, so that its wake-ups still come to us. */
  | { is: "resting"; lease: Promise<Lease> }
  /** `cancelRetry` while another attempt is scheduled. */
  | {
      is: "faulted";
      problem: Problem;
      exists: boolean;
      attempts: number;
      cancelRetry?: () => void;
      released?: Promise<void>;
    };

export type Change<Opened = OpenAgent> =
  /** It was seen in the home, imported, or made by another process. */
  | { type: "find" }
  | { type: "reserve"; key: string | undefined }
  | { type: "open"; job: Promise<Opened> }
  | { type: "opened"; opened: Opened }
  /** The new agent is in its log. */
  | { type: "created" }
  /** The creation was refused: what was opened for it is given up. */
  | { type: "refuse" }
  /** The creation is over, however it ended. */
  | { type: "finish" }
  | { type: "fail"; problem: Problem }
  | { type: "lose"; problem: Problem; released: Promise<void> }
  | { type: "retry"; cancel: () => void }
  /** Something was written: whatever failed before is over. */
  | { type: "recover" }
  | { type: "rest"; lease: Promise<Lease> }
  /** This process ends. */
  | { type: "close" };

export function nextPresence<Opened>(now: Presence<Opened>, change: Change<Opened>): Presence<Opened> {
  switch (change.type) {
    case "find":
      if (now.is === "unknown") return { is: "closed" };
      if (now.is === "creating" && !now.opened) return { is: "elsewhere" };
      return "exists" in now ? { ...now, exists: true } : now;
    case "reserve":
      return now.is === "unknown" ? { is: "creating", key: change.key, exists: false } : now;
    case "open":
      if (now.is === "open" || now.is === "creating" || now.is === "opening") return now;
      return { is: "opening", job: change.job, exists: exists(now), attempts: attemptsOf(now), ...carried(now) };
    case "opened":
      if (now.is === "creating") return { ...now, opened: change.opened };
      return now.is === "opening" ? { is: "open", opened: change.opened, attempts: now.attempts } : now;
    case "created":
      return now.is === "creating" ? { ...now, exists: true } : now;
    case "refuse":
      return now.is === "creating" ? { is: "creating", key: now.key, exists: false } : now;
    case "finish":
      if (now.is !== "creating") return now;
      return now.opened ? { is: "open", opened: now.opened, attempts: 0 } : { is: "unknown" };
    case "fail":
      return now.is === "opening" ? afterFailure(now, change.problem) : now;
    case "lose":
      return afterLoss(now, change.problem, change.released);
    case "retry":
      return now.is === "faulted" ? { ...now, cancelRetry: change.cancel } : now;
    case "recover":
      return now.is === "open" && now.attempts > 0 ? { ...now, attempts: 0 } : now;
    case "rest":
      return now.is === "open" ? { is: "resting", lease: change.lease } : now;
    case "close":
      return now.is === "open" || now.is === "resting" ? { is: "closed" } : now;
  }
}

/** `closed` means that the process ends: the agent is as it was before. */
function afterFailure<Opened>(
  { exists, attempts, fault }: Presence<Opened> & { is: "opening" },
  problem: Problem,
): Presence<Opened> {
  if (problem.code === "not_found") return { is: "unknown" };
  if (isElsewhere(problem)) return exists ? { is: "elsewhere" } : { is: "unknown" };
  if (problem.code !== "closed") return { is: "faulted", problem, exists, attempts: attempts + 1 };
  if (fault) return { is: "faulted", problem: fault, exists, attempts };
  return exists ? { is: "closed" } : { is: "unknown" };
}

function afterLoss<Opened>(now: Presence<Opened>, problem: Problem, released: Promise<void>): Presence<Opened> {
  if (now.is !== "open" && now.is !== "opening" && now.is !== "creating") return now;
  if (isElsewhere(problem)) return { is: "elsewhere", released };
  return { is: "faulted", problem, exists: exists(now), attempts: attemptsOf(now) + 1, released };
}

/** The fault stands until the agent is open again. */
const carried = <Opened>(now: Presence<Opened>): { fault?: Problem } =>
  now.is === "faulted" ? { fault: now.problem } : {};

const attemptsOf = <Opened>(now: Presence<Opened>): number => ("attempts" in now ? now.attempts : 0);

/** Opened, also if it is still being created. */
export const openedOf = <Opened>(now: Presence<Opened>): Opened | undefined =>
  now.is === "open" || now.is === "creating" ? now.opened : undefined;

export const exists = <Opened>(now: Presence<Opened>): boolean => ("exists" in now ? now.exists : now.is !== "unknown");

export const faultOf = <Opened>(now: Presence<Opened>): Problem | undefined =>
  now.is === "faulted" ? now.problem : now.is === "opening" ? now.fault : undefined;

/** Waiting does not repair these. */
export const isFinal = (problem: Problem | undefined): boolean =>
  problem?.code === "log_corrupt" || problem?.code === "newer_version";

/** Another process has the agent now, which is not a fault. */
const isElsewhere = ({ code }: Problem): boolean => code === "owned_elsewhere" || code === "fenced";

export interface Presences<Opened = OpenAgent> {
  of(agent: string): Presence<Opened>;
  /** Returns the state it has now. */
  change(agent: string, change: Change<Opened>): Presence<Opened>;
  /** All but the unknown, as they are now. */
  all(): [agent: string, presence: Presence<Opened>][];
}

export function createPresences<Opened = OpenAgent>(): Presences<Opened> {
  const presences = new Map<string, Presence<Opened>>();
  const of = (agent: string): Presence<Opened> => presences.get(agent) ?? unknown;
  return {
    of,
    change(agent, change) {
      const next = nextPresence(of(agent), change);
      if (next.is === "unknown") presences.delete(agent);
      else presences.set(agent, next);
      return next;
    },
    all: () => [...presences],
  };
}

const unknown = { is: "unknown" } as const;
