/**
 * How fast the simulation is: it runs sim/main.ts as CI does, in a process of its own.
 *
 * The kernel alone had to reach 2,000 a minute; since whole teams, people and triggers are in it, half of that.
 * Counted in seconds that it had a core, so that others at work do not make it look slower; starting up, measured by a run of one seed, is
 * taken off. Where the system does not tell (no /proc) it is the time on the wall.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Bench } from "./figure.ts";
import { repository } from "./place.ts";

export const sim: Bench = {
  name: "sim",
  about: "Whole lives of a home under faults (npm run sim), one after the other, in a minute of one core.",
  async run({ size }) {
    const seeds = Math.max(10, Math.round(300 * size));
    const one = await play(1);
    const all = await play(seeds);
    const value = ((seeds - 1) / (all.seconds - one.seconds)) * 60;
    const events = /\d+ events/.exec(all.output)?.[0] ?? "";
    const times = `${all.wall.toFixed(1)} s on the wall, ${all.seconds.toFixed(1)} s with a core, ${one.seconds.toFixed(1)} s of them to start`;
    return [
      {
        name: "sim.seeds",
        value,
        unit: "seeds/min",
        baseline: null,
        ratio: null,
        goal: "≥ 1000",
        ok: value >= 1000,
        note: `${seeds} seeds, ${events}: ${times}`,
      },
    ];
  },
};

async function play(seeds: number): Promise<{ output: string; seconds: number; wall: number }> {
  const [cpu, began] = [childSeconds(), performance.now()];
  const output = await run(["--seeds", String(seeds)]);
  const wall = (performance.now() - began) / 1000;
  return { output, seconds: childSeconds() - cpu || wall, wall };
}

function run(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join("sim", "main.ts"), ...args], { cwd: repository });
    let output = "";
    const add = (part: Buffer) => {
      output += part;
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`the simulation ended with ${code}:\n${output.trim()}`));
    });
  });
}

/** CPU seconds of children that have ended; 0 where there is no /proc. */
function childSeconds(): number {
  const path = "/proc/self/stat";
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, "utf8").split(") ")[1]!.split(" ");
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}

/** Of the times in /proc, on every Linux. */
const ticksPerSecond = 100;
