/**
 * node scripts/test.ts: what `npm test` runs, one step after the other, stopping at the first that fails. The parts of a step run side by side,
 * because each of them uses one core; what they print is shown when they have ended.
 *
 * The runtime's tests run twice: the second time the state is thrown away after every step and folded from the log again, which finds
 * whatever is not in the log. The simulation plays the seeds it knows, and others that each commit draws anew; `npm run sim:campaign` is the long
 * form.
 */
import { spawn } from "node:child_process";

interface Part {
  name: string;
  command: string;
  env?: Record<string, string>;
}

const steps: Part[][] = [
  [
    { name: "check", command: "npm run --silent check" },
    {
      name: "always replay",
      command: "vitest run src/runtime --maxWorkers 1",
      env: { AGIRAPH_ALWAYS_REPLAY: "1" },
    },
  ],
  [{ name: "tests", command: "vitest run" }],
  [
    { name: "simulation", command: "npm run --silent sim -- --seeds 400" },
    { name: "new seeds", command: "npm run --silent sim -- --seeds 300 --from commit" },
  ],
  [
    { name: "planted bugs", command: "npm run --silent sim -- planted --seeds 2000 --from commit" },
    { name: "the package", command: "npm run --silent e2e" },
  ],
];

for (const parts of steps) {
  const ends = await Promise.all(parts.map((part) => run(part, parts.length === 1)));
  if (!ends.every(Boolean)) process.exit(1);
}

/** Whether it passed. */
async function run({ name, command, env = {} }: Part, alone: boolean): Promise<boolean> {
  const title = `\n── ${name}: ${Object.entries(env)
    .map(([key, value]) => `${key}=${value} `)
    .join("")}${command}`;
  const began = performance.now();
  if (alone) console.log(title);
  const child = spawn(command, {
    shell: true,
    stdio: alone ? "inherit" : ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => output.push(chunk));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (!alone) {
    console.log(title);
    process.stdout.write(Buffer.concat(output));
  }
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  if (status === 0) console.log(`── ${name}: passed in ${took}`);
  else console.error(`\n${name} failed after ${took}; again with: ${command}`);
  return status === 0;
}
