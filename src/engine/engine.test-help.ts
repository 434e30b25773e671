/**
 * For tests of engines: a manual clock, seeded randomness, and an owner that records its calls.
 *
 * Always holds: timers fire in the order of their time, then of their creation, and after each one everything that follows from it has run.
 * Not here: real time. Work that needs more than a few dozen promise steps between two timers is not waited for.
 */
import type { Clock, Random } from "../lib/world.ts";
import type { CommandInput, Receipt, SendOptions } from "../schema/command.ts";
import type { Owner } from "./engine.ts";

export interface ManualClock extends Clock {
  pass(ms: number): Promise<void>;
  /** Moves the wall clock; timers and `mono` do not notice. */
  jump(ms: number): void;
}

export function createManualClock(start = 1_767_225_600_000): ManualClock {
  const timers = new Set<{ at: number; call(): void }>();
  let mono = 0;
  let drift = 0;
  const first = (until: number) => {
    let found: { at: number; call(): void } | undefined;
    for (const timer of timers) if (timer.at <= until && (!found || timer.at < found.at)) found = timer;
    return found;
  };
  return {
    now: () => start + drift + Math.floor(mono),
    mono: () => mono,
    after(ms, call) {
      const timer = { at: mono + Math.max(0, ms), call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async pass(ms) {
      const until = mono + ms;
      await settled();
      for (let timer = first(until); timer; timer = first(until)) {
        timers.delete(timer);
        mono = timer.at;
        timer.call();
        await settled();
      }
      mono = until;
    },
    jump(ms) {
      drift += ms;
    },
  };
}

async function settled(): Promise<void> {
  for (let i = 0; i < 40; i++) await null;
}

export interface SeededRandom extends Random {
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = Math.imul(seed + 1, 0x9e3779b9);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    pick: (from) => from[int(from.length)]!,
    hex: (length) => Array.from({ length }, () => int(256).toString(16).padStart(2, "0")).join(""),
  };
}

export interface RecordingOwner extends Owner {
  wakes: string[];
  commands: { agent: string; command: CommandInput; options: SendOptions }[];
  takeOvers: string[];
}

/** Answers every command with a receipt that counts them; `act` replaces single methods. */
export function createRecordingOwner(act: Partial<Owner> = {}): RecordingOwner {
  const owner: RecordingOwner = {
    wakes: [],
    commands: [],
    takeOvers: [],
    async wake(agent) {
      owner.wakes.push(agent);
      await act.wake?.(agent);
    },
    async command(agent, command, options): Promise<Receipt> {
      owner.commands.push({ agent, command, options });
      return act.command?.(agent, command, options) ?? { seq: owner.commands.length, repeated: false, made: {} };
    },
    async takeOver(agent) {
      owner.takeOvers.push(agent);
      await act.takeOver?.(agent);
    },
  };
  return owner;
}
