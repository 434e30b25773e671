/**
 * node scripts/clis.ts [--all]: installs the agent CLIs that test/clis drives, in pinned versions, into a cache of their own. They are hundreds of megabytes
 * each and never a dependency. What is there is left as it is.
 *
 * `npm test` drives Claude Code and Codex if they are installed; `--all` installs those of the long form as well.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

interface Package {
  version: string;
  binary: string;
  /** What it runs after its installation to put its binary in place: no other script of a package is run. */
  script?: string;
  /** Not in the usual tests. */
  long?: true;
}

/** The newest that are old enough (`min-release-age`) and run on every Node that we do. */
const packages: Record<string, Package> = {
  "@anthropic-ai/claude-code": { version: "2.1.197", binary: "claude", script: "install.cjs" },
  "@openai/codex": { version: "0.160.0", binary: "codex" },
  "opencode-ai": { version: "1.18.33", binary: "opencode", script: "postinstall.mjs", long: true },
  "@google/gemini-cli": { version: "0.61.0", binary: "gemini", long: true },
};

/** Each package in each version has a folder of its own. AGIRAPH_CLIS names another cache. */
function folderOf(name: string, { version }: Package): string {
  const cache =
    process.env.AGIRAPH_CLIS || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "agiraph/clis");

  return join(cache, `${name.replace(/\W+/g, "-").replace(/^-/, "")}-${version}`);
}

/** By the name of the program. */
export const pinnedVersions: Record<string, string> = Object.fromEntries(
  Object.values(packages).map(({ binary, version }) => [binary, version]),
);

/** The program, or undefined if it is not installed. */
export function installedCli(binary: string): string | undefined {
  for (const [name, one] of Object.entries(packages)) {
    const file = join(folderOf(name, one), "node_modules/.bin", binary);
    if (one.binary === binary && existsSync(file)) return file;
  }
  return undefined;
}

function install(name: string, one: Package): void {
  const folder = folderOf(name, one);
  if (installedCli(one.binary)) return void console.log(`${name} ${one.version} is there: ${folder}`);
  // Under another name until it is whole.
  const draft = `${folder}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  try {
    writeFileSync(
      join(draft, "package.json"),
      JSON.stringify({ private: true, dependencies: { [name]: one.version } }),
    );
    copyFileSync(new URL("../.npmrc", import.meta.url), join(draft, ".npmrc"));
    run("npm", ["install", "--no-package-lock"], draft);
    if (one.script) run(process.execPath, [join("node_modules", name, one.script)], draft);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(dirname(folder), { recursive: true });
    renameSync(draft, folder);
    console.log(`${name} ${one.version} is installed: ${folder}`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function run(command: string, args: string[], cwd: string): void {
  const { status } = spawnSync(command, args, { cwd, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed in ${cwd}`);
}

if (import.meta.main) {
  for (const [name, one] of Object.entries(packages))
    if (!one.long || process.argv.includes("--all")) install(name, one);
}
