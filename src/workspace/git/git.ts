/**
 * Runs git, and nothing but its own built-in commands: with a clean environment, without the user's and the system's settings, without hooks,
 * filters, drivers, file-system monitors and network. What it prints is plain ASCII for names (quote.ts).
 *
 * A program that fails is a Problem `storage_failed` with its last words.
 */
import type { Program, World } from "../../lib/world.ts";
import { diskErrorIn } from "../../schema/disk-error.ts";
import { Problem } from "../../schema/problem.ts";

export interface GitCall {
  /** GIT_DIR. */
  dir: string;
  /** GIT_WORK_TREE. */
  tree?: string;
  index?: string;
  /** Where it runs, if not in `dir`. */
  folder?: string;
  input?: string;
  /** A file for its output. Unlike `--output` of git this fails if not all of it could be written. */
  into?: string;
  env?: Record<string, string>;
  /** Settings besides ours. */
  config?: readonly string[];
  /** For the user's files: line endings, modes and links are on the disk as the repository's own config says. */
  theirs?: boolean;
  /** Characters of output; more is refused, or cut with `cut`. */
  most?: number;
  cut?: boolean;
}

export interface GitExit {
  code: number | null;
  output: string;
  errors: string;
  cut: boolean;
}

export interface Git {
  /** Its output. */
  run(args: readonly string[], call: GitCall): Promise<string>;
  /** Also of one that fails. */
  attempt(args: readonly string[], call: GitCall): Promise<GitExit>;
}

const settings = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.quotePath=true",
  "core.splitIndex=false",
  "core.fsync=all",
  "core.alternateRefsCommand=true",
  "checkout.workers=0",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.allow=never",
  "submodule.recurse=false",
];

/** How checkouts of ours are written. */
const ours = ["core.autocrlf=false", "core.fileMode=true", "core.symlinks=true"];

const clean = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin",
  HOME: "/nonexistent",
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ALLOW_PROTOCOL: "",
  GIT_FLUSH: "0",
};

const mostOutput = 64 * 1024 * 1024;

export function createGit(world: Pick<World, "processes">, tag: string, signal: AbortSignal): Git {
  let count = 0;

  async function attempt(args: readonly string[], call: GitCall): Promise<GitExit> {
    const { dir, tree, index, folder = dir, input = "", into, env = {}, config = [], theirs, most = mostOutput } = call;
    const given = [...settings, ...(theirs ? [] : ours), ...config].flatMap((setting) => ["-c", setting]);
    const command: Program["command"] = ["git", "--no-pager", ...given, ...args];
    const program: Program = {
      command:
        into === undefined ? command : ["/bin/sh", "-c", 'into=$1; shift; exec "$@" > "$into"', "sh", into, ...command],
      tag: `${tag}/git-${++count}`,
      folder,
      env: {
        ...clean,
        GIT_DIR: dir,
        ...(tree !== undefined && { GIT_WORK_TREE: tree }),
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
        ...env,
      },
      input,
      signal,
      output: 4_000,
    };
    const running = await world.processes.start(program).catch((error: NodeJS.ErrnoException) => {
      const why = error.code === "ENOENT" ? "git is not installed; install it" : error.message;
      throw new Problem("storage_failed", `git could not be started: ${why}`, {}, { cause: error });
    });
    running.close();
    let output = "";
    let cut = false;
    for await (const part of running.output) {
      output += part;
      cut = output.length > most;
      if (cut) break;
    }
    const { code, output: errors, signal: by } = await running.exit;
    signal.throwIfAborted();
    if (cut && !call.cut)
      throw new Problem("too_large", `git ${args[0]} has more to say than ${most} characters; the change is too large`);
    return { code: by === "SIGPIPE" && cut ? 0 : code, output, errors, cut };
  }

  return {
    attempt,
    async run(args, call) {
      const exit = await attempt(args, call);
      if (exit.code === 0 || exit.cut) return exit.output;
      throw gitFailed(args[0]!, exit);
    },
  };
}

/** With its last words, and what to do if they are about the disk. */
export function gitFailed(command: string, { code, errors }: Pick<GitExit, "code" | "errors">): Problem {
  const said = errors.trim().split("\n").slice(-3).join("; ") || code;
  const disk = diskErrorIn(errors);
  return disk
    ? new Problem("storage_failed", `git ${command} failed: ${said}; ${disk.what}, then try again`, {
        errno: disk.errno,
      })
    : new Problem("storage_failed", `git ${command} failed: ${said}`);
}
