/**
 * Brings the files and the index of the user's checkout from one version to another, like `git merge` would, but all or nothing, and without hooks,
 * filters and submodules.
 *
 * Whatever takes space or may be refused comes first: the check (update-check.ts), and the new files, written aside. Then files are only
 * renamed, and the old ones lie aside until all is done; a step that fails takes back those before it. A file that the user changes or creates
 * after the check is such a failure: what is put aside must still look as it did before the check. No link is followed. A process that is killed
 * in between leaves files that are each as before, missing, or as after; repeating it completes it, because a file that is as after counts as done.
 */
import { dirname, join } from "node:path";
import type { FileStat } from "../../lib/world.ts";
import { Problem } from "../../schema/problem.ts";
import { refusedPath } from "../refused-path.ts";
import { gitFailed } from "./git.ts";
import { type ChangedPath, createUpdateCheck, lockedIndex, noteOf, type UserFilesOptions } from "./update-check.ts";

export interface UserFiles {
  /** Throws `conflict` if local changes are in the way. */
  stage(from: string, to: string): Promise<Staged>;
  /** Removes what was prepared or lies aside, also of an earlier process. */
  clear(): Promise<void>;
}

/** What was prepared, and has changed nothing yet. */
export interface Staged {
  /** If it fails nothing is changed. */
  apply(): Promise<void>;
  /** Takes back what was applied. */
  undo(): Promise<void>;
}

export function createUserFiles({ world, git, repository, user }: UserFilesOptions): UserFiles {
  const { files, point } = world;
  const { dir, folder } = user;
  const drafts = join(repository, "drafts");
  /** On the file system of the checkout, so that files are renamed from there. */
  const aside = dir.startsWith(`${folder}/`) ? join(dir, "agiraph") : join(folder, ".agiraph-merge");
  /** The user's repository does not have our objects yet. */
  const env = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(repository, "objects") };
  const here = { dir, tree: folder, folder, env, theirs: true };
  const assertUpdatable = createUpdateCheck({ world, git, repository, user });

  async function changedPaths(from: string, to: string): Promise<ChangedPath[]> {
    const raw = await git.run(["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to], { dir: repository });
    return [...raw.matchAll(/:\d+ (\d+) \S+ (\S+) (\w)\0([^\0]+)\0/g)].map(([, mode, hash, status, path]) => ({
      path: path!,
      mode: status === "D" ? "" : mode!,
      hash: hash!,
      isNew: status === "A",
    }));
  }

  /** The new files, as the user's git would write them. */
  async function writeAside(to: string, paths: readonly string[]): Promise<void> {
    const index = join(drafts, "staged-index");
    const call = { ...here, index };
    await files.makeDir(join(aside, "new"));
    await files.makeDir(join(aside, "old"));
    await git.run(["read-tree", to], call);
    const input = paths.map((path) => `${path}\0`).join("");
    await git.run(["checkout-index", "--quiet", `--prefix=${join(aside, "new")}/`, "-z", "--stdin"], {
      ...call,
      input,
    });
    await files.remove(index);
  }

  const clear = () => files.remove(aside);

  async function stage(from: string, to: string): Promise<Staged> {
    const changed = await changedPaths(from, to);
    const before = new Map<string, FileStat | null>();
    for (const { path } of changed) before.set(path, await files.stat(join(folder, path)).catch(refusedPath));
    const renames: { from: string; to: string }[] = [];
    let isIndexed = false;

    async function rename(one: { from: string; to: string }): Promise<void> {
      await files.move(one.from, one.to, { durable: false });
      renames.push(one);
    }
    async function putAside(path: string): Promise<string> {
      const to = join(aside, "old", String(renames.length));
      await rename({ from: join(folder, path), to });
      return to;
    }

    /** What is there now is in no version of ours if it is not what was there before the check. */
    async function putFileAside(path: string): Promise<void> {
      const [was, is] = [before.get(path), await files.stat(await putAside(path))];
      if (was && is && was.inode === is.inode && was.changed === is.changed && was.size === is.size) return;
      throw new Problem(
        "conflict",
        `${path} was changed while it was being merged into. Nothing was merged; look at it and try again.`,
        {
          files: [path],
        },
      );
    }

    /** Deleted files first: a folder may take the place of one, and the other way round. */
    async function takeAway(): Promise<void> {
      for (const { path } of changed.filter(({ mode }) => mode === "")) {
        if (await isFileOrLink(path)) await putFileAside(path); // or it is gone, or a submodule
        for (let above = dirname(path); above !== "."; above = dirname(above)) if (!(await takeEmpty(above))) break;
      }
    }

    async function isFileOrLink(path: string): Promise<boolean> {
      for (let above = dirname(path); above !== "."; above = dirname(above))
        if ((await files.stat(join(folder, above)))?.kind !== "folder") return false;
      const found = await files.stat(join(folder, path));
      return found?.kind === "file" || found?.kind === "other";
    }

    async function takeEmpty(path: string): Promise<boolean> {
      const place = join(folder, path);
      if ((await files.stat(place))?.kind !== "folder" || (await files.list(place, 1)).length) return false;
      const taken = await putAside(path);
      if ((await files.list(taken, 1)).length === 0) return true;
      await files.move(taken, place, { durable: false }); // filled at this moment
      renames.pop();
      return false;
    }

    /** What is in one folder aside to its place. Enters only what is a folder in both, and no link is. */
    async function putIn(source: string, above: string): Promise<void> {
      for (const { name, kind } of await files.list(source)) {
        const [next, path] = [join(source, name), join(above, name)];
        const place = join(folder, path);
        const there = (await files.stat(place))?.kind;
        if (there === "folder" && kind === "folder") await putIn(next, path);
        else {
          if (there === "folder" || (there && kind === "folder"))
            throw new Problem(
              "conflict",
              `${place} is in the way; move it away and try again, or take a branch instead`,
            );
          if (there) await putFileAside(path);
          await rename({ from: next, to: place });
        }
      }
    }

    async function moveIndex(before: string, after: string): Promise<void> {
      await files.write(noteOf(repository), "");
      const exit = await git.attempt(["read-tree", "-i", "-m", before, after], here);
      await files.remove(noteOf(repository));
      if (exit.code !== 0) throw exit.errors.includes("File exists") ? lockedIndex(user) : gitFailed("read-tree", exit);
    }

    async function undo(): Promise<void> {
      if (isIndexed) await moveIndex(to, from);
      isIndexed = false;
      for (let last = renames.pop(); last; last = renames.pop())
        await files.move(last.to, last.from, { durable: false });
    }

    await files.makeDir(drafts);
    await clear();
    await assertUpdatable(from, to, changed);
    try {
      const written = changed.filter(({ mode }) => mode !== "");
      await writeAside(
        to,
        written.map(({ path }) => path),
      );
    } catch (error) {
      await clear();
      throw error;
    }
    await point?.("handover.staged");
    return {
      async apply() {
        try {
          await takeAway();
          await putIn(join(aside, "new"), "");
          await point?.("handover.placed");
          await moveIndex(from, to);
          isIndexed = true;
        } catch (error) {
          await undo();
          throw error;
        }
        await point?.("handover.indexed");
        await git.attempt(["update-index", "-q", "--refresh"], here); // or it is done with the next command of the user
      },
      undo,
    };
  }

  return { stage, clear };
}
