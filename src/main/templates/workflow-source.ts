/**
 * The workflow that a person names: a file, a workflow of the home by its name, or a file in a git repository at one commit. The file is read here,
 * where the person is; which file has a name is the daemon's to say.
 */
import { dirname, join, resolve } from "node:path";
import type { Client } from "../../client/index.ts";
import { parseWorkflow, type Usable, type WorkflowInput } from "../../home/workflow-file.ts";
import { printOf } from "../../lib/json/print.ts";
import { machine } from "../../lib/machine/index.ts";
import { Problem } from "../../schema/problem.ts";
import { checkOutAt, isUrl, parseGitSource } from "../actions/git-source.ts";
import { isWorkflowFile, readWorkflowFile } from "./workflows.ts";

export interface NamedWorkflow {
  usable: Usable;
  source: NonNullable<WorkflowInput["source"]>;
  foreign?: Foreign;
}

/** Somebody else's text, which a person must have seen. */
export interface Foreign {
  origin: string;
  commit: string;
  hash: string;
  text: string;
}

const mostBytes = 262_144;

type Env = Record<string, string | undefined>;

/** Undefined for a name. Throws `not_found` or `invalid`, with the place. */
export async function readNamed(given: string, home: string, env: Env): Promise<NamedWorkflow | undefined> {
  if (isUrl(given)) return await fetchWorkflow(given, home, env);
  return isWorkflowFile(given) ? await readFile(given, home) : undefined;
}

async function readFile(path: string, home: string): Promise<NamedWorkflow> {
  const usable = await readWorkflowFile(path);
  const folder = dirname(resolve(path));
  const commit = usable.usesCommit ? await commitIn(folder, home) : {};
  return { usable, source: { folder, ...commit } };
}

/** The workflow of this name in the home, or of those that come with Agiraph. */
export async function findNamed(
  given: string,
  home: string,
  client: Pick<Client, "listWorkflows">,
): Promise<NamedWorkflow> {
  const { items } = await client.listWorkflows();
  const found = items.find(({ name }) => name === given);
  if (!found)
    throw new Problem(
      "not_found",
      `there is no workflow ${given}; workflows: ${items.map(({ name }) => name).join(", ") || "none"}. A file ends in .yaml`,
    );
  return await readFile(found.path, home);
}

async function fetchWorkflow(given: string, home: string, env: Env): Promise<NamedWorkflow> {
  const { files, random } = machine;
  const { url, commit, inner } = parseGitSource(given, "workflow");
  if (!isWorkflowFile(inner))
    throw new Problem("invalid", `name the file in the repository: ${url}#${commit}:path/to/workflow.yaml`);
  const folder = join(home, `.fetch-${random.hex(6)}`);
  try {
    await files.makeDir(folder);
    await checkOutAt({ home, folder, url, commit, env });
    const content = await files.within(folder).read(inner, mostBytes);
    if (!content) throw new Problem("not_found", `there is no file ${inner} in ${url} at ${commit}`);
    const text = content.toString();
    const name = inner
      .split("/")
      .at(-1)!
      .replace(/\.ya?ml$/, "");
    const usable = parseWorkflow(text, `${url}#${commit}:${inner}`, name);
    if (usable.folder !== undefined)
      throw new Problem(
        "invalid",
        `${inner} binds a folder (context), which only a file of your own can; copy it first`,
      );
    const foreign = { origin: `${url} (${inner})`, commit, hash: `sha256:${printOf(text)}`, text };
    return { usable, source: { folder: url, commit }, foreign };
  } finally {
    await files.remove(folder);
  }
}

/** The commit of the repository that the file lies in, if there is one. */
async function commitIn(folder: string, home: string): Promise<{ commit?: string }> {
  const env = { PATH: process.env.PATH ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", GIT_OPTIONAL_LOCKS: "0" };
  const command = ["git", "-C", folder, "-c", "safe.directory=*", "rev-parse", "--verify", "-q", "HEAD"] as [
    string,
    ...string[],
  ];
  const signal = AbortSignal.timeout(5_000);
  const { code, output } = await machine.processes
    .run({ command, tag: `${home}/commit`, folder, env, output: 200, alone: true, signal })
    .catch(() => ({ code: 1, output: "" }));
  return code === 0 && /^[0-9a-f]{40,64}$/.test(output.trim()) ? { commit: output.trim() } : {};
}

/** The repository that the person is in: where setup steps have something to look at. */
export async function repositoryAbove(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await machine.files.stat(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}
