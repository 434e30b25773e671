/**
 * A git repository at one commit, for what people take over from others: skills, workflows.
 *
 * Git runs in an environment of ours: no config of the user or the system, no hooks, no submodules, no filters, no question for a password.
 * Only https, ssh and file are spoken.
 */
import { programTag } from "../../home/layout.ts";
import { stepsOf } from "../../lib/files/steps.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";

const fetchMs = 120_000;

export interface GitSource {
  url: string;
  commit: string;
  /** A path in the repository; empty for its root. */
  inner: string;
}

/** An address rather than a path. */
export const isUrl = (given: string): boolean => /^[a-z][a-z0-9+.-]*:/i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given);

/** `URL#COMMIT` or `URL#COMMIT:path/in/it`. Throws a Problem that says how to write it; `what` is what is fetched. */
export function parseGitSource(given: string, what: string): GitSource {
  const at = given.indexOf("#");
  const url = at < 0 ? given : given.slice(0, at);
  const [commit = "", ...rest] = at < 0 ? [] : given.slice(at + 1).split(":");
  if (!/^(https|ssh|file):\/\/[^-]/.test(url) && !/^[\w.]+@[\w][\w.-]*:[^-:]/.test(url))
    throw new Problem("invalid", `a ${what} cannot be fetched from ${url}; use https://, ssh:// or file://`);
  if (/^https:\/\/[^/]*@/.test(url))
    throw new Problem(
      "invalid",
      "the URL contains a user name or password, which would be stored; remove it, or use ssh://",
    );
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
    throw new Problem(
      "invalid",
      `a ${what} is taken at a fixed commit, but ${commit ? `${JSON.stringify(commit)} is not a full commit id` : "none was given"}: use ${url}#COMMIT with all 40 digits (git ls-remote ${url} lists them)`,
    );
  const inner = rest.join(":").replace(/\/+$/, "");
  try {
    stepsOf(inner);
  } catch (error) {
    throw new Problem("invalid", (error as Error).message);
  }
  return { url, commit, inner };
}

export interface CheckOut extends Pick<GitSource, "url" | "commit"> {
  home: string;
  folder: string;
  env: Record<string, string | undefined>;
}

/** Into a folder that is there and empty. Throws `unreachable`. */
export async function checkOutAt({ home, folder, url, commit, env }: CheckOut): Promise<void> {
  const ssh = !/^(https|file):/.test(url);
  const passed = [
    "PATH",
    "LANG",
    "https_proxy",
    "HTTPS_PROXY",
    "no_proxy",
    "NO_PROXY",
    ...(ssh ? ["SSH_AUTH_SOCK"] : []),
  ];
  const own: Record<string, string> = {
    // ssh finds its keys and the hosts it knows there; nobody else is told.
    HOME: ssh ? (env.HOME ?? folder) : folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
    GIT_ALLOW_PROTOCOL: "https:ssh:file",
    GIT_LFS_SKIP_SMUDGE: "1",
  };
  const given = Object.fromEntries(passed.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const late = AbortSignal.timeout(fetchMs);
  const settings = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "submodule.recurse=false",
    "credential.helper=",
  ];

  async function git(...args: string[]): Promise<{ fine: boolean; said: string }> {
    const command = ["git", ...settings.flatMap((one) => ["-c", one]), ...args] as [string, ...string[]];
    const program = {
      command,
      tag: `${programTag(home)}fetch/`,
      folder,
      env: { ...given, ...own },
      output: 4000,
      alone: true,
    };
    const { code, output } = await machine.processes.run({ ...program, signal: late }).catch((error) => {
      throw new Problem("not_offered", `cannot run git: ${(error as Error).message}`);
    });
    return { fine: code === 0, said: late.aborted ? `it took longer than ${fetchMs / 1000} s` : output.trim() };
  }

  async function must(...args: string[]): Promise<void> {
    const { fine, said } = await git(...args);
    if (!fine)
      throw new Problem(
        "unreachable",
        `git could not fetch ${commit} from ${url}: ${said.split("\n").slice(-3).join(" ")}`,
      );
  }

  await must("init", "--quiet", "--template=");
  const from = ["--quiet", "--no-tags", "--no-recurse-submodules"];
  const { fine } = await git("fetch", ...from, "--depth=1", "--", url, commit);
  // Some servers give out branches only.
  if (!fine) await must("fetch", ...from, "--", url, "+refs/heads/*:refs/fetched/*");
  await must("checkout", "--quiet", "--detach", "--no-recurse-submodules", commit);
}
