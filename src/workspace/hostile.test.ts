/** Repositories that somebody else made: nothing of them is run, nothing leads out, and the user's is as it was. */
import { chmod, link, mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commit } from "./contract.ts";
import { createRepositoryFolder, emptyRoom, git, photograph, workspacesOf } from "./workspaces.test-help.ts";

async function start(prepare?: (folder: string, room: string) => Promise<unknown>, given?: string) {
  const room = await emptyRoom();
  const user = join(room, "user");
  await createRepositoryFolder(user);
  await prepare?.(user, room);
  const folder = given === undefined ? user : join(room, given);
  const workspaces = await workspacesOf(room, folder);
  return { room, folder, user, workspaces };
}

async function open(prepare?: (folder: string, room: string) => Promise<unknown>, given?: string) {
  const place = await start(prepare, given);
  const { room, user, folder, workspaces } = place;
  const look = async () => [await photograph(user), await photograph(folder)];
  const before = await look();
  const { version: base } = await workspaces.base();
  const scratch = join(room, "scratch");
  await workspaces.checkOut("r1.n1", { version: base, branch: "agiraph/x/n1" }, scratch);
  const keep = () => workspaces.keep("r1.n1", scratch, commit("saved", base));
  const same = async () => expect(await look()).toEqual(before);
  const paths = async () => (await workspaces.compare(base, (await keep()).version)).map(({ path }) => path);
  return {
    ...place,
    base,
    scratch,
    keep,
    same,
    paths,
    put: (path: string, text: string) => writeFile(join(scratch, path), text),
  };
}

/** Whoever runs this leaves a trace. */
async function trap(room: string): Promise<string> {
  const path = join(room, "trap.sh");
  await writeFile(path, `#!/bin/sh\ntouch ${join(room, "sprung")}\ncat\n`);
  await chmod(path, 0o755);
  return path;
}
const sprung = (room: string) =>
  readFile(join(room, "sprung")).then(
    () => true,
    () => false,
  );

