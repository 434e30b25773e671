/** A command in a checkout, in the real sandbox: it has the history and the files, and reaches nothing of the user's but to read it. */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { machine } from "../../src/lib/machine/index.ts";
import { createRepositoryFolder, git, photograph } from "../../src/workspace/workspaces.test-help.ts";
import { bash, removeHome, told } from "../desk.ts";

const room = mkdtempSync(join("/var/tmp", "agiraph-repository-"));
afterAll(() => rmSync(room, { recursive: true, force: true }));

test.skipIf((await machine.processes.sandbox()) !== null)(
  "a command changes the checkout, knows its history, leaves its caches elsewhere, and cannot change the repository",
  async () => {
    const folder = join(room, "user");
    await createRepositoryFolder(folder);
    const before = await photograph(folder);
    const { home, results } = await told(
      [
        bash("git log --format=%s; sed -i s/5/five/ a.txt && echo cache > ~/cache && git status --porcelain"),
        bash(`echo x > ${folder}/a.txt; echo x > ${folder}/.git/HEAD; git -C ${folder} commit -qam x; true`),
        bash("git add -A && git commit -qm mine && git log --format=%s"),
      ],
      { given: { folder } },
    );
    expect(results[0]!.result).toMatch(/first\n+ ?M a\.txt/);
    expect(results[0]!.result).not.toContain("cache");
    expect(results[2]!.result).toContain("mine\nfirst");
    expect(await photograph(folder)).toEqual(before);
    await removeHome(home);
  },
);

test.skipIf((await machine.processes.sandbox()) !== null)(
  "in a worktree of the user's, a command knows the history, which is in the repository elsewhere, and only reads it",
  async () => {
    const main = join(room, "main");
    const worktree = join(room, "worktree");
    await createRepositoryFolder(main);
    await git(main, "worktree", "add", "-q", worktree);
    const before = await photograph(room);
    const { home, results } = await told(
      [
        bash(
          "git log --format=%s && git status --porcelain && echo six >> a.txt && git commit -qam mine && git log --format=%s",
        ),
        bash(`ls ${main}/.git; touch ${main}/.git/objects/x; cat ${main}/a.txt; true`),
      ],
      { given: { folder: worktree } },
    );
    expect(results[0]!.result).toContain("first\nmine\nfirst");
    expect(results[1]!.result).toMatch(/^objects\n/);
    expect(results[1]!.result).toMatch(/touch: .*Read-only file system/);
    expect(results[1]!.result).toMatch(/cat: .*No such file/);
    expect(await photograph(room)).toEqual(before);
    await removeHome(home);
  },
);
