/** What every archive must do with folders, on a real disk. */
import { readFile, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commit } from "./contract.ts";
import { photograph } from "./workspaces.test-help.ts";
import { type Archive, bounds } from "./workspaces.ts";

export interface ArchivePlace {
  archive: Archive;
  /** For folders; empty but for the one. */
  room: string;
  name: string;
  /** With a.txt (ten numbered lines), b/c.txt ("see") and run.sh, which is executable. */
  folder: string;
  /** What was saved or checked out last. */
  version: string;
}

export function archiveContract(name: string, make: () => Promise<ArchivePlace>): void {
  async function start() {
    const place = await make();
    const { archive, folder, room } = place;
    let last = place.version;
    const at = (path: string) => join(folder, path);
    const keep = async () => {
      const kept = await archive.keep(place.name, folder, commit("saved", last), last);
      last = kept.version;
      return kept;
    };
    let n = 0;
    const restored = async (version: string) => {
      const to = join(room, `restored-${++n}`);
      await archive.restore(version, to);
      return { ...(await photograph(to)), executable: ((await stat(join(to, "run.sh"))).mode & 0o100) !== 0 };
    };
    /** Without what is ours or git's in it. */
    const now = async () => {
      const all = await photograph(folder);
      for (const path of Object.keys(all)) if (/^(\.git\/|_outbox)/.test(path)) delete all[path];
      return { ...all, executable: ((await stat(at("run.sh"))).mode & 0o100) !== 0 };
    };
    return { ...place, at, keep, restored, now };
  }

  describe(name, () => {
    test("what is not changed is the version of before, and what is changed comes back as it was then", async () => {
      const { keep, restored, now, version, at } = await start();
      expect((await keep()).version).toBe(version);
      await writeFile(at("a.txt"), "other\n");
      await writeFile(at("b/new.txt"), "new\n");
      const [one, first] = [await keep(), await now()];
      expect((await keep()).version).toBe(one.version);
      await rm(at("b/c.txt"));
      await writeFile(at("a.txt"), "again\n");
      const [two, second] = [await keep(), await now()];
      expect([await restored(one.version), await restored(two.version)]).toEqual([first, second]);
    });

    test("an edit of the same length within the same tick is found, and one that sets the time back", async () => {
      const { keep, restored, now, at } = await start();
      for (const text of ["one\n", "two\n", "six\n"]) {
        await writeFile(at("b/c.txt"), text);
        const { version } = await keep();
        expect(await restored(version)).toEqual(await now());
      }
      const { atime, mtime } = await stat(at("b/c.txt"));
      await writeFile(at("b/c.txt"), "ten\n");
      await utimes(at("b/c.txt"), atime, mtime);
      expect(await restored((await keep()).version)).toEqual(await now());
    });

    test("files of the version that are missing or differ are told, and can be put back; others are not touched", async () => {
      const { archive, keep, at, folder, name, now } = await start();
      await writeFile(at("new.txt"), "new\n");
      const [{ version }, before] = [await keep(), await now()];
      const differences = () => archive.differences(name, folder, version);
      expect(await differences()).toEqual([]);
      await rm(at("b"), { recursive: true });
      await rm(at("run.sh"));
      await writeFile(at("new.txt"), "");
      await writeFile(at("other.txt"), "not in it\n");
      const found = await differences();
      expect(found.map(({ path, changed }) => [path, changed === null]).sort()).toEqual([
        ["b/c.txt", true],
        ["new.txt", false],
        ["run.sh", true],
      ]);
      const { ctimeMs } = await stat(at("new.txt"));
      expect(found.find(({ path }) => path === "new.txt")?.changed).toBeGreaterThanOrEqual(ctimeMs);
      const paths = found.map(({ path }) => path);
      expect((await archive.putBack(version, paths, folder)).sort()).toEqual(["b/c.txt", "new.txt", "run.sh"]);
      expect(await differences()).toEqual([]);
      expect(await readFile(at("other.txt"), "utf8")).toBe("not in it\n");
      await rm(at("other.txt"));
      expect(await now()).toEqual(before);
    });

    test("nothing is put back through a link, or over a folder", async () => {
      const { archive, keep, at, folder, room } = await start();
      const { version } = await keep();
      await rm(at("b"), { recursive: true });
      await symlink(room, at("b"));
      await rm(at("a.txt"));
      await archive.restore(version, at("a.txt"));
      expect(await archive.putBack(version, ["b/c.txt", "a.txt"], folder)).toEqual([]);
      await expect(stat(join(room, "c.txt"))).rejects.toMatchObject({ code: "ENOENT" });
    });

    test("what is not saved is named, what is ours is not", async () => {
      const { keep, at, version } = await start();
      await writeFile(at("huge"), "");
      await truncate(at("huge"), bounds.file + 1);
      await writeFile(at("_outbox.md"), "a word\n");
      await writeFile(at("b/.c.txt.17-abc.3.tmp"), "half writ");
      const kept = await keep();
      expect(kept.version).toBe(version);
      expect(kept.left_out).toEqual([{ path: "huge", why: expect.stringContaining("at most") }]);
    });
  });
}
