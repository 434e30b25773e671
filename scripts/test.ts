/**
 * node scripts/test.ts: what `npm test` runs, one step after the other, stopping at the first that fails. A step is several rows side by side; of a
 * row one part follows the other. What they print is shown when the step has ended, but for the tests, which are watched.
 *
 * The tests wait for browsers, daemons and killed processes much of their time. The simulation waits for nothing, so it runs beside them at the
 * lowest priority: it takes what they leave. The package is made before the tests begin: it builds the page that they look at.
 *
 * The runtime's tests run twice: the second time the state is thrown away after every step and folded from the log again, which finds
 * whatever is not in the log. The simulation plays the seeds it knows, and others that each commit draws anew; `npm run sim:campaign` is the long
 * form.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

interface Part {
  name: string;
  command: string;
  env?: Record<string, string>;
  /** Shown while it runs. */
  watched?: true;
}

const lowest = "nice -n 19";
const steps: Part[][][] = [
  [
    [{ name: "check", command: "npm run --silent check" }],
    [
      {
        name: "always replay",
        command: "vitest run src/runtime --maxWorkers 1",
        env: { AGIRAPH_ALWAYS_REPLAY: "1" },
      },
    ],
    [{ name: "the package", command: "npm run --silent e2e" }],
  ],
  [
    [{ name: "tests", command: "vitest run", watched: true }],
    [
      { name: "simulation", command: `${lowest} npm run --silent sim -- --seeds 400` },
      { name: "new seeds", command: `${lowest} npm run --silent sim -- --seeds 300 --from commit` },
      { name: "planted bugs", command: `${lowest} npm run --silent sim -- planted --seeds 2000 --from commit` },
    ],
  ],
];
/** What Node compiled once is not compiled by every process again: simulations, scripts and builds are hundreds of files. */
const compiled = { NODE_COMPILE_CACHE: fileURLToPath(new URL("../node_modules/.cache/node", import.meta.url)) };

let failed = false;
/** What the parts of this step had to say; told at its end, so that it does not stand amid what is watched. */
const told: (string | Buffer)[] = [];
for (const rows of steps) {
  await Promise.all(rows.map(runRow));
  for (const words of told.splice(0)) process.stdout.write(words);
  if (failed) process.exit(1);
}

/** Up to its first part that fails, or that of another row. */
async function runRow(parts: Part[]): Promise<void> {
  for (const part of parts) {
    if (failed) return;
    if (!(await run(part))) failed = true;
  }
}

/** Whether it passed. */
async function run({ name, command, env = {}, watched }: Part): Promise<boolean> {
  const settings = Object.entries(env).map(([key, value]) => `${key}=${value} `);
  const title = `\n── ${name}: ${settings.join("")}${command}\n`;
  const began = performance.now();
  if (watched) process.stdout.write(title);
  const stdio = watched ? "inherit" : "pipe";
  const child = spawn(command, {
    shell: true,
    stdio: ["ignore", stdio, stdio],
    env: { ...process.env, ...compiled, ...env },
  });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => output.push(chunk));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  const end =
    status === 0
      ? `── ${name}: passed in ${took}\n`
      : `\n── ${name} failed after ${took}; run it again with: ${command}\n`;
  told.push(...(watched ? [] : [title, ...output]), end);
  return status === 0;
}
