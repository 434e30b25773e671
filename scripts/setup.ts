/**
 * node scripts/setup.ts: the programs that the tests need and npm cannot bring. Called by `npm test` first; does nothing when all are there.
 *
 * What is missing is installed where that is possible without asking (root on Debian or Ubuntu); anywhere else it says exactly what is
 * missing and which command brings it, and fails unless the tests do without. Nothing that is there is ever changed.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** A program on the PATH, the Debian package that has it, and what needs it. */
export interface Program {
  program: string;
  debian: string;
  for: string;
  /** What needs it leaves itself out, and says so, where it cannot be had. */
  optional?: true;
  /** The slower program that is used where it cannot be had. */
  instead?: string;
}

/** A new line here is all it takes. */
const needed: Program[] = [
  { program: "git", debian: "git", for: "work on repositories" },
  { program: "bwrap", debian: "bubblewrap", for: "the tests of the sandbox", optional: true },
  { program: "chromium", debian: "chromium", for: "the tests of the page", optional: true },
  // The same browser without what draws its own windows: two thirds of the processor time for each window. Not every distribution has it.
  {
    program: "chromium-headless-shell",
    debian: "chromium-headless-shell",
    for: "the tests of the page",
    instead: "chromium",
  },
  { program: "socat", debian: "socat", for: "the tests of the sandbox's network", optional: true },
];

export interface Machine {
  has(program: string): boolean;
  /** True if packages can be installed here without asking anyone. */
  mayInstall: boolean;
  /** Runs a command and shows its output; gives its exit code. */
  run(command: string, args: string[]): number;
  say(line: string): void;
}

/** Gives true when everything is there that cannot be done without. */
export function setUp(programs: readonly Program[], machine: Machine): boolean {
  const missing = () => programs.filter(({ program }) => !machine.has(program));
  const before = missing();
  if (before.length === 0) return true;
  const packagesOf = (wanted: Program[]) => [...new Set(wanted.map(({ debian }) => debian))];
  const packages = packagesOf(before);
  if (machine.mayInstall) {
    machine.say(`setup: installing ${packages.join(", ")}`);
    const options = ["-y", "--no-install-recommends", "-q"];
    // One by one: a package that this distribution does not have keeps none of the others away.
    if (machine.run("apt-get", ["update", "-q"]) === 0)
      for (const name of packages) machine.run("apt-get", ["install", ...options, name]);
  }
  const after = missing();
  for (const { program, for: use, optional, instead } of after)
    machine.say(
      `setup: ${program} is missing; ${use} ${instead ? `use ${instead}, which is slower` : optional ? "are left out" : "need it"}`,
    );
  if (after.length) machine.say(`setup: on Debian and Ubuntu: sudo apt-get install ${packagesOf(after).join(" ")}`);
  return after.every(({ optional, instead }) => optional || instead);
}

const here: Machine = {
  has: (program) =>
    (process.env.PATH ?? "").split(delimiter).some((folder) => folder !== "" && isProgram(join(folder, program))),
  mayInstall: process.platform === "linux" && process.getuid?.() === 0 && existsSync("/etc/debian_version"),
  run: (command, args) =>
    spawnSync(command, args, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } }).status ??
    1,
  say: (line) => console.error(line),
};

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) process.exitCode = setUp(needed, here) ? 0 : 1;
