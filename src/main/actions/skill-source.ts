/**
 * Where a new skill comes from: a folder, or a git repository at one commit.
 *
 * Git runs in an environment of ours: no config of the user or the system, no hooks, no submodules, no filters, no question for a password.
 * Only https, ssh and file are spoken. What it fetched is read like any folder (home/skill.ts) and then removed.
 */
import { join, resolve } from "node:path";
import { programTag } from "../../home/layout.ts";
import { readSkill, type Skill } from "../../home/skill.ts";
import { machine } from "../../lib/machine/index.ts";
import { stepsOf } from "../../lib/steps.ts";
import { Problem } from "../../schema/problem.ts";

export interface Found {
  skill: Skill;
  origin: string;
  commit?: string;
}

const fetchMs = 120_000;

/** `folder`, `URL#COMMIT` or `URL#COMMIT:folder/in/it`. Throws a Problem that says how to write it. */
export async function findSkill(home: string, given: string, env: Record<string, string | undefined>): Promise<Found> {
  const { files } = machine;
  const isUrl = /^[a-z][a-z0-9+.-]*:/i.test(given) || /^[\w.-]+@[\w.-]+:/.test(given);
  if (!isUrl) {
    const folder = resolve(given);
    const stat = await files.stat(folder);
    if (stat?.kind !== "folder")
      throw new Problem(
        "not_found",
        `${folder} ${stat ? "is not a folder" : "does not exist"}; give a folder with a SKILL.md, or URL#COMMIT`,
      );
    return { skill: await inWords(given, readSkill(files.within(folder))), origin: folder };
  }
  const { url, commit, inner } = parse(given);
  const folder = join(home, "skills", `.git-${machine.random.hex(6)}`);
  try {
    await files.makeDir(folder);
    await checkOut({ home, folder, url, commit, env });
    const skill = await inWords(given, readSkill(files.within(folder), inner));
    return { skill, origin: inner ? `${url} (${inner})` : url, commit };
  } finally {
    await files.remove(folder);
  }
}

export function parse(given: string): { url: string; commit: string; inner: string } {
  const at = given.indexOf("#");
  const url = at < 0 ? given : given.slice(0, at);
  const [commit = "", ...rest] = at < 0 ? [] : given.slice(at + 1).split(":");
  if (!/^(https|ssh|file):\/\/[^-]/.test(url) && !/^[\w.]+@[\w][\w.-]*:[^-:]/.test(url))
    throw new Problem("invalid", `skills cannot be fetched from ${url}; use https://, ssh:// or file://`);
  if (/^https:\/\/[^/]*@/.test(url))
    throw new Problem(
      "invalid",
      "the URL contains a user name or password, which would be stored; remove it, or use ssh://",
    );
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(commit))
    throw new Problem(
      "invalid",
      `a skill is added at a fixed commit, but ${commit ? `${JSON.stringify(commit)} is not a full commit id` : "none was given"}: use ${url}#COMMIT with all 40 digits (git ls-remote ${url} lists them)`,
    );
  const inner = rest.join(":").replace(/\/+$/, "");
  try {
    stepsOf(inner);
  } catch (error) {
    throw new Problem("invalid", (error as Error).message);
  }
  return { url, commit, inner };
}

interface CheckOut {
  home: string;
  folder: string;
  url: string;
  commit: string;
  env: Record<string, string | undefined>;
}

async function checkOut({ home, folder, url, commit, env }: CheckOut): Promise<void> {
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
      tag: `${programTag(home)}skill/`,
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

async function inWords(given: string, reading: Promise<Skill>): Promise<Skill> {
  return reading.catch((error) => {
    throw error instanceof Problem ? new Problem(error.code, `${given} cannot be added: ${error.message}`) : error;
  });
}
