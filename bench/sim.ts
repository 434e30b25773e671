/** How fast the simulation is: it runs `sim/main.ts` as CI does, in a process of its own. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./figure.ts";
import { repository } from "./place.ts";

export const sim: Bench = {
  name: "sim",
  about: "Whole lives of a home under faults (npm run sim), one after the other in one process; start-up included.",
  async run({ size }) {
    const seeds = Math.max(10, Math.round(300 * size));
    const before = childSeconds();
    const began = performance.now();
    const output = await play(seeds);
    const seconds = (performance.now() - began) / 1000;
    const cpu = childSeconds() - before;
    const value = (seeds / seconds) * 60;
    const note =
      cpu > 0
        ? `${seeds} seeds in ${seconds.toFixed(1)} s, of which it had a core for ${cpu.toFixed(1)} s: ${Math.round((seeds / cpu) * 60)} seeds a minute of CPU. `
        : "";
    return [
      {
        ...{ name: "sim.seeds", value, unit: "seeds/min", baseline: null, ratio: null },
        ...{ goal: "≥ 2000", ok: value >= 2000, note: `${note}${output.split("\n")[0]}` },
      },
    ];
  },
};

function play(seeds: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join("sim", "main.ts"), "--seeds", String(seeds)], {
      cwd: repository,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    child.stdout.on("data", (part) => (output += part));
    child.stderr.on("data", (part) => (output += part));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(output.trim()) : reject(new Error(`the simulation ended with ${code}: ${output.trim()}`)),
    );
  });
}

/** CPU seconds of children that have ended; 0 where there is no /proc. */
function childSeconds(): number {
  if (!existsSync("/proc/self/stat")) return 0;
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}
