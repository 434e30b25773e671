/** A repository as people have it, in the middle of their own work: other branches, a tag, a stash, staged and unstaged edits, hooks, settings. */
import { execFileSync } from "node:child_process";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { git, photograph } from "../../src/workspace/workspaces.test-help.ts";

export async function createUserRepository(folder: string, files: Record<string, string>): Promise<void> {
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await git(folder, "init", "-q");
  for (const [path, text] of Object.entries({ ...files, "notes.txt": "one\n", "other.txt": "one\n" }))
    await put(path, text);
  await git(folder, "add", "-A");
  await git(folder, "commit", "-qm", "The project");
  await git(folder, "branch", "other");
  await git(folder, "tag", "v1");
  await put("notes.txt", "a stash\n");
  await git(folder, "stash", "-q");
  await put("notes.txt", "not staged\n");
  await put("other.txt", "staged\n");
  await git(folder, "add", "other.txt");
  await put("mine.txt", "not tracked\n");
  await git(folder, "config", "user.name", "The user");
  for (const hook of ["post-checkout", "pre-commit", "post-merge", "reference-transaction", "post-index-change"]) {
    await put(`.git/hooks/${hook}`, "#!/bin/sh\ntouch ran-a-hook\n");
    await chmod(join(folder, ".git/hooks", hook), 0o755);
  }
}

/** Every byte of it: refs, index, settings, hooks, objects, files. */
export const everything = photograph;

/** Paths that differ, new and gone ones too. */
function changed(before: Record<string, string>, after: Record<string, string>): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).sort();
}

/** The merge that the user asked for is there, and nothing else: these files, on this branch, and what git itself keeps of a merge. */
export async function expectMerged(
  folder: string,
  before: Record<string, string>,
  files: Record<string, string>,
): Promise<void> {
  const names = Object.keys(files).sort();
  const now = changed(before, await everything(folder));
  const own =
    /^\.git\/(index|refs\/heads\/main|logs\/HEAD|logs\/refs\/heads\/main|objects\/pack\/pack-[0-9a-f]+\.(pack|idx))$/;
  expect(now.filter((path) => !own.test(path))).toEqual(names);
  for (const name of names) expect([name, await readFile(join(folder, name), "utf8")]).toEqual([name, files[name]]);
  expect(await status(folder)).toBe(" M notes.txt\nM  other.txt\n?? mine.txt\n");
  expect(await git(folder, "diff", "--name-only", "v1", "main")).toBe(`${names.join("\n")}\n`);
  const refs = await git(folder, "for-each-ref", "--contains", "main", "--format=%(refname)");
  expect(refs.trim()).toBe("refs/heads/main");
  expect(await git(folder, "fsck", "--connectivity-only")).not.toMatch(/missing|broken/);
}

/** Looking must not change anything either: no hook, and the index is left as it is. */
const status = (folder: string) =>
  git(folder, "-c", "core.hooksPath=/dev/null", "--no-optional-locks", "status", "--porcelain");

/** As the user would, in the folder as it is now. */
export const make = (folder: string, target: string): string =>
  execFileSync("make", ["-s", target], { cwd: folder, encoding: "utf8", stdio: "pipe" });
