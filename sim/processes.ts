/**
 * Simulated programs. Each runs for a random time; some hang, some ignore a kind request to end. A killed process of ours leaves its programs
 * running, as on a real machine, until somebody ends them by their tag; a power loss ends them all.
 */
import type { Exit, Processes } from "../src/lib/world.ts";
import type { SimRandom } from "./random.ts";
import type { Life, Time } from "./time.ts";

export interface Running {
  tag: string;
  since: number;
}

export interface SimMachine {
  mount(life: Life): Processes;
  /** What runs now, whoever started it. */
  running(): readonly Running[];
  power(): void;
}

export function createProcesses({ random, time }: { random: SimRandom; time: Time }): SimMachine {
  let alive: Running[] = [];

  return {
    running: () => alive,
    power() {
      alive = [];
    },
    mount: (life) => ({
      run({ tag, signal }) {
        const one: Running = { tag, since: time.mono() };
        alive.push(one);
        const hangs = random.chance(0.1);
        const stubborn = random.chance(0.3);
        const exit: Exit = { code: random.chance(0.8) ? 0 : 1, output: "out" };
        return new Promise((resolve) => {
          const end = (given: Exit) => {
            if (!alive.includes(one)) return;
            alive = alive.filter((other) => other !== one);
            resolve(given);
          };
          // The program lives on its own; only the answer belongs to whoever started it.
          time.after(hangs ? 10_000_000 : random.int(8_000), () => end(exit));
          const stop = () => life.after(stubborn ? 2_000 : 5, () => end({ code: null, output: "" }));
          if (signal.aborted) stop();
          else signal.addEventListener("abort", stop, { once: true });
        });
      },
      async sweep(tag) {
        await life.sleep(1);
        const found = alive.filter((one) => one.tag.startsWith(tag));
        alive = alive.filter((one) => !found.includes(one));
        return found.length;
      },
      jail: async () => null,
    }),
  };
}
