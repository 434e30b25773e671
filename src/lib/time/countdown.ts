/** A timeout that can be held: time that passes meanwhile does not count, up to a bound. */
import type { Clock } from "../world.ts";

export interface Countdown {
  /** Holds it until the returned function is called; several may hold it at once. */
  hold(): () => void;
  cancel(): void;
}

/** Calls back once `ms` have passed that count; at most `mostHeldMs` are not counted. */
export function createCountdown(clock: Clock, ms: number, mostHeldMs: number, call: () => void): Countdown {
  const begun = clock.mono();
  let held = 0;
  let holders = 0;
  let since = 0;
  let over = false;
  let cancel = clock.after(ms, ring);

  function heldSoFar(): number {
    return Math.min(mostHeldMs, held + (holders ? clock.mono() - since : 0));
  }

  function ring(): void {
    if (over) return;
    const left = begun + ms + heldSoFar() - clock.mono();
    // While it is held nobody knows how long: it is looked at again when it is let go, or when no more can be held.
    const wait = holders ? Math.max(left, mostHeldMs - heldSoFar()) : left;
    if (wait > 0) {
      cancel = clock.after(wait, ring);
      return;
    }
    over = true;
    call();
  }

  return {
    hold() {
      if (holders++ === 0) since = clock.mono();
      let open = true;
      return () => {
        if (!open) return;
        open = false;
        if (--holders > 0) return;
        held += clock.mono() - since;
        cancel();
        ring();
      };
    },
    cancel() {
      over = true;
      cancel();
    },
  };
}
