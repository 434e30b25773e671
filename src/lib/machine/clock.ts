import type { Clock } from "../world.ts";

/** setTimeout overflows above this and would fire at once. */
const longest = 2 ** 31 - 1;

export const clock: Clock = {
  now: () => Date.now(),
  mono: () => performance.now(),
  after(ms, call) {
    let timer: NodeJS.Timeout;
    const arm = (left: number) => {
      timer = setTimeout(() => (left > longest ? arm(left - longest) : call()), Math.min(Math.max(left, 0), longest));
      timer.unref();
    };
    arm(ms);
    return () => clearTimeout(timer);
  },
};
