/**
 * Finds installed CLIs: on the PATH or where the config says, in which version, and whether it is logged in. The result contains no secret.
 *
 * A program is only asked for its version, never for anything that reaches its provider.
 */
import { delimiter, isAbsolute, join } from "node:path";
import { anySignal } from "../../lib/time/abort.ts";
import type { Exit, World } from "../../lib/world.ts";
import type { Cli, Login } from "../driver.ts";
import type { Version, Versions } from "./versions.ts";

export interface FindOptions {
  world: Pick<World, "clock" | "files" | "processes">;
  /** As main got it. */
  env: Readonly<Record<string, string | undefined>>;
  home: string;
  /** Its path from the config, instead of on the PATH. */
  file?: string | undefined;
  /** The tag of the process that prints its version. */
  tag: string;
  signal: AbortSignal;
  /** Where versions are remembered; without it the program is asked each time. */
  versions?: Versions | undefined;
}

/** How many were asked for their version in this process. */
let asked = 0;

/** How long a program may take to print its version. */
const patienceMs = 20_000;

export type CliState =
  | { state: "missing"; why: string }
  | { state: "broken"; file: string; why: string }
  | {
      state: "here";
      file: string;
      version: string;
      /** Why this version is not known to work; missing if it is. */
      doubt?: string;
      login: Login["state"];
      /** Shown when the login is missing. */
      hint?: string;
    };

export async function findCli(cli: Cli, options: FindOptions): Promise<CliState> {
  const { world, env, home, signal } = options;
  const file = await fileOf(cli, options);
  if (!file)
    return {
      state: "missing",
      why: options.file ? `there is no program at ${options.file}` : `${cli.binary} is not on the PATH`,
    };
  const ask = () => askVersion(cli, file, options);
  const { version, why } = await (options.versions ? options.versions.of(await markOf(file, options), ask) : ask());
  if (version === undefined) return { state: "broken", file, why };
  signal.throwIfAborted();
  const login = (await cli.login({ files: world.files, home, env })).state;
  const doubt = doubtOf(cli, version);
  return {
    state: "here",
    file,
    version,
    login,
    ...(doubt && { doubt }),
    ...(login === "none" && { hint: cli.loginHint }),
  };
}

/** The file that would be run. Whether it can be run is tested by asking for its version. */
export async function fileOf(
  cli: Pick<Cli, "binary">,
  { world, env, file }: { world: { files: Pick<World["files"], "stat"> } } & Pick<FindOptions, "env" | "file">,
): Promise<string | undefined> {
  if (file) return isAbsolute(file) && (await world.files.stat(file)) ? file : undefined;
  if (cli.binary.includes("/")) return (await world.files.stat(cli.binary)) ? cli.binary : undefined;
  for (const folder of (env.PATH ?? "").split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const here = join(folder, cli.binary);
    const found = await world.files.stat(here);
    // Package managers install a link to the program.
    if (found && found.kind !== "folder") return here;
  }
  return undefined;
}

/** Another one when the file was replaced. What a link leads to may change all the same, so a version is not remembered for long. */
async function markOf(file: string, { world }: FindOptions): Promise<string> {
  const found = await world.files.stat(file);
  return `${file} ${found?.size} ${found?.changed}`;
}

async function askVersion(cli: Cli, file: string, options: FindOptions): Promise<Version> {
  const { code, output } = await printVersion(cli, file, options);
  const version = /\d{1,9}\.\d{1,9}(?:\.\d{1,9})?[\w.-]{0,40}/.exec(output)?.[0];
  if (code === 0 && version) return { version };
  const words = output.trim().slice(-500).toWellFormed() || `exit code ${code}`;
  return { why: `${file} ${cli.versionArgs.join(" ")} did not print a version: ${words}` };
}

async function printVersion(cli: Cli, file: string, options: FindOptions): Promise<Exit> {
  const { world, env, home, tag, signal } = options;
  const late = new AbortController();
  const cancel = world.clock.after(patienceMs, () => late.abort());
  const stop = anySignal(signal, late.signal);
  try {
    return await world.processes.run({
      command: [file, ...cli.versionArgs],
      // Its own: whatever carries the tag of a program ends with it.
      tag: `${tag}/${++asked}`,
      folder: "/",
      env: { PATH: env.PATH ?? "", HOME: home, DISABLE_AUTOUPDATER: "1" },
      signal: stop.signal,
      output: 2_000,
      alone: true,
    });
  } catch (error) {
    return { code: null, output: error instanceof Error ? error.message : String(error) };
  } finally {
    cancel();
    stop.release();
  }
}

function doubtOf({ tested }: Cli, version: string): string | undefined {
  if (!tested) return "no version was tested";
  const { from, to } = tested;
  const isOlder = compareVersions(version, from) < 0;
  if (!isOlder && compareVersions(version, to) <= 0) return undefined;
  return `${isOlder ? "older" : "newer"} than what was tested: ${from === to ? from : `${from} to ${to}`}`;
}

/** Numerically; a pre-release comes before its release. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => {
    const [numbers = "", rest] = version.split(/-(.*)/s);
    return [...numbers.split(".").map((part) => Number.parseInt(part, 10) || 0), 0, 0]
      .slice(0, 3)
      .concat(rest ? -1 : 0);
  }) as [number[], number[]];
  for (const [index, number] of a.entries()) if (number !== b[index]) return number - b[index]!;
  return 0;
}
