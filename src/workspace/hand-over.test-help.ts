/** A user's repository, and a version of it in which each kind of change was made, to be handed over. */
import { chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { commit } from "./contract.ts";
import { createRepositoryFolder, emptyRoom, git, photograph, workspacesOf } from "./workspaces.test-help.ts";

export const put = async (folder: string, path: string, text: string) => {
  await mkdir(join(folder, path, ".."), { recursive: true });
  await writeFile(join(folder, path), text);
};

/** A repository with files of all kinds, and a version in which each kind of change was made. */
export async function startHandOver(prepare?: (user: string) => Promise<unknown>) {
  const room = await emptyRoom();
  const user = join(room, "user");
  await mkdir(user);
  for (const path of ["deep/er/only.txt", "file-then-folder", "folder-then-file/in.txt", "gone\nline", "kept.txt"])
    await put(user, path, `${path}\n`);
  await symlink("kept.txt", join(user, "link"));
  await createRepositoryFolder(user);
  await prepare?.(user);
  const workspaces = await workspacesOf(room, user);
  const { version: base } = await workspaces.base();
  const scratch = join(room, "scratch");
  await workspaces.checkOut("r1.n1", { version: base, branch: "agiraph/x/n1" }, scratch);
  await put(scratch, "a.txt", "changed\n");
  await put(scratch, "new/folder/file.txt", "new\n");
  for (const path of ["deep", "file-then-folder", "folder-then-file", "gone\nline", "link"])
    await rm(join(scratch, path), { recursive: true });
  await put(scratch, "file-then-folder/in.txt", "in\n");
  await put(scratch, "folder-then-file", "file\n");
  await symlink("a.txt", join(scratch, "link"));
  await chmod(join(scratch, "kept.txt"), 0o755);
  const { version, left_out } = await workspaces.keep("r1.n1", scratch, commit("saved", base));
  expect(left_out).toEqual([]);
  const wish = { as: "merge" as const, into: "main", base, version, commit: commit("handed over") };
  const arrived = async (folder = user) => {
    expect(await git(folder, "status", "--porcelain")).toBe("");
    expect((await git(folder, "rev-parse", "main")).trim()).toBe(version);
    expect(await git(folder, "fsck", "--connectivity-only")).not.toMatch(/missing|broken/);
    expect(Object.keys(await photograph(folder)).filter((path) => path.includes("agiraph"))).toEqual([]);
  };
  return { room, user, workspaces, base, version, wish, arrived };
}
