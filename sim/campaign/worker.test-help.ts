/** Stands in for worker.ts: seed 2 loops for ever, 3 takes its process along, 4 does so once, all others are fine. */
import { existsSync, writeFileSync } from "node:fs";
import type { Task } from "./pool.ts";

const once = process.argv[2]!;

async function play(seed: number): Promise<void> {
  if (seed === 2) for (;;) await null;
  if (seed === 3) throw new TypeError("it broke at n3");
  if (seed !== 4 || existsSync(once)) return;
  writeFileSync(once, "");
  process.exit(7);
}

let last = Promise.resolve();
process.on("disconnect", () => process.exit());
process.on("message", ({ id, seed }: Task & { id: number }) => {
  last = last.then(async () => {
    await play(seed);
    process.send!({ id, played: { violations: [], events: seed, steps: 0, ms: 0, news: { pairs: [], files: {} } } });
  });
});
