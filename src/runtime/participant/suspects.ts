/**
 * Crash-loop protection: turns that were interrupted more than once resume one at a time, because one of them may be what kills the process,
 * and if they resumed together all would be blamed. The next one resumes when the one before makes progress, ends or times out.
 */
import type { Clock } from "../../lib/world.ts";

export interface Suspects {
  /** Resolves when it is this one's turn, with what to call when it got on; at once with nothing to do if the signal aborts. */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** A turn that hangs must not hold up the others for ever. */
const longest = 10_000;

export function createSuspects(clock: Clock): Suspects {
  let last: Promise<void> = Promise.resolve();
  return {
    async enter(signal) {
      const before = last;
      const { promise, resolve: leave } = Promise.withResolvers<void>();
      last = before.then(() => promise); // who leaves early does not let the next in before its time
      signal.addEventListener("abort", () => leave(), { once: true });
      if (signal.aborted) leave();
      await Promise.race([before, promise]);
      clock.after(longest, leave);
      return leave;
    },
  };
}
