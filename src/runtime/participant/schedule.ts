/**
 * The scheduler: which participants should run now. It looks only at the state, after every change, after every loop that ended and at every
 * alarm, so it does not matter whether one of these was missed or came twice. A participant has at most one loop.
 */
import type { Limits } from "../../core/limits.ts";
import type { State } from "../../core/state.ts";
import { canRun, isWorker } from "../../core/team/worker.ts";
import { isQueued } from "../../core/turn/queue.ts";
import type { Thinker } from "../../schema/worker.ts";

/** The participants whose loop should be started now, given those that run already. */
export function startable(
  state: State,
  running: ReadonlySet<string>,
  limits: Limits,
  retryIsDue: (one: Thinker) => boolean,
): string[] {
  if (state.agent?.status !== "active" || state.run?.status !== "open") return [];
  let workers = [...running].filter((id) => isWorker(state.participants.get(id))).length;
  const chosen: string[] = [];
  const able: Thinker[] = [];
  for (const one of state.participants.values())
    if (one.kind !== "human" && !running.has(one.id) && canRun(one)) able.push(one);
  for (const one of able.sort(byAge)) {
    if (!retryIsDue(one) || isQueued(state, one)) continue;
    if (isWorker(one) && ++workers > limits.concurrency) continue;
    chosen.push(one.id);
  }
  return chosen;
}

/**
 * Whoever was interrupted is first, then whoever waited longest for money, then who goes on by itself or has immediate mail, then whoever's
 * mail has waited longest: nobody starves.
 */
function byAge(a: Thinker, b: Thinker): number {
  const age = (one: Thinker) =>
    one.turn
      ? Number.NEGATIVE_INFINITY
      : one.queued
        ? Date.parse(one.queued.since) - farAhead
        : one.next === "continue" || one.unread.some(({ priority }) => priority === "immediate")
          ? 0
          : (one.unread[0]?.seq ?? Number.POSITIVE_INFINITY);
  return age(a) < age(b) ? -1 : age(a) > age(b) ? 1 : 0;
}

/** Makes any time smaller than any seq. */
const farAhead = 1e15;

/** How long a turn that is to be retried still has to wait. A clock that was set back does not make it longer than was meant. */
export function retryWait(one: Thinker, now: number): number {
  if (one.turn?.status !== "calling" || !one.turn.retry) return 0;
  const until = Date.parse(one.turn.retry.not_before);
  return Math.max(0, Math.min(until - now, until - Date.parse(one.turn.retry.at)));
}
