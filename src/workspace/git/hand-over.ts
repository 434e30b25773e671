/**
 * Gives the user what was made: the only thing that writes to the user's repository, and only when the user says so.
 *
 * The objects come first, as one pack; then the files of a branch that is checked out (user-files.ts); last a ref is moved, and only from where it was
 * (compare and swap). What fails takes back what came before it. A crash in between leaves the objects, or changes that are not committed yet;
 * repeating it completes it.
 */
import { join } from "node:path";
import { diskErrorIn } from "../../schema/disk-error.ts";
import { Problem } from "../../schema/problem.ts";
import type { HandOver, Workspaces } from "../workspaces.ts";
import { gitFailed } from "./git.ts";
import type { UserFilesOptions } from "./update-check.ts";
import { createUserFiles } from "./user-files.ts";

export interface HandOverOptions extends UserFilesOptions {
  merge: Workspaces["merge"];
}

export function createHandOver({ merge, ...options }: HandOverOptions): Workspaces["handOver"] {
  const { world, git, repository, user } = options;
  const { files, point } = world;
  const { dir, common, objects, folder } = user;
  const drafts = join(repository, "drafts");
  const checkout = createUserFiles(options);

  const tipOf = async (branch: string): Promise<string | undefined> => {
    const { code, output } = await git.attempt(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}^{commit}`], {
      dir,
    });
    return code === 0 ? output.trim() : undefined;
  };

  async function assertName(branch: string): Promise<void> {
    const { code } = await git.attempt(["check-ref-format", "--branch", branch], { dir });
    if (code !== 0 || branch.startsWith("-"))
      throw new Problem("invalid", `${JSON.stringify(branch)} is not a valid name of a branch`);
  }

  /** The objects that the user does not have yet. Resolves with what takes them back. */
  async function transfer(version: string, has: string): Promise<() => Promise<void>> {
    const prefix = join(drafts, "pack");
    await files.makeDir(drafts);
    const revs = `${version}\n^${has}\n`;
    const name = (
      await git.run(["pack-objects", "--quiet", "--revs", prefix], { dir: repository, input: revs })
    ).trim();
    const written: string[] = [];
    const takeBack = async () => {
      for (const path of written.toReversed()) await files.remove(path);
    };
    try {
      await files.makeDir(join(objects, "pack"));
      // The index last: a pack without one is not used.
      for (const ending of name ? ["pack", "idx"] : []) {
        const target = join(objects, "pack", `pack-${name}.${ending}`);
        const content = await files.read(`${prefix}-${name}.${ending}`);
        if (!content || (await files.stat(target))) continue;
        await files.write(target, content, { mode: 0o444 });
        written.push(target);
      }
    } catch (error) {
      await takeBack();
      throw error;
    } finally {
      for (const ending of ["pack", "idx", "rev"]) await files.remove(`${prefix}-${name}.${ending}`);
    }
    await point?.("handover.packed");
    return takeBack;
  }

  async function moveRef(branch: string, to: string, from: string): Promise<void> {
    const lock = join(common, `refs/heads/${branch}.lock`);
    // Nobody else moves a branch there: a git of ours that was killed.
    if ((await files.read(lock))?.toString().trim() === to) await files.remove(lock);
    const exit = await git.attempt(["update-ref", "-m", "agiraph: merge", `refs/heads/${branch}`, to, from], { dir });
    if (exit.code !== 0)
      throw diskErrorIn(exit.errors)
        ? gitFailed("update-ref", exit)
        : new Problem("conflict", `${branch} could not be moved: ${exit.errors.trim()}. Look at it and try again.`);
    await point?.("handover.moved");
  }

  /** The checkout that has the branch: the user's folder, another one's path, or none. */
  async function whereCheckedOut(branch: string): Promise<string | undefined> {
    const listed = await git.run(["worktree", "list", "--porcelain"], { dir });
    const found = listed.split("\n\n").find((entry) => entry.split("\n").includes(`branch refs/heads/${branch}`));
    if (!found || /^bare$/m.test(found)) return undefined;
    return /^worktree (.+)$/m.exec(found)?.[1];
  }

  return async (wish: HandOver) => {
    const { base, version, commit } = wish;
    if (wish.as === "branch") {
      await assertName(wish.name);
      const there = await tipOf(wish.name);
      if (there === version) return { version, into: wish.name };
      if (there) throw new Problem("name_taken", `${folder} already has a branch ${wish.name}; choose another name`);
      const takeBack = await transfer(version, base);
      await moveRef(wish.name, version, "0".repeat(version.length)).catch((error) => failed(error, takeBack));
      return { version, into: wish.name };
    }
    const { into } = wish;
    if (into === undefined)
      throw new Problem("invalid", `HEAD of ${folder} was detached, so there is no branch to merge into; name one`);
    await assertName(into);
    const tip = await tipOf(into);
    if (!tip) throw new Problem("not_found", `${folder} has no branch ${into}`);
    const merged = await merge({ ours: tip, theirs: version, base }, commit);
    if ("conflicts" in merged)
      throw new Problem(
        "conflict",
        `${into} has changed in the same places since: ${merged.conflicts.join(", ")}. Take a branch and merge it with git, or let an agent do it.`,
        { files: merged.conflicts },
      );
    if (merged.version === tip) {
      await checkout.clear(); // of one that was interrupted when all was done
      return { version: tip, into };
    }
    const place = user.bare ? undefined : await whereCheckedOut(into);
    if (place !== undefined && place !== folder)
      throw new Problem("conflict", `${into} is checked out in ${place}; take a branch and merge it there`);
    const staged = place === undefined ? undefined : await checkout.stage(tip, merged.version);
    try {
      const takeBack = await transfer(merged.version, tip);
      await staged?.apply().catch((error) => failed(error, takeBack));
      await moveRef(into, merged.version, tip).catch((error) => failed(error, staged?.undo, takeBack));
    } finally {
      if (staged) await checkout.clear();
    }
    return { version: merged.version, into };
  };
}

async function failed(error: unknown, ...undo: ((() => Promise<void>) | undefined)[]): Promise<never> {
  for (const step of undo) await step?.();
  throw error;
}
