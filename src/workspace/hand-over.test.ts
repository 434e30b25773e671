/** The user's checkout when something is handed over: all of it or nothing, wherever it is interrupted. */
import { cp, mkdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import type { World } from "../lib/world.ts";
import { put, startHandOver } from "./hand-over.test-help.ts";
import { git, photograph, workspacesOf } from "./workspaces.test-help.ts";

describe("what is handed over", () => {
  test("is what git itself would have checked out, with modes, links and without empty folders", async () => {
    const { room, user, workspaces, wish, arrived } = await startHandOver();
    await workspaces.handOver(wish);
    await arrived();
    await git(room, "clone", "-q", user, "clone");
    const files = async (folder: string) =>
      Object.entries(await photograph(folder)).filter(([path]) => !path.startsWith(".git/"));
    expect(await files(user)).toEqual(await files(join(room, "clone")));
    expect((await stat(join(user, "kept.txt"))).mode & 0o111).toBe(0o111);
    await expect(stat(join(user, "deep"))).rejects.toThrow("ENOENT");
  });

  test("reaches a linked worktree of the user, whose repository is elsewhere", async () => {
    const { user, room, wish, version } = await startHandOver((folder) =>
      git(folder, "worktree", "add", "-q", "-b", "side", join(folder, "../linked")),
    );
    const before = await photograph(user);
    const linked = join(room, "linked");
    await (await workspacesOf(room, linked)).handOver({ ...wish, into: "side" });
    expect(await git(linked, "status", "--porcelain")).toBe("");
    expect((await git(linked, "rev-parse", "HEAD")).trim()).toBe(version);
    const mine = ([path]: [string, string]) => !path.startsWith(".git/");
    expect(Object.entries(await photograph(user)).filter(mine)).toEqual(Object.entries(before).filter(mine));
  });

  test("does not follow a link that the user put in the way, and changes nothing", async () => {
    const { user, room, workspaces, wish } = await startHandOver();
    await put(room, "elsewhere/er/only.txt", "deep/er/only.txt\n");
    await rm(join(user, "deep"), { recursive: true });
    await symlink(join(room, "elsewhere"), join(user, "deep"));
    await symlink(join(room, "elsewhere"), join(user, "new"));
    const before = await photograph(room);
    await expect(workspaces.handOver(wish)).rejects.toMatchObject({ code: "conflict" });
    const theirs = ([path]: [string, string]) => /^(user|elsewhere)\//.test(path);
    expect(Object.entries(await photograph(room)).filter(theirs)).toEqual(Object.entries(before).filter(theirs));
  });

  test("waits for whoever has the index locked, and says which file to remove if nobody does", async () => {
    const { user, workspaces, wish, arrived } = await startHandOver();
    await writeFile(join(user, ".git/index.lock"), "");
    const before = await photograph(user);
    await expect(workspaces.handOver(wish)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(".git/index.lock exists. When no git is running, remove that file"),
    });
    expect(await photograph(user)).toEqual(before);
    await rm(join(user, ".git/index.lock"));
    await workspaces.handOver(wish);
    await arrived();
  });

  test("is not stopped by the lock that a killed git of ours left on the branch", async () => {
    const { user, workspaces, wish, version, arrived } = await startHandOver();
    await writeFile(join(user, ".git/refs/heads/main.lock"), `${version}\n`);
    await workspaces.handOver(wish);
    await arrived();
  });

  test("is not stopped by the lock that a git of ours left on the index when it was killed with us; by an older one it is", async () => {
    const { room, user, wish, arrived } = await startHandOver();
    const lock = join(user, ".git/index.lock");
    const { processes } = machine;
    const world: World = {
      ...machine,
      processes: {
        ...processes,
        async start(program) {
          if (!program.command.includes("-i")) return await processes.start(program);
          await writeFile(lock, "half");
          return await processes.start({ ...program, command: ["/bin/sh", "-c", "kill -9 $$"] });
        },
      },
      point: async (name) => {
        if (name === "handover.placed") isDying = true;
      },
      files: {
        ...machine.files,
        async remove(path) {
          if (isDying) throw new Error("dead");
          await machine.files.remove(path);
        },
        async move(...given) {
          if (isDying) throw new Error("dead");
          await machine.files.move(...given);
        },
      },
    };
    let isDying = false;
    await expect((await workspacesOf(room, user, world)).handOver(wish)).rejects.toThrow();
    const again = await workspacesOf(room, user);
    await utimes(lock, 1, 1);
    await expect(again.handOver(wish)).rejects.toThrow("index.lock exists");
    await writeFile(lock, "half");
    await again.handOver(wish);
    await arrived();
  });

  test("is taken back if the branch cannot be moved", async () => {
    const { user, workspaces, wish } = await startHandOver();
    await writeFile(join(user, ".git/refs/heads/main.lock"), "somebody's\n");
    const before = await photograph(user);
    await expect(workspaces.handOver(wish)).rejects.toMatchObject({ code: "conflict" });
    expect(await seen(user)).toEqual(withoutIndex(before));
    expect(await git(user, "status", "--porcelain")).toBe("");
  });
});

const withoutIndex = ({ ".git/index": _index, ...rest }: Record<string, string>) => rest;
/** The index may have been refreshed. */
const seen = async (folder: string) => withoutIndex(await photograph(folder));

