/**
 * A full disk, of ours or of the user: whoever saves, publishes, merges or hands over is told what to do, nothing of the user's is changed, and
 * with space again the same call succeeds. The disks are small tmpfs mounts: without the right to mount, this is skipped.
 */
import { mkdirSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { machine } from "../../src/lib/machine/index.ts";
import { createModel } from "../../src/runtime/model.test-help.ts";
import { defineTool } from "../../src/toolkit/tool.ts";
import { commit } from "../../src/workspace/contract.ts";
import {
  createRepositoryFolder,
  emptyRoom,
  git,
  photograph,
  workspacesOf,
} from "../../src/workspace/workspaces.test-help.ts";
import { fill, mayMount, mount } from "../crash/disk.ts";
import { openHouse } from "../crash/house.ts";
import { events as eventsOf, of } from "../scenarios/log.ts";

const mountable = mayMount();
const reason = mountable ? "" : " (skipped: mounting a tmpfs needs root)";
const isFull = expect.stringMatching(/the disk (is|may be) full: free some space/);
const full = { code: "storage_failed", message: isFull };

/** Does not compress, so it takes the space that it has. */
const noise = (bytes: number): string => machine.random.hex(bytes / 2);

describe.skipIf(!mountable)(`a full disk${reason}`, () => {
  test("of ours: a checkout, saving, publishing and merging say so, change nothing, and succeed when there is space", async () => {
    const room = await emptyRoom();
    const user = join(room, "user");
    const ours = join(room, "ours");
    await createRepositoryFolder(user);
    mkdirSync(ours);
    mount(ours, "2m");
    const before = await photograph(user);
    const workspaces = await workspacesOf(ours, user);
    const { version: base } = await workspaces.base();
    const filler = join(ours, "filler");
    /** Refused while there is no space, and what it is with space again. */
    async function needsSpace<T>(act: () => Promise<T>): Promise<T> {
      fill(filler, 0);
      await expect(act()).rejects.toMatchObject(full);
      rmSync(filler);
      return await act();
    }
    const open = (name: string, source = { version: base }) =>
      workspaces.checkOut(`r1.${name}`, { ...source, branch: `agiraph/x/${name}` }, join(room, name));
    const keep = (name: string) => workspaces.keep(`r1.${name}`, join(room, name), commit("saved", base));

    await needsSpace(() => open("n1"));
    await open("n2");
    const put = (path: string) => writeFile(join(room, path), noise(50_000));
    await Promise.all([put("n1/a.txt"), put("n1/one"), put("n2/b/c.txt")]);
    const { version: one } = await needsSpace(() => keep("n1"));
    const { version: two } = await needsSpace(() => keep("n2"));
    const described = await needsSpace(() => workspaces.describe(one, commit("one", base)));
    await needsSpace(() => workspaces.setBranch("agiraph/x/n1", described));
    expect((await needsSpace(() => workspaces.patch(base, described))).length).toBeGreaterThan(100_000);
    const published = join(room, "published");
    expect(await needsSpace(() => workspaces.copyChanged(base, described, published))).toEqual(["a.txt", "one"]);
    const sides = { ours: described, theirs: two, base };
    const merged = await needsSpace(() => workspaces.merge(sides, commit("both")));
    await workspaces.restore((merged as { version: string }).version, join(room, "merged"));
    const wanted = async (name: string, path: string) => (await photograph(join(room, name)))[path];
    for (const [name, path] of [
      ["n1", "a.txt"],
      ["n1", "one"],
      ["n2", "b/c.txt"],
    ] as const)
      expect(await wanted("merged", path)).toBe(await wanted(name, path));
    expect(await photograph(user)).toEqual(before);
  });

  test("of the user: whatever space is left, all of it is handed over or nothing", async () => {
    const room = await emptyRoom();
    const disk = join(room, "disk");
    const user = join(disk, "user");
    mkdirSync(disk);
    mount(disk, "4m");
    await createRepositoryFolder(user);
    const workspaces = await workspacesOf(room, user);
    const { version: base } = await workspaces.base();
    const scratch = join(room, "scratch");
    await workspaces.checkOut("r1.n1", { version: base, branch: "agiraph/x/n1" }, scratch);
    await mkdir(join(scratch, "new"));
    for (const path of ["a.txt", "b/c.txt", "new/one", "new/two"]) await writeFile(join(scratch, path), noise(30_000));
    const { version } = await workspaces.keep("r1.n1", scratch, commit("saved", base));
    const wish = { base, version, commit: commit("w") };
    const before = await photograph(user);
    const filler = join(disk, "filler");
    const refused: string[] = [];
    let isOver = false;
    // From nothing up to what it needs, so that every part of it is refused once.
    for (let free = 0; !isOver; free += 32 * 1024) {
      fill(filler, free);
      const problem = await workspaces.handOver({ ...wish, as: "merge", into: "main" }).then(
        () => undefined,
        (error) => error,
      );
      rmSync(filler);
      isOver = !problem;
      if (isOver) break;
      expect([free, problem]).toMatchObject([free, full]);
      expect([free, await photograph(user)]).toEqual([free, before]);
      refused.push(problem.message);
    }
    expect(new Set(refused.map((text) => text.slice(0, 12))).size).toBeGreaterThan(1);
    expect(await git(user, "status", "--porcelain")).toBe("");
    expect((await git(user, "rev-parse", "main")).trim()).toBe(version);
    expect(await git(user, "fsck", "--connectivity-only")).not.toMatch(/missing|broken/);
    fill(filler, 0);
    await writeFile(join(scratch, "a.txt"), noise(30_000));
    const next = await workspaces.keep("r1.n1", scratch, commit("saved", base));
    const branch = { ...wish, version: next.version, as: "branch" as const, name: "work" };
    const between = await photograph(user);
    await expect(workspaces.handOver(branch)).rejects.toMatchObject(full);
    expect(await photograph(user)).toEqual(between);
    rmSync(filler);
    await workspaces.handOver(branch);
    expect((await git(user, "rev-parse", "work")).trim()).toBe(next.version);
  });

  test("an agent is told by publish and merge, the human by a notice, and the work goes on to the same end", async () => {
    const room = await emptyRoom();
    const [user, home] = [join(room, "user"), join(room, "home")];
    await createRepositoryFolder(user);
    const before = await photograph(user);
    const ours = join(home, "agents/a1/repository");
    mkdirSync(ours, { recursive: true });
    mount(ours, "2m");
    const filler = join(ours, "filler");
    const space = defineTool({
      name: "space",
      about: "Takes all space, or frees it.",
      guidance: "-",
      effect: "outside",
      repeatable: true,
      input: z.object({ free: z.boolean() }),
      async run({ free }) {
        rmSync(filler, { force: true });
        if (!free) fill(filler, 0);
        return "done";
      },
    });
    const call = (tool: string, input: object = {}) => ({ tool, input });
    const takes = call("space", { free: false });
    const frees = call("space", { free: true });
    const publish = call("publish", { summary: "written" });
    const merge = call("merge", { node: "n1" });
    const backend = createModel(
      {
        coordinator: [
          {
            calls: [call("spawn_worker", { name: "Ann" }), call("create_work_node", { task: "write", worker: "Ann" })],
          },
          { calls: [call("wait_for_nodes")] },
          { calls: [takes, merge] },
          { calls: [frees, merge] },
          { calls: [call("finish", { summary: "done" })] },
        ],
        ann: [
          { calls: [call("write_file", { path: "a.txt", content: noise(50_000) }), takes, publish] },
          { calls: [frees, publish] },
        ],
      },
      [],
      machine.clock,
    );
    const house = await openHouse({ home, backend, tools: [space] });
    onTestFinished(() => house.close());
    await house.runtime.create({ goal: "change it", name: "a1", model: "scripted/test", folder: user, merge: "auto" });
    await house.until("a1", ({ type }) => type === "run.completed");
    const log = eventsOf(home, "a1");
    const told = (tool: string) =>
      of(log, "tool.ended")
        .filter(({ data }) => data.tool === tool)
        .map(({ data }) => [data.outcome, data.result]);
    expect(told("publish")).toEqual([
      ["error", isFull],
      ["ok", expect.stringContaining("a.txt")],
    ]);
    expect(told("merge")).toEqual([
      ["error", isFull],
      ["ok", expect.stringContaining("is merged")],
    ]);
    expect(house.notices.map(({ code, message }) => `${code} ${message}`)).toContainEqual(
      expect.stringMatching(/^storage_failed .*the disk is full/),
    );
    const { "a.txt": mine, ...rest } = await photograph(user);
    expect(mine).not.toBe(before["a.txt"]);
    expect(rest["b/c.txt"]).toBe(before["b/c.txt"]);
    expect(await git(user, "status", "--porcelain")).toBe("");
  });
});
