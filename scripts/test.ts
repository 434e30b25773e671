/**
 * node scripts/test.ts: what `npm test` runs, one part after the other, stopping at the first that fails.
 *
 * The runtime's tests run twice: the second time the state is thrown away after every step and folded from the log again, which finds
 * whatever is not in the log. The simulation plays the seeds it knows, and others that each commit draws anew; `npm run sim:campaign` is the long
 * form.
 */
import { spawnSync } from "node:child_process";

const parts: { name: string; command: string; env?: Record<string, string> }[] = [
  { name: "check", command: "npm run --silent check" },
  { name: "tests", command: "vitest run" },
  { name: "always replay", command: "vitest run src/runtime", env: { AGIRAPH_ALWAYS_REPLAY: "1" } },
  { name: "simulation", command: "npm run --silent sim -- --seeds 400" },
  { name: "new seeds", command: "npm run --silent sim -- --seeds 300 --from commit" },
  { name: "planted bugs", command: "npm run --silent sim -- planted --seeds 2000" },
];

for (const { name, command, env } of parts) {
  console.log(
    `\n── ${name}: ${Object.entries(env ?? {})
      .map(([key, value]) => `${key}=${value} `)
      .join("")}${command}`,
  );
  const began = performance.now();
  const { status } = spawnSync(command, { shell: true, stdio: "inherit", env: { ...process.env, ...env } });
  const took = `${((performance.now() - began) / 1000).toFixed(1)} s`;
  if (status !== 0) {
    console.error(`\n${name} failed after ${took}; again with: ${command}`);
    process.exit(1);
  }
  console.log(`── ${name}: passed in ${took}`);
}
