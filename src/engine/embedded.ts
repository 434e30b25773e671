/**
 * The default engine: this process owns every agent of its home, guaranteed by an OS lock. Wake-ups are timers, commands are calls.
 *
 * Always holds: a wake-up that is due while its agent has no owner is kept for the next owner. An error that the owner throws in a wake-up goes to
 * `fault` only. Fences grow over the life of this object; a new process starts over, as the file store does.
 * Not here: takeover (there is no other process).
 */
import type { Clock } from "../lib/world.ts";
import { Problem } from "../schema/problem.ts";
import type { Engine, Lease, Owner } from "./engine.ts";

export interface EmbeddedOptions {
  clock: Clock;
  /** Called with an error that an owner threw although it must not. */
  fault?(agent: string, error: unknown): void;
}

/** Timers do not notice when the wall clock is set forward or the machine sleeps, so they check again this often. */
const lookAgainMs = 60_000;

export function createEmbedded({ clock, fault = () => undefined }: EmbeddedOptions): Engine {
  const fences = new Map<string, number>();
  const leases = new Map<string, AbortController>();
  const wakeUps = new Map<string, { at: number; cancel(): void }>();
  let owner: Owner | undefined;

  const started = (): Owner => {
    if (owner) return owner;
    throw new Problem("closed", "the engine is not started");
  };

  function arm(agent: string, at: number): void {
    wakeUps.get(agent)?.cancel();
    const wait = Math.min(Math.max(0, at - clock.now()), lookAgainMs);
    wakeUps.set(agent, { at, cancel: clock.after(wait, () => ring(agent, at)) });
  }

  function ring(agent: string, at: number): void {
    if (clock.now() < at) {
      arm(agent, at); // the wall clock may have been set back: an appointment is never early
    } else if (owner && leases.has(agent)) {
      wakeUps.delete(agent);
      void deliver(owner, agent);
    } // else it is kept, and `own` arms it again
  }

  async function deliver(to: Owner, agent: string): Promise<void> {
    try {
      await to.wake(agent);
    } catch (error) {
      fault(agent, error);
    }
  }

  return {
    async start(given) {
      owner = given;
    },

    async own(agent): Promise<Lease> {
      started();
      if (leases.has(agent)) throw new Problem("owned_elsewhere", `${agent} is already open in this process`);
      const fence = (fences.get(agent) ?? 0) + 1;
      const lost = new AbortController();
      fences.set(agent, fence);
      leases.set(agent, lost);
      const kept = wakeUps.get(agent);
      if (kept) arm(agent, kept.at);
      return {
        agent,
        fence,
        lost: lost.signal,
        async release() {
          if (leases.get(agent) === lost) leases.delete(agent);
        },
      };
    },

    wake(agent, at) {
      wakeUps.get(agent)?.cancel();
      wakeUps.delete(agent);
      if (at !== null && owner) arm(agent, at);
    },

    send: async (agent, command, options = {}) => await started().command(agent, command, options),

    async stop() {
      owner = undefined;
      for (const { cancel } of wakeUps.values()) cancel();
      wakeUps.clear();
      const held = [...leases.values()];
      leases.clear();
      for (const lost of held) lost.abort();
    },
  };
}
