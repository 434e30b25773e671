/** What the user has, or does, in the very files that are handed over: nothing of it is ever lost. */
import { chmod, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import type { World } from "../lib/world.ts";
import { commit } from "./contract.ts";
import { put, startHandOver } from "./hand-over.test-help.ts";
import { emptyRoom, git, memoryBlobs, photograph, workspacesOf, writeFiles } from "./workspaces.test-help.ts";

/** Does this when the new files lie ready and the check is over, before the first file of the user is moved. */
const meanwhile = (act: () => Promise<unknown>): World => ({
  ...machine,
  point: async (name) => {
    if (name === "handover.staged") await act();
  },
});

const ofUser = async (folder: string) =>
  Object.fromEntries(Object.entries(await photograph(folder)).filter(([path]) => !path.startsWith(".git/")));

describe("while files are being replaced", () => {
  const edits: Record<string, [file: string, edit: (user: string) => Promise<unknown>]> = {
    "an edit of a file that changes": ["a.txt", (user) => put(user, "a.txt", "mine\n")],
    "an edit of a file that is to be deleted": ["gone\nline", (user) => put(user, "gone\nline", "mine\n")],
    "an edit of the same length that takes its place": [
      "deep/er/only.txt",
      async (user) => {
        await put(user, "mine", "DEEP/er/only.txt\n");
        await rename(join(user, "mine"), join(user, "deep/er/only.txt"));
      },
    ],
    "a new file in the place of one": ["new/folder/file.txt", (user) => put(user, "new/folder/file.txt", "mine\n")],
  };
  for (const [title, [file, edit]] of Object.entries(edits))
    test(`${title} stays, and the merge is taken back and succeeds later`, async () => {
      const { room, user, base, wish, arrived } = await startHandOver();
      const before = await ofUser(user);
      let mine = "";
      const world = meanwhile(async () => {
        await edit(user);
        mine = await readFile(join(user, file), "utf8");
      });
      await expect((await workspacesOf(room, user, world)).handOver(wish)).rejects.toMatchObject({
        code: "conflict",
        message: expect.stringContaining("changed while"),
        details: { files: [file] },
      });
      expect(await readFile(join(user, file), "utf8")).toBe(mine);
      const { [file]: _after, ...after } = await ofUser(user);
      const { [file]: _before, ...rest } = before;
      expect(after).toEqual(rest);
      expect((await git(user, "rev-parse", "main")).trim()).toBe(base);
      await rm(join(user, file));
      if (before[file]) await git(user, "checkout", "--", file);
      await (await workspacesOf(room, user)).handOver(wish);
      await arrived();
    });

  test("a commit of the user meanwhile stays, and the merge is taken back", async () => {
    const { room, user, wish } = await startHandOver();
    const world = meanwhile(async () => {
      await put(user, "mine.txt", "mine\n");
      await git(user, "add", "mine.txt");
      await git(user, "commit", "-qm", "mine");
    });
    await expect((await workspacesOf(room, user, world)).handOver(wish)).rejects.toMatchObject({ code: "conflict" });
    expect(await git(user, "status", "--porcelain")).toBe("");
    expect(await git(user, "log", "--format=%s", "-1", "main")).toBe("mine\n");
    await (await workspacesOf(room, user)).handOver(wish);
    expect(await git(user, "status", "--porcelain")).toBe("");
    expect(await readFile(join(user, "mine.txt"), "utf8")).toBe("mine\n");
  });
});

describe("what git would rather not speak of is not overwritten either", () => {
  /** What the user has, where it is in the way. */
  const places: Record<string, { file: string; prepare: (user: string) => Promise<unknown> }> = {
    "an ignored file": {
      file: "new/folder/file.txt",
      prepare: async (user) => {
        await put(user, ".git/info/exclude", "new/\n");
        await put(user, "new/folder/file.txt", "mine\n");
      },
    },
    "a file that is assumed to be unchanged": {
      file: "a.txt",
      prepare: async (user) => {
        await git(user, "update-index", "--assume-unchanged", "a.txt");
        await put(user, "a.txt", "mine\n");
      },
    },
    "a file that git is told to skip": {
      file: "a.txt",
      prepare: async (user) => {
        await git(user, "update-index", "--skip-worktree", "a.txt");
        await put(user, "a.txt", "mine\n");
      },
    },
    "a change that is only staged": {
      file: "a.txt",
      prepare: async (user) => {
        const before = await readFile(join(user, "a.txt"), "utf8");
        await put(user, "a.txt", "mine\n");
        await git(user, "add", "a.txt");
        await put(user, "a.txt", before);
      },
    },
    "a mode": { file: "a.txt", prepare: (user) => chmod(join(user, "a.txt"), 0o755) },
    "a repository in the place of a file": {
      file: "folder-then-file/.git/HEAD",
      prepare: (user) => git(user, "init", "-q", "folder-then-file"),
    },
    "a file in a folder that becomes a file": {
      file: "folder-then-file/mine.txt",
      prepare: (user) => put(user, "folder-then-file/mine.txt", "mine\n"),
    },
  };
  for (const [title, { file, prepare }] of Object.entries(places))
    test(title, async () => {
      const { user, workspaces, wish } = await startHandOver();
      await prepare(user);
      const before = await photograph(user);
      const staged = await git(user, "ls-files", "-sv");
      expect(Object.keys(before)).toContain(file);
      await expect(workspaces.handOver(wish)).rejects.toMatchObject({ code: "conflict" });
      const { ".git/index": _index, ...after } = await photograph(user);
      const { ".git/index": _before, ...rest } = before;
      expect(after).toEqual(rest);
      expect(await git(user, "ls-files", "-sv")).toBe(staged);
    });

  test("untracked and ignored files beside what changes stay where they are", async () => {
    const { user, workspaces, wish } = await startHandOver();
    await put(user, ".git/info/exclude", "*.log\n");
    for (const path of ["deep/er/mine.txt", "deep/er/mine.log", "new.txt", "new.log"]) await put(user, path, "mine\n");
    await git(user, "init", "-q", "nested");
    await put(user, "nested/in.txt", "mine\n");
    await workspaces.handOver(wish);
    for (const path of ["deep/er/mine.txt", "deep/er/mine.log", "new.txt", "new.log", "nested/in.txt"])
      expect(await readFile(join(user, path), "utf8"), path).toBe("mine\n");
    expect(await git(user, "status", "--porcelain")).toBe("?? deep/\n?? nested/\n?? new.txt\n");
  });

  test("a sparse checkout stays sparse, and a split index is read", async () => {
    const { room, user, workspaces, wish } = await startHandOver();
    await git(user, "sparse-checkout", "set", "--no-cone", "/*", "!/deep/", "!/new/");
    await git(user, "update-index", "--split-index");
    await expect(stat(join(user, "deep"))).rejects.toThrow("ENOENT");
    await put(user, "b/c.txt", "mine\n");
    await workspaces.handOver(wish);
    expect(await git(user, "status", "--porcelain")).toBe(" M b/c.txt\n");
    await git(user, "clone", "-q", user, join(room, "clone"));
    expect(await readFile(join(room, "clone/new/folder/file.txt"), "utf8")).toBe("new\n");
  });

  test("with core.autocrlf a file with CRLF is as clean as git says, and a change of it is handed over", async () => {
    const { user, workspaces, wish } = await startHandOver(async (folder) => {
      await git(folder, "config", "core.autocrlf", "true");
      await rm(join(folder, "a.txt"));
      await git(folder, "checkout", "--", "a.txt");
      expect(await readFile(join(folder, "a.txt"), "utf8")).toContain("\r\n");
    });
    await workspaces.handOver(wish);
    expect(await git(user, "status", "--porcelain")).toBe("");
    expect(await readFile(join(user, "a.txt"), "utf8")).toBe("changed\r\n");
  });

  test("with core.fileMode off, as on a disk without modes, files that all may be run are not changed ones", async () => {
    const { user, workspaces, wish } = await startHandOver(async (folder) => {
      await git(folder, "config", "core.fileMode", "false");
      await chmod(join(folder, "a.txt"), 0o755);
    });
    await workspaces.handOver(wish);
    expect(await git(user, "status", "--porcelain")).toBe("");
    expect(await readFile(join(user, "a.txt"), "utf8")).toBe("changed\n");
  });
});

describe("a folder without git", () => {
  async function start(act: (scratch: string) => Promise<unknown>, prepare?: (user: string) => Promise<unknown>) {
    const room = await emptyRoom();
    const user = join(room, "user");
    await writeFiles(user);
    await prepare?.(user);
    const blobs = memoryBlobs();
    const open = (world: World) => workspacesOf(room, user, world, blobs);
    const workspaces = await open(machine);
    const { version: base } = await workspaces.base();
    await workspaces.checkOut("r1.n1", { version: base, branch: "x" }, join(room, "scratch"));
    await act(join(room, "scratch"));
    const { version } = await workspaces.keep("r1.n1", join(room, "scratch"), commit("saved", base));
    const wish = { as: "merge" as const, into: undefined, base, version, commit: commit("handed over") };
    return { user, open, workspaces, wish };
  }

  test("a file that was too large to be read is not overwritten by a new one of its name", async () => {
    const large = Buffer.alloc(50 * 1024 * 1024 + 1);
    const { user, workspaces, wish } = await start(
      (scratch) => put(scratch, "data.bin", "small\n"),
      (folder) => writeFile(join(folder, "data.bin"), large),
    );
    await expect(workspaces.handOver(wish)).rejects.toMatchObject({
      code: "conflict",
      details: { files: ["data.bin"] },
    });
    expect((await stat(join(user, "data.bin"))).size).toBe(large.length);
  });

  test("nor is one that came when there were too many to read them all", async () => {
    const { user, workspaces, wish } = await start((scratch) => put(scratch, "zz.txt", "theirs\n"));
    await mkdir(join(user, "many"));
    for (let n = 0; n < 5_000; n++) await writeFile(join(user, "many", `${n}`), "");
    await put(user, "zz.txt", "mine\n");
    await expect(workspaces.handOver(wish)).rejects.toMatchObject({ code: "conflict" });
    expect(await readFile(join(user, "zz.txt"), "utf8")).toBe("mine\n");
  });

  test("a folder takes the place of a file, and a file that of a folder; one with other files in it stays", async () => {
    const change = async (scratch: string) => {
      await rm(join(scratch, "a.txt"));
      await put(scratch, "a.txt/in.txt", "in\n");
      await rm(join(scratch, "b"), { recursive: true });
      await put(scratch, "b", "file\n");
    };
    const { user, workspaces, wish } = await start(change);
    await put(user, "b/mine.txt", "mine\n");
    const before = await photograph(user);
    await expect(workspaces.handOver(wish)).rejects.toMatchObject({ code: "conflict" });
    expect(await photograph(user)).toEqual(before);
    await rm(join(user, "b/mine.txt"));
    await workspaces.handOver(wish);
    expect(await readFile(join(user, "a.txt/in.txt"), "utf8")).toBe("in\n");
    expect(await readFile(join(user, "b"), "utf8")).toBe("file\n");
  });

  test("a file keeps its mode", async () => {
    const { user, workspaces, wish } = await start(
      (scratch) => put(scratch, "a.txt", "changed\n"),
      (folder) => chmod(join(folder, "a.txt"), 0o640),
    );
    await workspaces.handOver(wish);
    expect((await stat(join(user, "a.txt"))).mode & 0o777).toBe(0o640);
  });

  const edits: Record<string, [file: string, edit: (user: string) => Promise<unknown>]> = {
    "an edit": ["b/c.txt", (user) => put(user, "b/c.txt", "see\r")],
    "an edit of what is to be deleted": ["run.sh", (user) => put(user, "run.sh", "mine\n")],
    "a new file": ["new.txt", (user) => put(user, "new.txt", "mine\n")],
  };
  for (const [title, [file, edit]] of Object.entries(edits))
    test(`${title} while files are being replaced stays, and all is as before`, async () => {
      const { user, open, wish } = await start(async (scratch) => {
        await put(scratch, "a.txt", "changed\n");
        await put(scratch, "b/c.txt", "changed\n");
        await put(scratch, "new.txt", "new\n");
        await rm(join(scratch, "run.sh"));
      });
      const before = await photograph(user);
      let mine = "";
      const world = meanwhile(async () => {
        await edit(user);
        mine = await readFile(join(user, file), "utf8");
      });
      await expect((await open(world)).handOver(wish)).rejects.toMatchObject({
        code: "conflict",
        details: { files: [file] },
      });
      expect(await readFile(join(user, file), "utf8")).toBe(mine);
      const { [file]: _after, ...after } = await photograph(user);
      const { [file]: _before, ...rest } = before;
      expect(after).toEqual(rest);
    });
});
