/**
 * npm run attack -- [FILE …]
 *
 * Plays the whole corpus of attacks (test/attack) against the real product, each with many tries, and prints what was attempted, what held and
 * the longest stall. `npm test` runs the same with few tries. As root, the sandbox is tried as root and as a plain user.
 */
import { spawnSync } from "node:child_process";

const files = process.argv.slice(2);
const options = ["--reporter=default", "--reporter=./test/attack/table.ts", "--testTimeout=120000"];
const { status } = spawnSync("vitest", ["run", ...options, ...(files.length ? files : ["test/attack"])], {
  stdio: "inherit",
  env: { ...process.env, AGIRAPH_ATTACK: "long" },
});
process.exitCode = status ?? 1;
