/**
 * The program laid out as it is published (bin/, dist/, examples/), in a folder of its own and made of the sources as they are now. Tests start this
 * one: a start from the sources takes half as long again, for the thousand files to find, read and strip of types. Its dependencies are inside of
 * it for the same reason; the package itself, with them outside, is started by scripts/e2e.ts.
 *
 * Built by whoever needs it first, once for each state of the sources. The folder is named after that state, so nothing stale is ever started.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Inside node_modules, so that its dependencies are found as those of any package are. */
const place = join(root, "node_modules/.cache/agiraph-test");
const sources = [
  "bin",
  "src",
  "examples",
  "package.json",
  "package-lock.json",
  "tsdown.config.ts",
  "test/built.ts",
  "test/crash",
  "test/home-server.ts",
  "test/scenarios/person.ts",
  "test/repository/program.ts",
];

function build(folder: string): void {
  mkdirSync(place, { recursive: true });
  if (isBuiltByAnother(folder)) return;
  forgetOld();
  const draft = mkdtempSync(join(place, "draft-"));
  execFileSync(process.execPath, ["--input-type=module", "--eval", bundle, join(draft, "dist")], { cwd: root });
  for (const name of ["bin", "examples", "package.json"])
    cpSync(join(root, name), join(draft, name), { recursive: true });
  // The page has a build of its own (scripts/web.ts), which the tests that need it call.
  symlinkSync(join(root, "dist/web"), join(draft, "dist/web"));
  if (existsSync(folder)) rmSync(draft, { recursive: true });
  else renameSync(draft, folder);
}

/** The workers of a run begin together: all but the first wait for it, though not for one that died. */
function isBuiltByAnother(folder: string): boolean {
  try {
    mkdirSync(`${folder}.begun`);
    return false;
  } catch {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; tries < 600 && !existsSync(folder); tries++) Atomics.wait(pause, 0, 0, 100);
    return existsSync(folder);
  }
}

/** The model of meaning reads files that lie beside its code. */
const bundle = `
  import { build } from "tsdown";
  import config from "./tsdown.config.ts";
  const inside = { noExternal: [/^(?!@energetic-ai|@tensorflow)/], inlineOnly: false };
  const tests = { "crash-child": "test/crash/child.ts", "home-server": "test/home-server.ts", person: "test/scenarios/person.ts", mortal: "test/repository/program.ts" };
  const entry = { ...config.entry, ...tests };
  await build({ ...config, ...inside, entry, config: false, outDir: process.argv[1], logLevel: "error" });
`;

/** What nobody has started for a day: a run that is still under way may use an older one. */
function forgetOld(): void {
  for (const name of readdirSync(place)) {
    const path = join(place, name);
    if (Date.now() - statSync(path).mtimeMs > 24 * 3_600_000) rmSync(path, { recursive: true, force: true });
  }
}

/** Of everything the program is made of. Tests and the page are not. */
function state(): string {
  const hash = createHash("sha256");
  const add = (path: string): void => {
    const { mtimeMs, size } = statSync(join(root, path));
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  };
  for (const source of sources) {
    if (!statSync(join(root, source)).isDirectory()) add(source);
    else
      for (const entry of readdirSync(join(root, source), { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name).slice(root.length);
        if (entry.isFile() && !/\.test(-help)?\.tsx?$|^src\/web\//.test(path)) add(path);
      }
  }
  return hash.digest("hex").slice(0, 16);
}

const folder = join(place, state());
if (!existsSync(folder)) build(folder);
/** The path of the program. */
export const bin = join(folder, "bin/agiraph.mjs");
/** The library, as whoever installed the package imports it. */
export const library = join(folder, "dist/index.mjs");
/** What the program runs, for the process that imports it. */
export const program = join(folder, "dist/main.mjs");
/** The process that the crash tests kill (crash/child.ts). */
export const crashChild = join(folder, "dist/crash-child.mjs");
/** The daemon for the process that imports it (home-server.ts). */
export const homeServer = join(folder, "dist/home-server.mjs");
/** The house that a scenario talks to (scenarios/person.ts). */
export const person = join(folder, "dist/person.mjs");
/** The program, killed where it is told to (repository/program.ts). */
export const mortal = join(folder, "dist/mortal.mjs");
