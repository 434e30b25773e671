/**
 * One process of a campaign: plays the worlds it is sent, one after the other, and says how each ended. Started by pool.ts.
 *
 * One world in a hundred is played twice and must take the same course. Ends with its parent, even in the middle of an endless loop.
 */
import { Worker } from "node:worker_threads";
import type { Outcome } from "../seed.ts";
import "../plant.ts";
import type { Task } from "./pool.ts";

export interface Played extends Pick<Outcome, "violations" | "events" | "steps" | "injected"> {
  ms: number;
}

// Ctrl-C is for the campaign, which asks its processes to end.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());
new Worker(
  `const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 2000);`,
  { eval: true },
).unref();

const { runSeed } = await import("../seed.ts");

async function play({ seed, with: overrides }: Task): Promise<Played> {
  const began = performance.now();
  try {
    const { violations, events, steps, injected, trace } = await runSeed(seed, { with: overrides });
    if (seed % 100 === 0 && (await runSeed(seed, { with: overrides })).trace !== trace)
      violations.push({ invariant: "determinism", what: "the same world took another course the second time" });
    return { violations, events, steps, injected, ms: performance.now() - began };
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    return { violations: [{ invariant: "threw", what }], events: 0, steps: 0, injected: {}, ms: 0 };
  }
}

let last = Promise.resolve();
process.on("message", ({ id, ...task }: Task & { id: number }) => {
  last = last.then(async () => {
    process.send!({ id, played: await play(task) });
  });
});
