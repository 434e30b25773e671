import { mkdir, readdir, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { machine } from "../lib/machine/index.ts";
import type { World } from "../lib/world.ts";
import { type ArchivePlace, archiveContract } from "./archive.contract.ts";
import { commit } from "./contract.ts";
import { notesFolder } from "./notes-folder.ts";
import { openArchive } from "./open.ts";
import { emptyRoom, memoryBlobs, photograph, placeOf, writeFiles } from "./workspaces.test-help.ts";
import { bounds } from "./workspaces.ts";

async function checkoutOf(kind: "repository" | "folder"): Promise<ArchivePlace> {
  const { workspaces, room } = await placeOf(kind);
  const { version } = await workspaces.base();
  const [name, folder] = ["r1.n1", join(room, "n1")];
  await workspaces.checkOut(name, { version, branch: "agiraph/x/n1" }, folder);
  return { archive: workspaces, room, name, folder, version };
}

archiveContract("checkouts of a git repository", () => checkoutOf("repository"));
archiveContract("checkouts of a folder without git", () => checkoutOf("folder"));
archiveContract("plain scratches", async () => {
  const { archive, room, folder } = await plain();
  await writeFiles(folder);
  const { version } = await archive.keep("r1.n1", folder, commit("first"));
  return { archive, room, name: "r1.n1", folder, version };
});

/** `ahead`: as if everything had been changed long ago, so that the disk's times alone tell what has changed. */
async function plain({ ahead = false, leave = [] as readonly string[] } = {}) {
  const room = await emptyRoom();
  const folder = join(room, "scratch");
  await mkdir(folder);
  const blobs = memoryBlobs();
  const read: string[] = [];
  const counting: World["files"] = {
    ...machine.files,
    within(root) {
      const within = machine.files.within(root);
      return {
        ...within,
        read(path, most) {
          read.push(path);
          return within.read(path, most);
        },
      };
    },
  };
  const clock = { ...machine.clock, now: () => Date.now() + (ahead ? 60_000 : 0) };
  const world = { ...machine, files: counting, clock };
  const archive = openArchive({ world, blobs, root: join(room, "ours"), ignore: ["_outbox.md"], leave });
  let last: string | undefined;
  const keep = async () => {
    const kept = await archive.keep("r1.n1", folder, commit("saved"), last);
    last = kept.version;
    return kept;
  };
  const fill = async (count: number) => {
    for (let n = 0; n < count; n++) await writeFile(join(folder, `file-${n}.md`), `text ${n}\n`);
  };
  const bytes = () => [...blobs.all.values()].reduce((sum, { length }) => sum + length, 0);
  return { room, folder, blobs, read, archive, keep, fill, bytes };
}

test("only what has changed is read and stored, and a change costs the same in a large folder", async () => {
  const { folder, room, keep, fill, read, bytes, archive } = await plain({ ahead: true });
  await fill(200);
  await keep();
  read.length = 0;
  const grown: number[] = [];
  const versions: { version: string; had: unknown }[] = [];
  for (let n = 0; n < 40; n++) {
    const before = bytes();
    await writeFile(join(folder, `file-${n % 7}.md`), `other ${n}\n`);
    if (n % 5 === 0) await rm(join(folder, `file-${100 + n}.md`));
    const { version } = await keep();
    if (n % 13 === 0) versions.push({ version, had: await photograph(folder) });
    grown.push(bytes() - before);
  }
  expect(read).toHaveLength(40);
  expect(Math.max(...grown)).toBeLessThan(600);
  for (const [n, { version, had }] of versions.entries()) {
    const to = join(room, `restored-${n}`);
    await archive.restore(version, to);
    expect(await photograph(to)).toEqual(had);
  }
});

test("a file whose size and time are set back to what they were is read again", async () => {
  const { folder, keep, read } = await plain({ ahead: true });
  const path = join(folder, "a.md");
  await writeFile(path, "one\n");
  const { version } = await keep();
  const before = await stat(path);
  do {
    await writeFile(path, "two\n");
    await utimes(path, before.atime, before.mtime);
  } while ((await stat(path)).ctimeMs === before.ctimeMs);
  read.length = 0;
  expect((await keep()).version).not.toBe(version);
  expect(read).toEqual(["a.md"]);
});

test("differences that add up to the whole list are followed by a whole list", async () => {
  const { folder, keep, fill, blobs } = await plain();
  await fill(30);
  const isWhole = (version: string) => String(blobs.all.get(version)).startsWith("[");
  const whole: boolean[] = [];
  for (let n = 0; n < 60; n++) {
    await writeFile(join(folder, "file-1.md"), "x".repeat(n));
    whole.push(isWhole((await keep()).version));
  }
  expect(whole[0]).toBe(true);
  expect(whole.filter(Boolean).length).toBeGreaterThan(1);
  expect(whole.filter(Boolean).length).toBeLessThan(10);
});

test("without its note, or with a torn one, a folder that has not changed is the same version", async () => {
  const { room, keep, fill, read } = await plain({ ahead: true });
  await fill(20);
  const { version } = await keep();
  const notes = join(room, "ours", "notes");
  const [note] = await readdir(notes);
  await truncate(join(notes, note!), 40);
  read.length = 0;
  expect((await keep()).version).toBe(version);
  expect(read).toHaveLength(20);
  await rm(notes, { recursive: true });
  expect((await keep()).version).toBe(version);
  expect((await keep()).version).toBe(version);
  expect(read).toHaveLength(40);
});

test("a version whose list is lost is followed by one that is complete", async () => {
  const { room, folder, keep, fill, blobs, archive } = await plain();
  await fill(20);
  await keep();
  blobs.all.clear();
  await rm(join(room, "ours"), { recursive: true });
  const { version } = await keep();
  await archive.restore(version, join(room, "restored"));
  expect(await photograph(join(room, "restored"))).toEqual(await photograph(folder));
});

test("what is large, made by programs or a cache is left out, and named", async () => {
  const { folder, keep } = await plain({ leave: [".cache"] });
  for (const name of ["node_modules/x", ".git", ".cache", "src/.cache"]) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, "file"), "x");
  }
  const { count, left_out } = await keep();
  expect(count).toBe(1);
  expect(left_out).toEqual([".cache", ".git", "node_modules"].map((path) => ({ path, why: `${path} is not saved` })));
});

test("more files than are saved, and more than are looked at, are told of once", async () => {
  const { folder, keep } = await plain();
  const { files, entries } = bounds;
  try {
    Object.assign(bounds, { files: 5, entries: 12 });
    for (const one of ["a", "b", "c", "d"]) {
      await mkdir(join(folder, one));
      for (let n = 0; n < 3; n++) await writeFile(join(folder, one, String(n)), "x");
    }
    const { count, left_out } = await keep();
    expect(count).toBe(5);
    expect(left_out.map(({ path }) => path)).toEqual(["b/2", "c/0", "c/1", "c/2", "d"]);
    expect(left_out.at(-1)?.why).toContain("this and all after it");
  } finally {
    Object.assign(bounds, { files, entries });
  }
});

test("opening a repository leaves the notes about plain scratches that are beside it", async () => {
  const { workspaces, room } = await placeOf("repository");
  const note = join(room, "repository", notesFolder, "r1.n1.json");
  await mkdir(join(room, "repository", notesFolder), { recursive: true });
  await writeFile(note, "{}");
  await writeFile(join(room, "repository", "HEAD"), "half of one that was killed");
  const { version } = await workspaces.base();
  await workspaces.checkOut("r1.n2", { version, branch: "agiraph/x/n2" }, join(room, "n2"));
  expect((await stat(note)).size).toBe(2);
});
