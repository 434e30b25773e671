/**
 * What has to be typed to start this very program again, by whoever reads what we print (lib/command-line.ts).
 *
 * `agiraph` if the shell finds us under that name; `npx agiraph` where npx does: in a folder of the clone or of a project that has the package, or if
 * npx fetched us; else the whole path. How we were started does not matter, but the folders that npm puts on the PATH of what it starts do not
 * count: the user's shell does not have them. Whoever reads a page or a mail is in no folder that we know, so theirs is never npx for a folder's sake.
 */
import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, sep } from "node:path";
import { shellWord } from "../../lib/command-line.ts";
import { binPath } from "./bin-path.ts";

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Where our bin/agiraph.mjs really is. */
  program: string;
  platform: NodeJS.Platform;
  /** Where a path leads in the end, if there is something. */
  real(path: string): string | undefined;
  read(path: string): string | undefined;
}

/** For whoever reads it in the terminal where we were started. `home` is what was said with --home. */
export function commandHere(around: Surroundings, home?: string): string {
  return withHome(isFoundByNpx(around) && !isOnPath(around) ? "npx agiraph" : anywhere(around), home);
}

/**
 * For whoever reads it elsewhere on this machine. A home that was come upon is not named: who names a home trusts it (home/trust.ts), and nobody is to
 * do that by typing what we print. It is come upon again from its folder.
 */
export function commandAnywhere(around: Surroundings, home: string, wasComeUpon: boolean): string {
  if (wasComeUpon) return `cd ${shellWord(dirname(home))} && ${anywhere(around)}`;
  return withHome(anywhere(around), home === join(homedir(), ".agiraph") ? undefined : home);
}

function anywhere(around: Surroundings): string {
  if (isOnPath(around)) return "agiraph";
  const fetched = fetchedByNpx(around);
  if (fetched) return `npx ${fetched}`;
  return `${around.platform === "win32" ? "node " : ""}${shellWord(around.program)}`;
}

const withHome = (words: string, home: string | undefined): string =>
  home === undefined ? words : `${words} --home ${shellWord(home)}`;

const inNodeModules = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

function isOnPath({ env, ...around }: Surroundings): boolean {
  const ofNpm = env.npm_command !== undefined || env.npm_lifecycle_event !== undefined;
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter((folder) => folder);
  // The first one is what the shell takes.
  const first = folders
    .filter((folder) => !(ofNpm && inNodeModules.test(folder)))
    .find((folder) => has(folder, around));
  return first !== undefined && leadsToUs(first, around);
}

/** As npx looks: in the package that we are in, then in each node_modules from here up. */
function isFoundByNpx(around: Surroundings): boolean {
  let isOutermost = true;
  for (let folder = around.cwd; ; folder = dirname(folder)) {
    if (isOutermost && around.real(join(folder, "package.json")) !== undefined) {
      if (around.real(join(folder, "bin", "agiraph.mjs")) === around.program) return true;
      isOutermost = false;
    }
    const links = join(folder, "node_modules", ".bin");
    if (has(links, around)) return leadsToUs(links, around);
    if (folder === dirname(folder)) return false;
  }
}

type Found = Pick<Surroundings, "program" | "platform" | "real">;

const names = ({ platform }: Found): string[] => (platform === "win32" ? ["agiraph.cmd", "agiraph"] : ["agiraph"]);
const has = (folder: string, around: Found): boolean =>
  names(around).some((name) => around.real(join(folder, name)) !== undefined);
/** A link leads to the file itself; a script that calls it (pnpm, Windows) is not a link, and is taken for ours. */
const leadsToUs = (folder: string, around: Found): boolean =>
  names(around).some((name) => {
    const found = around.real(join(folder, name));
    return found !== undefined && (found === around.program || basename(found) !== basename(around.program));
  });

/** `agiraph` or `agiraph@1.2`, if we lie where npx keeps what it was asked for by that name. */
function fetchedByNpx({ program, read }: Surroundings): string | undefined {
  const [, folder] = /^(.*[\\/]_npx[\\/][^\\/]+)[\\/]node_modules[\\/]/.exec(program) ?? [];
  const text = folder && read(join(folder, "package.json"));
  if (!text) return undefined;
  const packages = (JSON.parse(text) as { _npx?: { packages?: string[] } })._npx?.packages ?? [];
  return packages.length === 1 && /^agiraph(@[\w.^~-]+)?$/.test(packages[0]!) ? packages[0] : undefined;
}

export const surroundings = (): Surroundings => ({
  env: process.env,
  cwd: attempt(() => process.cwd()) ?? sep,
  program: realpathSync(binPath()),
  platform: process.platform,
  real: (path) => attempt(() => realpathSync(path)),
  read: (path) => attempt(() => readFileSync(path, "utf8")),
});

function attempt<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined; // not there, or not for us
  }
}
