/** The process that idle.ts measures: opens a home, comes to rest, looks at itself, and says so as one line of JSON. */
import { readdirSync } from "node:fs";
import { createRuntime } from "../src/runtime/runtime.ts";
import { createHouse } from "./house.ts";
import { pause } from "./rounds.ts";

export interface Idle {
  open: number;
  /** From start to rest. */
  seconds: number;
  /** Bytes, as it stands and after a full collection. */
  rss: number;
  collected: number;
  heap: number;
  /** Percent of a core over five seconds. */
  cpu: number;
  files: number;
}

if (import.meta.main) {
  const nobody = () => {
    throw new Error("an idle agent asked for a backend");
  };
  const house = createHouse({ home: process.argv[2]!, backend: nobody, restAfterMs: 2_000 });
  const runtime = createRuntime(house);
  const began = performance.now();
  await runtime.start();
  while ((await busy(500)) > 2) if (performance.now() - began > 300_000) throw new Error("it does not come to rest");
  const seconds = (performance.now() - began) / 1000;
  const cpu = await busy(5_000);
  const { rss } = process.memoryUsage();
  const files = process.platform === "linux" ? readdirSync("/proc/self/fd").length - 1 : 0;
  globalThis.gc?.();
  await pause(200);
  const { rss: collected, heapUsed: heap } = process.memoryUsage();
  const open = runtime.agents().length;
  const found: Idle = { open, seconds, rss, collected, heap, cpu, files };
  process.stdout.write(JSON.stringify(found));
  await runtime.stop();
  await house.store.close();
}

async function busy(ms: number): Promise<number> {
  const [before, began] = [process.cpuUsage(), performance.now()];
  await pause(ms);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 10 / (performance.now() - began);
}
