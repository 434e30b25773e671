/**
 * npm run sim -- planted [--seeds 2000] [--from commit]
 *
 * Plants every bug of bugs.ts, one at a time, and lets the simulation look for it. A bug that is not found within the seeds fails the run:
 * this is the test of the tests. `--from commit`: a third of them, another one with each commit.
 */
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { bugs } from "./bugs.ts";

interface Hunt {
  name: string;
  found: boolean;
  seed: number | undefined;
  broke: string;
  seconds: number;
}

export async function huntAll(seeds: number, names: readonly string[] = bugs.map((bug) => bug.name)): Promise<Hunt[]> {
  const left = [...names];
  const hunts: Hunt[] = [];
  const work = async () => {
    for (let name = left.shift(); name; name = left.shift()) hunts.push(await hunt(name, seeds));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  return hunts.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name));
}

/** Some bug may make a world endless. */
const patienceMs = 600_000;

function hunt(name: string, seeds: number): Promise<Hunt> {
  const began = performance.now();
  const main = new URL("./main.ts", import.meta.url).pathname;
  const { from = 1, with: world = {} } = bugs.find((bug) => bug.name === name) ?? {};
  const range = ["--seeds", String(seeds), "--from", String(from), "--with", JSON.stringify(world)];
  const child = spawn(process.execPath, [main, "--bug", name, ...range], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: patienceMs,
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  child.stderr.on("data", (chunk) => {
    output += chunk;
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      const said = /^seed (\d+) broke (.*)$/m.exec(output);
      const found = code === 0 && said !== null;
      const broke = said?.[2] ?? output.trim().split("\n").at(-1) ?? "";
      resolve({
        name,
        found,
        seed: said ? Number(said[1]) : undefined,
        broke,
        seconds: (performance.now() - began) / 1000,
      });
    });
  });
}

/** A third of them. */
export function drawn(first: number): string[] {
  return bugs.filter((_, index) => (index + first) % 3 === 0).map(({ name }) => name);
}

export async function reportHunts(seeds: number, names?: readonly string[]): Promise<boolean> {
  const hunts = await huntAll(seeds, names);
  for (const { name, found, seed, broke, seconds } of hunts) {
    console.log(
      `${found ? "found" : "MISSED"}  ${name.padEnd(26)} ${found ? `seed ${seed}` : `${seeds} seeds`}, ${seconds.toFixed(1)} s: ${broke.slice(0, 110)}`,
    );
  }
  const missed = hunts.filter((hunt) => !hunt.found);
  console.log(`${hunts.length - missed.length} of ${hunts.length} planted bugs found`);
  return missed.length === 0;
}
