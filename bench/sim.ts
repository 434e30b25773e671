/**
 * How fast the simulation is: it runs sim/main.ts as CI does, in a process of its own.
 *
 * The baseline is what no simulation of these events could do without: as many steps of the virtual clock, and each event written as JSON
 * and read again. Counted in seconds that there was a core, so that others at work do not make it look slower; where the system does not tell
 * (no /proc) it is the time on the wall. Starting up and the first worlds, in which the code is still being compiled, are taken off: a campaign
 * goes on for hours.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "../sim/random.ts";
import { createTime } from "../sim/time.ts";
import type { Bench } from "./figure.ts";
import { repository } from "./place.ts";

const goal = 3_000;

export const sim: Bench = {
  name: "sim",
  about: "Whole lives of a home under faults (npm run sim), one after the other, in a minute of one core.",
  async run({ size }) {
    const first = await play(Math.max(5, Math.round(150 * size)));
    const all = await play(Math.max(15, Math.round(450 * size)));
    const played = {
      seeds: all.seeds - first.seeds,
      events: all.events - first.events,
      steps: all.steps - first.steps,
    };
    const value = (played.seeds / (all.seconds - first.seconds)) * 60;
    const baseline = (played.seeds / (await bare(played))) * 60;
    const each = (what: "events" | "steps") => `${Math.round(played[what] / played.seeds)} ${what}`;
    return [
      {
        name: "sim.seeds",
        value,
        unit: "seeds/min",
        baseline,
        ratio: value / baseline,
        goal: `≥ ${goal}`,
        ok: value >= goal,
        note: `${played.seeds} seeds of ${each("events")} and ${each("steps")}, after ${first.seeds} others, which took ${Math.round((first.seconds / first.seeds) * 1000)} ms each with the start`,
      },
    ];
  },
};

interface Played {
  seeds: number;
  events: number;
  steps: number;
}

async function play(seeds: number): Promise<Played & { seconds: number }> {
  const [cpu, began] = [childSeconds(), performance.now()];
  const output = await run(["--seeds", String(seeds)]);
  const wall = (performance.now() - began) / 1000;
  const count = (what: string) => Number(new RegExp(`(\\d+) ${what}`).exec(output)?.[1]);
  return {
    seeds: count("seeds"),
    events: count("events"),
    steps: count("steps"),
    seconds: childSeconds() - cpu || wall,
  };
}

/** Seconds that the clock and the JSON alone take. */
async function bare({ events, steps }: Played): Promise<number> {
  const event = {
    seq: 1,
    id: "a1/1",
    ts: "",
    type: "tool.ended",
    run: "r1",
    actor: "ann",
    data: { result: "x".repeat(200) },
  };
  const time = createTime({ random: createRandom(1) });
  let [left, written] = [steps, 0];
  const again = () => {
    if (left-- > 0) time.after(1, again);
    if (written++ < events) JSON.parse(JSON.stringify({ ...event, seq: written }));
  };
  for (let timer = 0; timer < 50; timer++) time.after(1, again);
  const before = process.cpuUsage();
  await time.run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
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
