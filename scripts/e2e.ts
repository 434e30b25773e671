/**
 * npm run e2e: what a stranger gets. Builds, packs, installs the tarball in an empty folder with the system's own Node, and runs it there.
 * Needs the registry (for the dependencies), so `npm test` does not call it.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "agiraph-e2e-"));
/** Without the Node of this repository: the program has to find its own. */
const path = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((one) => !one.includes("node_modules"))
  .join(delimiter);
const env = { PATH: path, HOME: folder, TMPDIR: tmpdir(), NO_COLOR: "1" };

function run(cwd: string, command: string, ...args: string[]): string {
  console.log(`$ ${command} ${args.join(" ")}`);
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function expect(what: string, holds: boolean): void {
  console.log(`  ${holds ? "✓" : "✕"} ${what}`);
  if (!holds) process.exitCode = 1;
}

try {
  run(root, "npm", "run", "build");
  const tarball = run(root, "npm", "pack", "--silent", "--pack-destination", folder).trim();
  writeFileSync(join(folder, "package.json"), "{}");
  run(folder, "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, tarball));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  console.log(`  Node ${run(folder, "node", "--version").trim()}`);
  expect("it says its version", run(folder, "npx", "agiraph", "--version").trim() === version);
  const said = run(folder, "npx", "agiraph", "demo", "--speed", "10");
  expect("the demo says that it is a simulation", said.startsWith("Simulation without a model"));
  const output = readFileSync(join(folder, ".agiraph/agents/demo/runs/r1/_output.md"), "utf8");
  expect("the demo leaves an answer", output.startsWith("# PostgreSQL"));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
