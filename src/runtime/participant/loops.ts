/**
 * Starts and stops the loops of one agent's participants (schedule.ts says which), and waits out the backoff of turns that are retried. A fault
 * stops only its participant, visibly.
 */
import type { Limits } from "../../core/limits.ts";
import type { World } from "../../lib/world.ts";
import { loop } from "../../loop/loop.ts";
import type { ParticipantContext } from "../../loop/participant-context.ts";
import type { Event } from "../../schema/event.ts";
import { Problem } from "../../schema/problem.ts";
import type { Thinker } from "../../schema/worker.ts";
import type { Live } from "../live.ts";
import { retryWait, startable } from "./schedule.ts";
import type { Suspects } from "./suspects.ts";

export interface Loops {
  /** Starts every loop that should run. Synchronous up to the first wait, so that a first turn shares the fsync of what woke it. */
  start(): void;
  /** Whoever works for what is over stops at once; nobody stops for what they ended themselves. */
  stopFor(event: Event): void;
  /** Turns that a crash interrupted and that nobody has taken up again: they end with their run. */
  giveUp(): void;
  running(): ReadonlySet<string>;
  /** Of the loop under way, if there is one: aborts when it must stop. */
  signalOf(id: string): AbortSignal | undefined;
}

export interface LoopsOptions {
  live: Live;
  limits: Limits;
  world: World;
  seat(id: string, signal: AbortSignal): ParticipantContext;
  /** Brings back what it needs before it works; undefined if it has everything. */
  prepare(one: Thinker): Promise<void> | undefined;
  suspects: Suspects;
  isOpen(): boolean;
  /** Work that an orderly end waits for. */
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

export function createLoops({
  live,
  limits,
  world,
  seat: seatOf,
  prepare,
  suspects,
  isOpen,
  track,
  notice,
}: LoopsOptions): Loops {
  /** The loops under way, each with the means to stop it. */
  const running = new Map<string, AbortController>();
  /** Turns that were under way when the process died; each is counted when it goes on. */
  const interrupted = new Set<string>();
  for (const one of live.state().participants.values()) if (one.kind !== "human" && one.turn) interrupted.add(one.id);
  live.signal.addEventListener("abort", () => {
    for (const stop of running.values()) stop.abort(live.signal.reason);
  });

  function start(): void {
    if (!isOpen()) return;
    for (;;) {
      // Starting one may already have started others, so the state is asked again each time.
      const [id] = startable(live.state(), new Set(running.keys()), limits, retryIsDue);
      if (id === undefined) return;
      const stop = new AbortController();
      running.set(id, stop);
      track(run(id, stop.signal));
    }
  }

  /** Turns to be retried, with the timer that was set for them; true once it rang. By the clock that only grows. */
  const retries = new Map<string, boolean>();

  function retryIsDue(one: Thinker): boolean {
    const wait = retryWait(one, world.clock.now());
    const key = `${live.state().run?.id} ${one.turn?.id} ${one.turn?.retried}`;
    if (wait === 0 || retries.get(key)) return true;
    if (retries.has(key)) return false;
    retries.set(key, false);
    world.clock.after(wait, () => {
      retries.set(key, true);
      start();
    });
    return false;
  }

  function giveUp(): void {
    const { participants, agent: who } = live.state();
    for (const one of participants.values()) {
      if (one.kind === "human" || !one.turn || running.has(one.id)) continue;
      const reason = {
        code: "interrupted",
        message: `${live.agent} is ${who?.status}`,
        next_mover: "nobody",
      };
      live.dispatch({ type: "turn.fail", turn: one.turn.id, participant: one.id, reason }).catch(() => undefined);
    }
  }

  function stopFor(event: Event): void {
    if (/^(turn\.(answered|ended|failed)|tool\.)/.test(event.type) && "participant" in event.data)
      gotOn(event.data.participant);
    const { participants } = live.state();
    if (
      event.type === "run.completed" ||
      event.type === "run.stopped" ||
      event.type === "agent.stopped" ||
      event.type === "agent.archived"
    ) {
      for (const [id, stop] of running) if (id !== event.actor) stop.abort(event.type);
      giveUp();
    } else if (event.type === "worker.retired") {
      running.get(event.data.worker)?.abort(event.type);
    } else if (event.type === "turn.failed" && event.actor !== event.data.participant) {
      // Given up because of what came with it (core/turn/turn-failure.ts, settleOver): the call under way is for nobody.
      running.get(event.data.participant)?.abort(event.data.reason.message);
    } else if (event.type === "node.failed" || event.type === "node.cancelled") {
      for (const [id, stop] of running) {
        const one = participants.get(id);
        if (id !== event.actor && one?.kind !== "human" && one?.turn?.node === event.data.node) stop.abort(event.type);
      }
    }
  }

  async function run(id: string, signal: AbortSignal): Promise<void> {
    try {
      const seat = seatOf(id, signal);
      const one = seat.me();
      const preparing = one && prepare(one);
      if (preparing) await preparing;
      if (interrupted.delete(id)) await resume(seat, id);
      await loop(seat);
    } catch (error) {
      if (isOpen()) failed(id, error);
    } finally {
      running.delete(id);
      gotOn(id);
      if (retries.size > 100) retries.clear();
      start();
    }
  }

  /** A turn that was interrupted before, and again, goes on alone: see suspects.ts. */
  async function resume(seat: ParticipantContext, id: string): Promise<void> {
    if (seat.me()?.turn?.resumed) leaves.set(id, await suspects.enter(seat.signal));
    const turn = seat.me()?.turn;
    if (turn && !seat.signal.aborted) seat.record({ type: "turn.resume", turn: turn.id, participant: id });
  }

  const leaves = new Map<string, () => void>();

  function gotOn(id: string): void {
    leaves.get(id)?.();
    leaves.delete(id);
  }

  /** A full disk is not a bug: the agent is opened again when the disk is better, and the turn goes on; the limit on resumptions bounds how often. */
  function failed(id: string, error: unknown): void {
    if (error instanceof Problem && error.code === "storage_failed") live.fail(error);
    else fault(id, error);
  }

  /** A bug in a tool, a backend or here: it stops this participant, visibly, and nothing else. */
  function fault(id: string, error: unknown): void {
    const message =
      `internal error in the loop of ${id}: ${error instanceof Error ? error.message : String(error)}`.toWellFormed();
    const reason = { code: "fault", message, next_mover: "human" };
    const one = live.state().participants.get(id);
    const turn = one && one.kind !== "human" ? one.turn : undefined;
    live
      .dispatch(turn ? { type: "turn.fail", turn: turn.id, participant: id, reason } : { type: "agent.pause", reason })
      .catch(() => undefined);
    notice(new Problem("wrong_state", message, { participant: id, reason: reason.code }, { cause: error })); // last: nothing anyone does with it undoes the above
  }

  return { start, stopFor, giveUp, running: () => new Set(running.keys()), signalOf: (id) => running.get(id)?.signal };
}
