/**
 * The user's repository: where its parts are, found without running anything of it.
 *
 * A `.git` file is followed only if the repository it names points back to it, as a worktree of git does, and no link is: a folder that someone
 * else made cannot lead us into another repository of the user's. Refused, with the reason: a repository whose objects are in part elsewhere
 * (`alternates`, links, a partial clone), and one without a commit.
 */
import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Files } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import type { Git } from "./git.ts";

export interface UserRepository {
  /** The folder that the user gave. */
  folder: string;
  /** GIT_DIR. */
  dir: string;
  /** The same, unless the folder is a worktree of another one. */
  common: string;
  objects: string;
  bare: boolean;
  /** Commits whose history is missing (a shallow clone), as git lists them. */
  shallow: string;
}

/** Null if the folder is no repository. */
export async function findRepository(files: Files, folder: string): Promise<UserRepository | null> {
  const git = join(folder, ".git");
  const there = await files.stat(git);
  const bare = !there && (await looksLike(files, folder));
  if (!there && !bare) return null;
  const dir = bare ? folder : there!.kind === "folder" ? git : await worktreeOf(files, git);
  const common = await commonOf(files, dir, folder);
  if (!(await looksLike(files, common))) return null;
  const objects = join(common, "objects");
  const link = await findLink(files, objects);
  if (link !== undefined)
    throw refuse(folder, `has a link among its objects (${link}); make a clone with its own objects`);
  if (await files.stat(join(objects, "info", "alternates")))
    throw refuse(
      folder,
      "shares objects with another repository (objects/info/alternates); make a clone with its own objects",
    );
  const config = (await text(files, join(common, "config"))) ?? "";
  if (config.split("\n").some((line) => /^(partialclone|promisor)\b/i.test(line.trim())))
    throw refuse(folder, "is a partial clone, so some of its objects are missing; make a full clone");
  return { folder, dir, common, objects, bare, shallow: (await text(files, join(common, "shallow"))) ?? "" };
}

/** Which commit HEAD names, and its branch. */
export async function headOf(
  git: Git,
  { dir, folder }: UserRepository,
): Promise<{ version: string; branch: string | null }> {
  const head = await git.attempt(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { dir });
  if (head.code !== 0) throw refuse(folder, "has no commit yet; make one, then start again");
  const branch = await git.attempt(["symbolic-ref", "--quiet", "HEAD"], { dir });
  const [, name = null] = /^refs\/heads\/(.+)\n$/.exec(branch.output) ?? [];
  return { version: head.output.trim(), branch: name };
}

async function worktreeOf(files: Files, git: string): Promise<string> {
  const [, said] = /^gitdir: (.+)\n?$/.exec((await text(files, git)) ?? "") ?? [];
  const dir = said === undefined ? undefined : isAbsolute(said) ? said : resolve(dirname(git), said);
  const back = dir && (await text(files, join(dir, "gitdir")))?.trim();
  if (dir && back && resolve(dir, back) === git) return dir;
  throw refuse(dirname(git), "has a .git file that names a repository which does not know this folder as a worktree");
}

/** Of a worktree the repository in whose `worktrees` it is kept. */
async function commonOf(files: Files, dir: string, folder: string): Promise<string> {
  const said = (await text(files, join(dir, "commondir")))?.trim();
  if (!said) return dir;
  const common = resolve(dir, said);
  if (dirname(dir) === join(common, "worktrees")) return common;
  throw refuse(folder, "says that its objects are in another one, of which it is not a worktree");
}

async function findLink(files: Files, objects: string): Promise<string | undefined> {
  for (const { name, kind } of await files.list(objects)) {
    const found = kind === "folder" ? await files.list(join(objects, name)) : [];
    const other = kind === "other" ? name : found.find((entry) => entry.kind === "other")?.name;
    if (other !== undefined) return join(objects, kind === "other" ? "" : name, other);
  }
  return undefined;
}

const looksLike = async (files: Files, dir: string): Promise<boolean> =>
  (await files.stat(join(dir, "HEAD")))?.kind === "file" &&
  (await files.stat(join(dir, "objects")))?.kind === "folder" &&
  (await files.stat(join(dir, "refs")))?.kind === "folder";

async function text(files: Files, path: string): Promise<string | undefined> {
  const stat = await files.stat(path);
  if (stat?.kind !== "file" || stat.size > 4_000_000) return undefined;
  return (await files.read(path))?.toString();
}

const refuse = (folder: string, why: string): Problem => new Problem("wrong_state", `${folder} ${why}`);
