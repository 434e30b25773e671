/**
 * Whether the user's checkout can be brought from one version to another: nothing is under way there, no local change is in the way, and no filter is.
 * Tried on a copy of its index; nothing of it is changed.
 */
import { join } from "node:path";
import type { World } from "../../lib/world.ts";
import { diskErrorIn } from "../../schema/disk-error.ts";
import { Problem } from "../../schema/problem.ts";
import { refusedPath } from "../refused-path.ts";
import { type Git, type GitCall, gitFailed } from "./git.ts";
import { quote } from "./quote.ts";
import type { UserRepository } from "./source.ts";

export interface UserFilesOptions {
  world: Pick<World, "files" | "point">;
  git: Git;
  /** Ours. */
  repository: string;
  user: UserRepository;
}

export interface ChangedPath {
  path: string;
  /** Of the new file; empty if it is deleted. */
  mode: string;
  hash: string;
  /** The version before does not have it. */
  isNew: boolean;
}

/** Throws `conflict` if not, with the reason. */
export type UpdateCheck = (from: string, to: string, changed: readonly ChangedPath[]) => Promise<void>;

export function createUpdateCheck({ world, git, repository, user }: UserFilesOptions): UpdateCheck {
  const { files } = world;
  const { dir, folder } = user;
  const drafts = join(repository, "drafts");
  const within = files.within(folder);
  /** The user's repository does not have our objects yet. */
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository, "objects") };
  const here = { dir, tree: folder, folder, env, theirs: true };

  async function assertCalm(): Promise<void> {
    for (const state of ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"])
      if (await files.stat(join(dir, state)))
        throw new Problem(
          "conflict",
          `a merge or rebase is under way in ${folder}; finish it, then try again, or take a branch`,
        );
    await assertUnlocked();
  }

  /** The lock of a git of ours that was killed with us is removed; anybody else's is not. */
  async function assertUnlocked(): Promise<void> {
    const lock = join(dir, "index.lock");
    const [theirs, note] = [await files.stat(lock), await files.stat(noteOf(repository))];
    if (theirs && (!note || Math.abs(theirs.changed - note.changed) > noteMs)) throw lockedIndex(user);
    if (theirs) await files.remove(lock);
    if (note) await files.remove(noteOf(repository));
  }

  /** Without its filter a file would be written in another form than the user's git would. */
  async function assertUnfiltered(paths: readonly string[]): Promise<void> {
    const said = await git.run(["check-attr", "--stdin", "filter"], { ...here, input: linesOf(paths) });
    const filtered = said
      .split("\n")
      .flatMap((line) => /^(.+): filter: (?!unspecified$|unset$)(.+)$/.exec(line)?.[1] ?? []);
    if (filtered.length)
      throw new Problem(
        "conflict",
        `${filtered.slice(0, 5).join(", ")} pass through a filter of the repository, which Agiraph does not run. Take a branch and merge it with git.`,
        { files: filtered },
      );
  }

  /** Tried on a copy of the index. */
  async function assertFree(from: string, to: string, changed: readonly ChangedPath[]): Promise<void> {
    const index = join(drafts, "user-index");
    await files.write(index, (await files.read(join(dir, "index"))) ?? "", { durable: false });
    const copy = { ...here, index };
    const attempt = async (start: string) => {
      await refresh(copy);
      const exit = await git.attempt(["read-tree", "-m", "-u", "-n", start, to], copy);
      if (diskErrorIn(exit.errors)) throw gitFailed("read-tree", exit);
      return exit;
    };
    let { code, errors } = await attempt(from);
    const done = code === 0 ? [] : await filesAsAfter(changed);
    if (done.length) {
      await setEntries(done, copy);
      ({ code, errors } = await attempt(await treeWith(from, done)));
    }
    await files.remove(index);
    const inTheWay =
      code === 0
        ? await ignoredFiles(changed)
        : [...errors.matchAll(/(?:Entry|file) '(.+?)' (?:not uptodate|would be)/g)].map(([, path]) => path!);
    if (code === 0 && inTheWay.length === 0) return;
    throw new Problem(
      "conflict",
      `local changes in ${folder} are in the way: ${inTheWay.join(", ") || errors.trim()}. Commit them, stash them or move them away, or take a branch instead.`,
      { files: inTheWay },
    );
  }

  /** Where a new file goes: git itself would overwrite what its ignore rules name. A folder is entered, or in the way, when files are moved. */
  async function ignoredFiles(changed: readonly ChangedPath[]): Promise<string[]> {
    const there: ChangedPath[] = [];
    for (const one of changed.filter(({ isNew }) => isNew)) {
      const stat = await files.stat(join(folder, one.path)).catch(refusedPath);
      if (stat && stat.kind !== "folder") there.push(one);
    }
    const done = there.length ? await filesAsAfter(there) : [];
    return there.filter((one) => !done.includes(one)).map(({ path }) => path);
  }

  /** So that files that were only touched do not count as changed. It fails for those that are. */
  async function refresh(call: GitCall): Promise<void> {
    const exit = await git.attempt(["update-index", "-q", "--refresh"], call);
    if (diskErrorIn(exit.errors)) throw gitFailed("update-index", exit);
  }

  /** Those that are already as they will be. */
  async function filesAsAfter(changed: readonly ChangedPath[]): Promise<ChangedPath[]> {
    const regular: ChangedPath[] = [];
    const links: ChangedPath[] = [];
    for (const one of changed) {
      const stat = await within.stat(one.path).catch(() => null); // something else is on its way
      if (stat?.kind === "file" && one.mode === (stat.executable ? "100755" : "100644")) regular.push(one);
      else if (stat?.kind === "other" && one.mode === "120000" && (await isLinkTo(one))) links.push(one);
    }
    const input = linesOf(regular.map(({ path }) => path));
    const hashes = (await git.run(["hash-object", "--stdin-paths"], { ...here, input })).split("\n");
    return [...links, ...regular.filter(({ hash }, at) => hashes[at] === hash)];
  }

  async function setEntries(some: readonly ChangedPath[], call: GitCall): Promise<void> {
    const input = some.map(({ mode, hash, path }) => `${mode} ${hash}\t${quote(path)}\n`).join("");
    await git.run(["update-index", "--add", "--replace", "--index-info"], { ...call, input });
  }

  /** A version with these files besides. */
  async function treeWith(version: string, some: readonly ChangedPath[]): Promise<string> {
    const call = { dir: repository, index: join(drafts, "tree-index") };
    await git.run(["read-tree", version], call);
    await setEntries(some, call);
    const tree = (await git.run(["write-tree"], call)).trim();
    await files.remove(call.index);
    return tree;
  }

  async function isLinkTo({ path, hash }: ChangedPath): Promise<boolean> {
    const target = await within.readLink(path);
    return (await git.run(["hash-object", "--stdin"], { dir, input: target ?? "" })).trim() === hash;
  }

  return async (from, to, changed) => {
    await assertCalm();
    await assertUnfiltered(changed.map(({ path }) => path));
    await assertFree(from, to, changed);
  };
}

/** There while a git of ours changes the index of the user. */
export const noteOf = (repository: string): string => join(repository, "changes-index");
const noteMs = 60_000;

export const lockedIndex = ({ dir, folder }: UserRepository): Problem =>
  new Problem(
    "conflict",
    `another git is at work in ${folder}, or was killed there: ${join(dir, "index.lock")} exists. When no git is running, remove that file and try again.`,
  );

const linesOf = (paths: readonly string[]): string => paths.map((path) => `${quote(path)}\n`).join("");
