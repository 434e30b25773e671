/**
 * Virtual time: one queue of what is to happen, and the driver that lets it happen, one event after the other.
 *
 * Always holds: between two events everything that the program could still run has run (all microtasks and ticks), because each event has
 * a setImmediate of its own and Node empties both queues between two immediates. Bursts of immediates avoid a turn of the event loop each.
 * A life is one incarnation of a process: once it has ended, none of its timers fires and none of its sleeps resolves, ever.
 * Not here: what waits for the real outside (fetch, node:fs, import(), crypto.subtle). The driver cannot see it, so it breaks determinism.
 */
import { setImmediate } from "node:timers";
import type { Clock } from "../src/lib/world.ts";
import { createQueue, type Timer } from "./queue.ts";
import type { SimRandom } from "./random.ts";
import { createTrace, type Trace } from "./trace.ts";

export interface Life extends Clock {
  readonly ended: boolean;
  /** Resolves after `ms`; never, if the life ends before. */
  sleep(ms: number): Promise<void>;
  /** Like `after`, but in whole microseconds, from zero and never late; for the simulated devices. */
  later(micros: number, call: () => void): void;
  /** Settles as the promise does, but never once the life has ended; for answers that come from outside the life. */
  guard<T>(promise: Promise<T>): Promise<T>;
  /** Kill -9. Calls back, each in an event of its own, whoever asked by `onEnd`. */
  end(): void;
  /** `call` belongs to no life. If the life has ended already, it is called all the same. */
  onEnd(call: () => void): void;
}

export type Stopped = "until" | "time" | "steps" | "idle";

export interface Time extends Clock {
  /** Events that have happened. */
  readonly steps: number;
  /** The chance that a timer comes late, as they do on a busy machine; 0 in calm. */
  late: number;
  readonly trace: Trace;
  sleep(ms: number): Promise<void>;
  /** Moves the wall clock of everyone; timers and `mono` do not notice. A laptop's sleep looks like this too. */
  jump(ms: number): void;
  /** A new incarnation; `skew` is how far its host's wall clock is off. */
  live(options?: { skew?: number }): Life;
  /** Lets the next event happen, with all that follows from it; false if there was none. */
  step(): Promise<boolean>;
  /**
   * Lets events happen until `until` says so (it is asked between any two events), `ms` have passed, `steps` are done, or nothing is left.
   * Rejects with what an event or `until` throws. Only one run at a time.
   */
  run(options?: { until?: () => boolean; ms?: number; steps?: number }): Promise<Stopped>;
  /** Timers that are still to come. */
  pending(): number;
}

/** Immediates per turn of the event loop, each turn twice as many as the last: a short run leaves few over, a long one has few turns. */
const [firstBurst, mostBurst] = [8, 256];
const latest = Number.MAX_SAFE_INTEGER;

export function createTime(options: { random: SimRandom; start?: number; late?: number; trace?: Trace }): Time {
  const { random, start = Date.UTC(2026, 0, 1), trace = createTrace() } = options;
  const queue = createQueue();
  let micros = 0;
  let drift = 0;
  let order = 0;
  let steps = 0;
  let running = false;

  const schedule = (owner: { ended: boolean }, wait: number, call: () => void): Timer => {
    const timer = { at: Math.min(micros + wait, latest), tie: random.int(2 ** 32), order: order++, owner, call };
    queue.push(timer);
    return timer;
  };

  /** As setTimeout: at least one millisecond, and sometimes late. */
  const wait = (ms: number): number => {
    const least = Math.ceil(Math.max(1, ms || 0) * 1000);
    return time.late > 0 && random.chance(time.late) ? least + random.int(20_000) : least;
  };

  const clockOf = (owner: { ended: boolean }, skew: number) => ({
    now: () => start + skew + drift + Math.floor(micros / 1000),
    mono: () => micros / 1000,
    after(ms: number, call: () => void) {
      if (owner.ended) return () => undefined;
      const timer = schedule(owner, wait(ms), call);
      return () => queue.cancel(timer);
    },
    sleep: (ms: number) =>
      new Promise<void>((resolve) => {
        if (!owner.ended) schedule(owner, wait(ms), resolve);
      }),
  });

  const harness = { ended: false };

  const advance = (timer: Timer): void => {
    const call = timer.call as () => void;
    timer.call = null;
    micros = timer.at;
    steps += 1;
    trace.number(timer.at);
    trace.number(timer.order);
    call();
  };

  const time: Time = {
    ...clockOf(harness, 0),
    late: options.late ?? 0,
    trace,
    get steps() {
      return steps;
    },
    jump(ms) {
      drift += ms;
    },
    live({ skew = 0 } = {}) {
      const owner = { ended: false };
      const watchers: (() => void)[] = [];
      return {
        ...clockOf(owner, skew),
        get ended() {
          return owner.ended;
        },
        later(wait, call) {
          if (!owner.ended) schedule(owner, wait, call);
        },
        guard: <T>(promise: Promise<T>) =>
          new Promise<T>((resolve, reject) => {
            promise.then(
              (value) => owner.ended || resolve(value),
              (error) => owner.ended || reject(error),
            );
          }),
        end() {
          if (owner.ended) return;
          owner.ended = true;
          queue.sweep();
          for (const call of watchers.splice(0)) schedule(harness, 0, call);
        },
        onEnd(call) {
          if (owner.ended) schedule(harness, 0, call);
          else watchers.push(call);
        },
      };
    },
    step: async () => (await time.run({ steps: 1 })) !== "idle",
    run({ until, ms = Number.POSITIVE_INFINITY, steps: most = Number.POSITIVE_INFINITY } = {}) {
      if (running) return Promise.reject(new Error("time is running already; only one run at a time"));
      running = true;
      const deadline = micros + ms * 1000;
      const last = steps + most;

      const stopped = (): Stopped | null => {
        if (until?.()) return "until";
        if (steps >= last) return "steps";
        const next = queue.peek();
        if (next && next.at <= deadline) return null;
        if (deadline !== Number.POSITIVE_INFINITY) micros = Math.max(micros, Math.floor(deadline));
        return deadline !== Number.POSITIVE_INFINITY ? "time" : "idle";
      };

      return new Promise<Stopped>((resolve, reject) => {
        let waiting = 0;
        let burst = firstBurst;
        const refill = () => {
          waiting = Math.min(burst, last - steps + 1);
          burst = Math.min(2 * burst, mostBurst);
          for (let i = 0; i < waiting; i++) setImmediate(hop);
        };
        let over = false;
        const finish = (settle: () => void) => {
          over = true;
          running = false;
          settle();
        };
        const hop = () => {
          waiting -= 1;
          if (over) return;
          try {
            const why = stopped();
            if (why) finish(() => resolve(why));
            else advance(queue.pop() as Timer);
          } catch (error) {
            finish(() => reject(error));
          }
          if (waiting === 0 && !over) refill();
        };
        refill();
      });
    },
    pending: () => queue.size(),
  };
  return time;
}
