/**
 * One process of a campaign: plays the worlds it is sent, one after the other, and says how each ended. Started by pool.ts.
 *
 * One world in a hundred is played twice and must take the same course. Ends with its parent, even in the middle of an endless loop.
 */
import { Worker } from "node:worker_threads";
import type { Outcome } from "../seed.ts";
import "../plant.ts";
import { watchBlocks } from "./blocks.ts";
import type { News } from "./corpus.ts";
import type { Task } from "./pool.ts";

export interface Played extends Pick<Outcome, "violations" | "events" | "steps"> {
  ms: number;
  news: News;
}

// Ctrl-C is for the campaign, which asks its processes to end.
process.on("SIGINT", () => undefined);
process.on("disconnect", () => process.exit());
new Worker(
  `const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGKILL"), 2000);`,
  { eval: true },
).unref();

const blocks = watchBlocks();
const { runSeed } = await import("../seed.ts");
const pairs = new Set<string>();

/** What no world of this process reached before. */
function newsOf(injected: Outcome["injected"]): News {
  const fresh = Object.keys(injected).filter((name) => name.startsWith("pair ") && !pairs.has(name));
  for (const pair of fresh) pairs.add(pair);
  const files = blocks.files();
  const reached = Object.entries(blocks.fresh()).map(([path, fresh]) => [path, { ...files[path]!, fresh }] as const);
  return { pairs: fresh.map((name) => name.slice(5)), files: Object.fromEntries(reached) };
}

async function play({ seed, with: overrides }: Task): Promise<Played> {
  const began = performance.now();
  try {
    const { violations, events, steps, injected, trace } = await runSeed(seed, { with: overrides });
    if (seed % 100 === 0 && (await runSeed(seed, { with: overrides })).trace !== trace)
      violations.push({ invariant: "determinism", what: "the same world took another course the second time" });
    return { violations, events, steps, ms: performance.now() - began, news: newsOf(injected) };
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? String(error)) : String(error);
    return { violations: [{ invariant: "threw", what }], events: 0, steps: 0, ms: 0, news: newsOf({}) };
  }
}

let last = Promise.resolve();
process.on("message", ({ id, ...task }: Task & { id: number }) => {
  last = last.then(async () => {
    process.send!({ id, played: await play(task) });
  });
});