describe("a hostile repository", () => {
  test("hooks, filters, fsmonitor, drivers and attributes run nothing, from checkout to handing over", async () => {
    const { room, user, workspaces, keep, put, base } = await open(async (folder, room) => {
      const run = await trap(room);
      await writeFile(join(folder, ".gitattributes"), "*.x filter=evil diff=evil merge=evil\n");
      await writeFile(join(folder, "f.x"), "x\n");
      await git(folder, "add", "-A");
      await git(folder, "commit", "-qm", "attributes");
      for (const key of [
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "diff.evil.command",
        "diff.evil.textconv",
        "merge.evil.driver",
        "core.fsmonitor",
        "core.pager",
        "core.editor",
        "core.sshCommand",
        "diff.external",
        "uploadpack.packObjectsHook",
        "core.alternateRefsCommand",
        "gpg.program",
      ])
        await git(folder, "config", key, run);
      await git(folder, "config", "commit.gpgSign", "true");
      for (const hook of [
        "post-checkout",
        "pre-commit",
        "post-commit",
        "post-merge",
        "reference-transaction",
        "post-index-change",
        "pre-merge-commit",
      ]) {
        await mkdir(join(folder, ".git/hooks"), { recursive: true });
        await writeFile(join(folder, ".git/hooks", hook), `#!/bin/sh\nexec ${run}\n`);
        await chmod(join(folder, ".git/hooks", hook), 0o755);
      }
    });
    await put("f.x", "changed\n");
    await put("a.txt", "changed\n");
    // The worker's own .git is as hostile.
    const own = join(room, "scratch/.git");
    await writeFile(
      join(own, "config"),
      `[core]\n\tfsmonitor = ${join(room, "trap.sh")}\n\thooksPath = ${join(user, ".git/hooks")}\n[filter "evil"]\n\tclean = ${join(room, "trap.sh")}\n`,
    );
    const { version } = await keep();
    await workspaces.diff(base, version);
    const merged = await workspaces.merge({ ours: base, theirs: version, base }, commit("m"));
    expect(merged).toEqual({ version });
    await workspaces.handOver({ as: "branch", name: "work", base, version, commit: commit("m") });
    const wish = { as: "merge" as const, into: "main", base, version, commit: commit("m") };
    await expect(workspaces.handOver(wish)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining("filter"),
    });
    expect(await sprung(room)).toBe(false);
    expect(
      (await git(user, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "rev-parse", "work")).trim(),
    ).toBe(version);
    expect(await sprung(room)).toBe(false);
  });

  test("links are kept as links, whoever they point to, and are not followed", async () => {
    const { room, scratch, paths, keep, base, workspaces } = await open();
    await writeFile(join(room, "secret"), "secret\n");
    await symlink(join(room, "secret"), join(scratch, "out"));
    await symlink(room, join(scratch, "up"));
    await rm(join(scratch, "b"), { recursive: true });
    await symlink(room, join(scratch, "b"));
    expect(await paths()).toEqual(["b", "b/c.txt", "out", "up"]);
    const copied = join(room, "copied");
    expect(await workspaces.copyChanged(base, (await keep()).version, copied)).toEqual([]);
    expect(Object.values(await photograph(join(room, "repository/objects")).catch(() => ({})))).not.toContain(
      "secret\n",
    );
  });

  test("what is too large, a hard link, a pipe's place or a repository of its own is left out, and said so", async () => {
    const { room, scratch, keep, put } = await open();
    await writeFile(join(room, "secret"), "secret\n");
    await link(join(room, "secret"), join(scratch, "hard"));
    await writeFile(join(scratch, "huge"), "");
    await truncate(join(scratch, "huge"), 60 * 1024 * 1024);
    await mkdir(join(scratch, "inner"));
    await git(join(scratch, "inner"), "init", "-q");
    await writeFile(join(scratch, "inner/file"), "x");
    await git(join(scratch, "inner"), "add", "-A");
    await git(join(scratch, "inner"), "commit", "-qm", "inner");
    await put("fine", "fine\n");
    const { left_out } = await keep();
    expect(left_out.map(({ path }) => path).sort()).toEqual(["hard", "huge", "inner"]);
    expect(left_out.find(({ path }) => path === "huge")?.why).toContain("62914560 bytes");
  });

  test("a huge file that the repository has is checked out, can be deleted and handed over, and a change of it is left out", async () => {
    const huge = 60 * 1024 * 1024;
    const { scratch, keep, put, paths, workspaces, base, user } = await open(async (folder) => {
      for (const name of ["huge", "other"]) {
        await writeFile(join(folder, name), "");
        await truncate(join(folder, name), huge);
      }
      await git(folder, "add", "-A");
      await git(folder, "commit", "-qm", "huge");
    });
    expect((await stat(join(scratch, "huge"))).size).toBe(huge);
    await put("new", "new\n");
    await rm(join(scratch, "huge"));
    await truncate(join(scratch, "other"), huge + 1);
    const { version, left_out } = await keep();
    expect(left_out).toEqual([{ path: "other", why: expect.stringContaining(`${huge + 1} bytes`) }]);
    expect(await paths()).toEqual(["huge", "new"]);
    await workspaces.handOver({ as: "merge", into: "main", base, version, commit: commit("m") });
    expect((await readdir(user)).sort()).toEqual([".git", "a.txt", "b", "new", "other", "run.sh"]);
    expect(await git(user, "status", "--porcelain")).toBe("");
  });

  test("line endings and keywords that .gitattributes asks for are as the user's git has them, there and in checkouts", async () => {
    const { scratch, keep, put, workspaces, base, user, paths } = await open(async (folder) => {
      await writeFile(
        join(folder, ".gitattributes"),
        "*.win text eol=crlf\n*.id ident\n*.txt export-subst whitespace=cr-at-eol\n",
      );
      await writeFile(join(folder, "a.win"), "one\r\ntwo\r\n");
      await writeFile(join(folder, "a.id"), "$Id$\n");
      await git(folder, "add", "-A");
      await git(folder, "commit", "-qm", "attributes");
    });
    expect(await paths()).toEqual([]);
    expect(await readFile(join(scratch, "a.win"), "utf8")).toBe("one\r\ntwo\r\n");
    await put("a.win", "one\r\nchanged\r\n");
    await put("new.win", "new\n");
    expect(await paths()).toEqual(["a.win", "new.win"]);
    const { version } = await keep();
    expect(await workspaces.compare(base, version)).toMatchObject([
      { path: "a.win", added: 1, removed: 1 },
      { path: "new.win" },
    ]);
    await workspaces.handOver({ as: "merge", into: "main", base, version, commit: commit("m") });
    expect(await readFile(join(user, "a.win"), "utf8")).toBe("one\r\nchanged\r\n");
    expect(await readFile(join(user, "new.win"), "utf8")).toBe("new\r\n");
    expect(await git(user, "status", "--porcelain")).toBe("");
  });

  test("strange names: newlines, quotes, other alphabets; ours are exact, those not allowed are named", async () => {
    const { keep, put, base, workspaces } = await open(async (folder) => {
      await writeFile(join(folder, "new\nline"), "x");
      await writeFile(join(folder, 'quo"te'), "x");
      await git(folder, "add", "-A");
      await git(folder, "commit", "-qm", "names");
    });
    for (const name of ['a "b" ü 漢.txt', "-rf", " space", "$(x)", "another\nline"]) await put(name, "1\n");
    await put('quo"te', "changed");
    const { version, left_out } = await keep();
    expect(left_out).toEqual([{ path: "another\nline", why: expect.stringContaining("not allowed") }]);
    const changed = await workspaces.compare(base, version);
    expect(changed.map(({ path }) => path).sort()).toEqual([" space", "$(x)", "-rf", 'a "b" ü 漢.txt', 'quo"te']);
  });

  test("a submodule stays what it is, and its repository is not entered", async () => {
    const { keep, put, paths, scratch, room } = await open(async (folder, room) => {
      const inner = join(room, "inner");
      await createRepositoryFolder(inner);
      const hash = (await git(inner, "rev-parse", "HEAD")).trim();
      await writeFile(
        join(folder, ".gitmodules"),
        `[submodule "sub"]\n\tpath = sub\n\turl = ${inner}\n\tignore = none\n`,
      );
      await git(folder, "update-index", "--add", "--cacheinfo", `160000,${hash},sub`);
      await git(folder, "add", ".gitmodules");
      await git(folder, "commit", "-qm", "submodule");
    });
    const run = await trap(room);
    await mkdir(join(scratch, "sub"), { recursive: true });
    await git(join(scratch, "sub"), "init", "-q");
    await git(join(scratch, "sub"), "config", "core.fsmonitor", run);
    await put("a.txt", "x");
    await keep();
    expect(await paths()).toEqual(["a.txt"]);
    expect(await sprung(room)).toBe(false);
  });

  test("a .git file that points to a repository which does not know the folder is refused", async () => {
    const trick = start(async (_folder, room) => {
      await mkdir(join(room, "trick"));
      await writeFile(join(room, "trick/.git"), `gitdir: ${join(room, "user/.git")}\n`);
    }, "trick");
    await expect(trick).rejects.toMatchObject({
      code: "wrong_state",
      message: expect.stringContaining("does not know this folder"),
    });
  });

  test("a repository that says its objects are in another one, which does not know it, is refused", async () => {
    const another = async (room: string) => {
      await createRepositoryFolder(join(room, "another"));
      return join(room, "another/.git");
    };
    const own = start(async (folder, room) => writeFile(join(folder, ".git/commondir"), `${await another(room)}\n`));
    await expect(own).rejects.toMatchObject({ code: "wrong_state", message: expect.stringContaining("another one") });
    const worktree = start(async (folder, room) => {
      await git(folder, "worktree", "add", "-q", join(room, "worktree"));
      await writeFile(join(folder, ".git/worktrees/worktree/commondir"), `${await another(room)}\n`);
    }, "worktree");
    await expect(worktree).rejects.toThrow("another one");
    for (const path of ["objects/pack", "objects/pack/pack-1.pack", "objects/00"]) {
      const link = start(async (folder, room) => {
        await rm(join(folder, ".git", path), { recursive: true, force: true });
        await symlink(join(await another(room), "objects"), join(folder, ".git", path));
      });
      await expect(link).rejects.toMatchObject({ code: "wrong_state", message: expect.stringContaining("a link") });
    }
  });

  test("objects of another repository, a partial clone and a repository without a commit are refused with the reason", async () => {
    const alternates = (folder: string, room: string) =>
      writeFile(join(folder, ".git/objects/info/alternates"), `${room}\n`);
    await expect(start(alternates)).rejects.toThrow("shares objects");
    const partial = (folder: string) => git(folder, "config", "extensions.partialClone", "origin");
    await expect(start(partial)).rejects.toThrow("partial clone");
    const empty = await start(async (_folder, room) => {
      await mkdir(join(room, "empty"));
      await git(join(room, "empty"), "init", "-q");
    }, "empty");
    await expect(empty.workspaces.base()).rejects.toThrow("has no commit yet");
  });

  const kinds: [kind: string, prepare: (folder: string, room: string) => Promise<unknown>][] = [
    ["a worktree of the user", (folder, room) => git(folder, "worktree", "add", "-q", join(room, "given"))],
    ["a locked worktree", (folder, room) => git(folder, "worktree", "add", "-q", "--lock", join(room, "given"))],
    [
      "a detached HEAD",
      async (folder, room) => {
        await git(room, "clone", "-q", folder, "given");
        await git(join(room, "given"), "checkout", "-q", "--detach");
      },
    ],
    [
      "a shallow clone",
      async (folder, room) => {
        await writeFile(join(folder, "second"), "2");
        await git(folder, "add", "-A");
        await git(folder, "commit", "-qm", "second");
        await git(room, "clone", "-q", "--depth", "1", `file://${folder}`, "given");
      },
    ],
    ["a bare repository", (folder, room) => git(room, "clone", "-q", "--bare", folder, "given")],
  ];

  test.each(kinds)("%s works, from checkout to handing over", async (_kind, prepare) => {
    const { folder, put, paths, workspaces, base, keep, same } = await open(prepare, "given");
    await put("new", "new\n");
    expect(await paths()).toEqual(["new"]);
    await same();
    const { version } = await keep();
    await workspaces.handOver({ as: "branch", name: "work", base, version, commit: commit("w") });
    expect((await git(folder, "rev-parse", "work")).trim()).toBe(version);
    expect(await git(folder, "fsck", "--connectivity-only")).not.toMatch(/missing|broken/);
  });

  test("the user's worktree stays locked when work is merged into its branch", async () => {
    const { folder, user, put, keep, workspaces, base } = await open(
      (folder, room) =>
        git(folder, "worktree", "add", "-q", "--lock", "--reason", "mine", "-b", "side", join(room, "given")),
      "given",
    );
    await put("new", "new\n");
    const { version } = await keep();
    await workspaces.handOver({ as: "merge", into: "side", base, version, commit: commit("w") });
    expect(await readFile(join(folder, "new"), "utf8")).toBe("new\n");
    expect(await git(folder, "status", "--porcelain")).toBe("");
    expect(await git(user, "worktree", "list", "--porcelain")).toContain("branch refs/heads/side\nlocked mine\n");
  });

  test("a lock on a worktree of ours keeps nobody from saving, nor from making it anew", async () => {
    const { room, folder, scratch, put, keep, paths, same } = await open();
    const lock = () => git(join(room, "repository"), "worktree", "lock", "--reason", "not ours", scratch);
    await lock();
    await put("new", "new\n");
    expect(await paths()).toEqual(["new"]);
    const { version } = await keep();
    await rm(scratch, { recursive: true });
    const again = await workspacesOf(room, folder);
    await again.checkOut("r1.n1", { version, branch: "agiraph/x/n1" }, scratch);
    expect(await readFile(join(scratch, "new"), "utf8")).toBe("new\n");
    await lock(); // fails on one that is locked
    await put("more", "more\n");
    expect(await paths()).toEqual(["more", "new"]);
    await same();
  });

  test("a folder without git that is too large is refused before anything is read", async () => {
    const { workspaces, folder } = await start(async (_user, room) => {
      await mkdir(join(room, "large"));
      for (const name of Array.from({ length: 12 }, (_, n) => `large/${n}`)) {
        await writeFile(join(room, name), "");
        await truncate(join(room, name), 49 * 1024 * 1024);
      }
    }, "large");
    await expect(workspaces.base()).rejects.toMatchObject({
      code: "too_large",
      message: expect.stringContaining(folder),
    });
  });

  test("a branch that is checked out elsewhere, or does not exist, is not merged into", async () => {
    const { workspaces, base, put, keep, same } = await open(async (folder, room) => {
      await git(folder, "worktree", "add", "-q", "-b", "other", join(room, "elsewhere"));
    });
    await put("new", "new\n");
    const { version } = await keep();
    const wish = (into: string | undefined) => ({ as: "merge" as const, into, base, version, commit: commit("w") });
    await expect(workspaces.handOver(wish("other"))).rejects.toThrow("is checked out in");
    await expect(workspaces.handOver(wish("nothing"))).rejects.toMatchObject({ code: "not_found" });
    await expect(workspaces.handOver(wish("--force"))).rejects.toMatchObject({ code: "invalid" });
    await expect(workspaces.handOver(wish(undefined))).rejects.toMatchObject({ code: "invalid" });
    await same();
  });

  test("a branch that moved on is merged with; if it cannot be, nothing changes", async () => {
    const { workspaces, base, put, keep, user } = await open();
    await put("b/c.txt", "theirs\n");
    const { version } = await keep();
    await writeFile(join(user, "a.txt"), "moved on\n");
    await git(user, "commit", "-qam", "moved on");
    await workspaces.handOver({ as: "merge", into: "main", base, version, commit: commit("merge it") });
    expect(await readFile(join(user, "b/c.txt"), "utf8")).toBe("theirs\n");
    expect(await git(user, "status", "--porcelain")).toBe("");
    expect(await git(user, "log", "-1", "--format=%s %an")).toBe("merge it ann\n");
    await writeFile(join(user, "b/c.txt"), "mine\n");
    await git(user, "commit", "-qam", "mine");
    await put("b/c.txt", "again\n");
    const before = await photograph(user);
    const again = { as: "merge" as const, into: "main", base, version: (await keep()).version, commit: commit("m") };
    await expect(workspaces.handOver(again)).rejects.toMatchObject({
      code: "conflict",
      details: { files: ["b/c.txt"] },
    });
    expect(await photograph(user)).toEqual(before);
  });

  test("what a killed process left locked is unlocked", async () => {
    const { room, put, paths } = await open();
    await put("new", "new\n");
    await writeFile(join(room, "repository/worktrees/r1.n1/index.lock"), "");
    await writeFile(join(room, "repository/worktrees/r1.n1/HEAD.lock"), "");
    await mkdir(join(room, "repository/refs/agiraph/kept/r1"), { recursive: true });
    await writeFile(join(room, "repository/refs/agiraph/kept/r1/n1.lock"), "");
    expect(await paths()).toEqual(["new"]);
  });

  test("what a killed process left of our repository is made anew, and what it left beside it is removed", async () => {
    const { room, folder, base } = await open(async (_folder, room) => {
      await mkdir(join(room, "repository"));
      await writeFile(join(room, "repository/config.lock"), "");
    });
    await writeFile(join(room, "repository/drafts/index-1.lock"), "");
    await writeFile(join(room, "repository/drafts/patch-2"), "left");
    const again = await workspacesOf(room, folder);
    await again.restore(base, join(room, "restored"));
    expect(await readFile(join(room, "restored/b/c.txt"), "utf8")).toBe("see\n");
    expect(await readdir(join(room, "repository/drafts"))).toEqual([]);
  });

  test("the worker's own git knows the history and its branch", async () => {
    const { scratch, put } = await open();
    expect(await git(scratch, "log", "--format=%s")).toBe("first\n");
    expect(await git(scratch, "status", "--porcelain")).toBe("");
    await put("new", "new\n");
    await git(scratch, "add", "-A");
    await git(scratch, "commit", "-qm", "mine");
    expect(await git(scratch, "rev-parse", "--abbrev-ref", "HEAD")).toBe("agiraph/x/n1\n");
  });
});
