/**
 * When an agent has to be woken, and what is done then. What is due is asked of the state (core/decide.ts, appointments), never kept.
 *
 * A second before a heartbeat or a look at the rate limit, the files of people are looked at, so that what they changed counts for it.
 */

import { appointments } from "../../core/decide.ts";
import type { State } from "../../core/state.ts";
import { nextBeat } from "../../core/time/cycle.ts";
import { nextLook } from "../../core/time/rate.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Clock } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Live } from "../live.ts";

export interface Alarm {
  /** The state changed: the engine is told when to wake us, if that is another time now. */
  set(): void;
  /** Something may have become due. */
  tick(): void;
}

export interface AlarmOptions {
  live: Live;
  engine: Pick<Engine, "wake">;
  clock: Clock;
  /** False once the agent is closed: nothing more is told or tried. */
  isOpen(): boolean;
  /** The runtime takes commands and does nothing else. */
  isStill(): boolean;
  /** Looks at what people did to the files. */
  look(): Promise<unknown>;
  /** What was due is decided: whoever should run now is started. */
  start(): void;
  track(job: Promise<void>): void;
  notice(problem: Problem): void;
}

const never = Number.POSITIVE_INFINITY;
const ahead = 1_000;

export function createAlarm(options: AlarmOptions): Alarm {
  const { live, engine, clock, isOpen, isStill, look, start, track, notice } = options;
  /** When the files of people are looked at next, for whoever only looks in from time to time. */
  let lookAt = never;
  /** When the engine was last told to wake us; undefined when that is over. */
  let alarm: number | undefined;

  /** For the next appointment; or, before it, for a look at what people did to the files, which may make something due. */
  function set(): void {
    const now = clock.now();
    lookAt = nextGlance(live.state(), now);
    const due = appointments(live.state())[0]?.at;
    const at = isOpen() && !isStill() ? Math.min(lookAt, due === undefined ? never : Date.parse(due)) : never;
    if (at === alarm) return;
    alarm = at;
    engine.wake(live.agent, at < never ? at : null);
  }

  async function glance(): Promise<void> {
    try {
      await look();
    } catch (error) {
      if (isOpen()) notice(new Problem("storage_failed", `the files could not be checked: ${String(error)}`));
    }
    if (isOpen()) tick();
  }

  function tick(): void {
    if (!isOpen() || isStill()) return;
    alarm = undefined;
    if (lookAt <= clock.now()) {
      lookAt = never;
      track(glance());
      return;
    }
    const now = new Date(clock.now()).toISOString();
    for (const { at, command } of appointments(live.state())) {
      if (at > now || !isOpen()) break;
      try {
        live.dispatch(command).catch(() => undefined);
      } catch (problem) {
        notice(problem as Problem);
      }
    }
    start();
    set();
  }

  return { set, tick };
}

const nextGlance = (state: State, now: number): number =>
  Math.min(nextBeat(state, now + ahead) ?? never, nextLook(state, now + ahead) ?? never) - ahead;