/** A world that counts what is done to a folder, and does what it is told at one of these steps. */
function counting(folder: string, at: (step: number) => void): World {
  let step = 0;
  const reached = (...paths: string[]) => {
    if (paths.some((path) => path.startsWith(`${folder}/`))) at(++step);
  };
  const { files, processes } = machine;
  return {
    ...machine,
    files: {
      ...files,
      async write(path, ...rest) {
        reached(path);
        await files.write(path, ...rest);
      },
      async move(from, to, options) {
        reached(from, to);
        await files.move(from, to, options);
      },
      async remove(path) {
        reached(path);
        await files.remove(path);
      },
      async makeDir(path) {
        reached(path);
        await files.makeDir(path);
      },
    },
    processes: {
      ...processes,
      async start(program) {
        const changes = ["read-tree", "update-ref", "checkout-index", "update-index"];
        try {
          if (program.command.some((word) => changes.includes(word))) reached(`${program.env.GIT_DIR}/`);
        } catch (error) {
          if (error === dead) throw error;
          const fail = `echo "fatal: ${(error as Error).message}" >&2; exit 128`;
          return await processes.start({ ...program, command: ["/bin/sh", "-c", fail] });
        }
        return await processes.start(program);
      },
    },
  };
}

/** Every step with `CRASH=all`; otherwise some. */
const stride = process.env.CRASH === "all" ? 1 : 5;

const dead = new Error("the process is dead");

describe("interrupted at each step", () => {
  /** As each repository starts from the same one, that one is made once. */
  async function many() {
    const place = await startHandOver();
    const { room, user, wish } = place;
    return {
      ...place,
      async another(world: (folder: string) => World) {
        await rm(join(room, "next"), { recursive: true, force: true });
        await mkdir(join(room, "next"));
        for (const name of ["user", "repository"])
          await cp(join(room, name), join(room, "next", name), { recursive: true, verbatimSymlinks: true });
        const folder = join(room, "next/user");
        const open = (given: World) => workspacesOf(join(room, "next"), folder, given);
        return { folder, open, workspaces: await open(world(folder)) };
      },
      before: await seen(user),
      wish,
    };
  }

  test("killed there, the branch is where it was, each file is as before or as after or missing, and repeating it completes it", async () => {
    const { another, before, wish, base, version, arrived, room, user } = await many();
    await git(room, "clone", "-q", user, "after");
    await git(join(room, "after"), "fetch", "-q", join(room, "repository"), "refs/agiraph/kept/r1/n1");
    await git(join(room, "after"), "reset", "-q", "--hard", version);
    const after = await photograph(join(room, "after"));
    let steps = 0;
    for (let last = 1; last > 0; last += stride) {
      let isDead = false;
      const { folder, open, workspaces } = await another((folder) =>
        counting(folder, (step) => {
          isDead ||= step === last;
          if (isDead) throw dead;
        }),
      );
      const died = await workspaces.handOver(wish).then(
        () => false,
        () => true,
      );
      if (!died) break;
      steps++;
      const tip = (await git(folder, "rev-parse", "main")).trim();
      for (const [path, hash] of Object.entries(await photograph(folder)))
        if (!path.startsWith(".git/")) expect([before[path], after[path]], `${last}: ${path}`).toContain(hash);
      if (tip === version) expect(await git(folder, "status", "--porcelain")).toBe("");
      else expect(tip).toBe(base);
      await (await open(machine)).handOver(wish);
      await arrived(folder);
    }
    expect(steps * stride).toBeGreaterThan(20);
  });

  test("refused there, all is as it was or done, and repeating it completes it", async () => {
    const { another, before, wish, arrived } = await many();
    let steps = 0;
    for (let nth = 1; nth > 0; nth += stride) {
      let isRefused = false;
      const { folder, open, workspaces } = await another((folder) =>
        counting(folder, (step) => {
          if (step !== nth) return;
          isRefused = true;
          throw Object.assign(new Error("No space left on device"), { code: "ENOSPC" });
        }),
      );
      const problem = await workspaces.handOver(wish).then(
        () => undefined,
        (error) => error,
      );
      if (!isRefused) break;
      steps++;
      if ((await git(folder, "rev-parse", "main")).trim() !== wish.version) {
        expect([nth, problem]).toMatchObject([
          nth,
          { code: "storage_failed", message: expect.stringContaining("the disk is full: free some space") },
        ]);
        expect([nth, await seen(folder)]).toEqual([nth, before]);
      }
      expect([nth, await git(folder, "status", "--porcelain")]).toEqual([nth, ""]);
      await (await open(machine)).handOver(wish);
      await arrived(folder);
    }
    expect(steps * stride).toBeGreaterThan(20);
  });
});

test("what the user has edited meanwhile is never overwritten, also not when an interrupted one is repeated", async () => {
  const { room, user, wish } = await startHandOver();
  let isDead = false;
  const dying = counting(user, () => {
    if (isDead) throw dead;
  });
  const world: World = {
    ...dying,
    point: async (name) => {
      if (name === "handover.placed") isDead = true;
      if (isDead) throw dead;
    },
  };
  await expect((await workspacesOf(room, user, world)).handOver(wish)).rejects.toThrow();
  expect(await readFile(join(user, "a.txt"), "utf8")).toBe("changed\n");
  await writeFile(join(user, "a.txt"), "mine\n");
  const before = await photograph(user);
  await expect((await workspacesOf(room, user)).handOver(wish)).rejects.toMatchObject({
    code: "conflict",
    details: { files: ["a.txt"] },
  });
  const files = (all: Record<string, string>) => Object.entries(all).filter(([path]) => !path.startsWith(".git/"));
  expect(files(await photograph(user))).toEqual(files(before));
  expect(await readFile(join(user, "a.txt"), "utf8")).toBe("mine\n");
});
