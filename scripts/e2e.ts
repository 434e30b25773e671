/**
 * npm run e2e: what a stranger gets. Builds, packs, installs the tarball in an empty folder with the system's own Node, and uses it there: the
 * demo, the page, a team over a model on loopback, the library. A part of `npm test`. Packages come from npm's cache if they are in it.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isSafeSqlite, safeNodes } from "../src/search/sqlite-version.ts";
import { startModelServer } from "../test/model-server.ts";
import { locked, pack } from "./package.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "agiraph-e2e-"));
/** Without the Node of this repository: the program has to find its own. */
const PATH = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((one) => !one.includes("node_modules"))
  .join(delimiter);
const model = await startModelServer([{ calls: [{ tool: "finish", input: { summary: "It is done." } }] }]);
/** Nothing of ours, and nobody to ask but the model of this script. */
const clean = { PATH, HOME: folder, TMPDIR: tmpdir(), NO_COLOR: "1", OLLAMA_HOST: "127.0.0.1:1" };
const keyed = { ...clean, ANTHROPIC_API_KEY: "sk-e2e-0123456789", ANTHROPIC_BASE_URL: model.url };

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function run(cwd: string, env: NodeJS.ProcessEnv, command: string, ...args: string[]): Promise<Ended> {
  const began = performance.now();
  const child = spawn(command, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const ended: Ended = { code: null, out: "", err: "" };
  child.stdout.on("data", (bytes) => (ended.out += bytes));
  child.stderr.on("data", (bytes) => (ended.err += bytes));
  return new Promise((resolve) =>
    child.on("close", (code) => {
      console.log(`$ ${command} ${args.join(" ")}   (${((performance.now() - began) / 1000).toFixed(1)} s)`);
      resolve({ ...ended, code });
    }),
  );
}
const npx = (env: NodeJS.ProcessEnv, ...args: string[]) => run(folder, env, "npx", "agiraph", ...args);

function expect(what: string, holds: boolean, seen?: Ended): void {
  console.log(`  ${holds ? "✓" : "✕"} ${what}`);
  if (holds) return;
  process.exitCode = 1;
  if (seen) console.log(`${seen.out}${seen.err}`.replace(/^/gm, "    "));
}

/** Throws, because nothing after it makes sense. */
async function must(ending: Promise<Ended>): Promise<Ended> {
  const ended = await ending;
  if (ended.code !== 0) throw new Error(`it ended with ${ended.code}:\n${ended.out}${ended.err}`);
  return ended;
}

async function page(): Promise<boolean> {
  const up = await npx(clean, "up", "-d", "--port", "0");
  const url = /http:\/\/\S+/.exec(up.out)?.[0];
  const html = await (await fetch(`${url}/app`)).text();
  const files = [...html.matchAll(/(?:src|href)="(\/app\/[^"]+)"/g)].map(([, path]) => path!);
  const found = await Promise.all(files.map(async (path) => (await fetch(url + path)).status === 200));
  return found.length > 1 && found.every(Boolean);
}

const program = `import { defineTool, Problem, team, z } from "agiraph";
defineTool({ name: "dice", about: "Throws a die", effect: "reads", input: z.object({}), run: () => ({ text: "4" }) });
const given = { goal: "say it", home: "library-home" };
const { answer } = await team(given).catch((error) => ({ answer: error instanceof Problem ? error.message : error.stack }));
console.log(answer);
`;

async function library(): Promise<void> {
  writeFileSync(join(folder, "program.mjs"), program);
  const seen = await run(folder, clean, "node", "-p", "JSON.stringify(process.versions)");
  const { node: version, sqlite = "0" } = JSON.parse(seen.out) as Record<string, string>;
  const mine = await run(folder, keyed, "node", "program.mjs");
  const wanted = isSafeSqlite(sqlite) ? "It is done." : `${safeNodes}, and this is ${version}`;
  expect(`the library on Node ${version}: ${wanted}`, mine.code === 0 && mine.out.includes(wanted), mine);
  const newest = await run(folder, keyed, process.execPath, "program.mjs");
  expect(`the library on ${process.version} runs a team`, newest.out.trim() === "It is done.", newest);
}

try {
  await must(run(root, process.env, "npm", "run", "--silent", "build"));
  const tarball = pack(folder);
  // With npm's own settings, and no others: where packages come from and where they are kept.
  const { npm_config_userconfig: _u, npm_config_globalconfig: _g, ...outer } = process.env;
  const install = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel", "error"];
  await must(run(folder, { ...outer, PATH }, "npm", ...install, `./${basename(tarball)}`));

  const installed = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const ours = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const wanted = { ...locked(ours), ...locked(ours, "optional") };
  const others = Object.entries({ ...locked(installed), ...locked(installed, "optional") }).filter(
    ([name, version]) => name !== "agiraph" && wanted[name] !== version,
  );
  expect(
    `all packages are those that the tests ran with${others.length ? `, not ${others.join(" ")}` : ""}`,
    !others.length,
  );

  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const said = await npx(clean, "--version");
  expect("it says its version", said.out.trim() === version, said);
  const demo = await npx(clean, "demo", "--speed", "50");
  expect("the demo says that it is a simulation", demo.out.startsWith("Simulation without a model"), demo);
  const output = readFileSync(join(folder, ".agiraph/agents/demo/runs/r1/_output.md"), "utf8");
  expect("the demo leaves an answer", output.startsWith("# PostgreSQL"));
  expect("the page and all that it names are served", await page());
  const work = await npx(keyed, "run", "say it");
  expect(
    "a key that is set later is used, and a goal is reached",
    work.code === 0 && work.out.includes("It is done."),
    work,
  );
  const down = await npx(clean, "down");
  expect("the daemon ends", down.code === 0, down);
  mkdirSync(join(folder, "library-home"), { mode: 0o700 });
  await library();
} finally {
  await run(folder, clean, "npx", "agiraph", "down").catch(() => undefined);
  await model.close();
  rmSync(folder, { recursive: true, force: true });
}
