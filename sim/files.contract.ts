/**
 * What every Files must do, run against the real disk and the simulated one.
 *
 * Always holds: no fault is injected and no power is lost here; that is what disk.test.ts is for.
 * Not here: modes and EACCES when the tests run as root, who may do everything.
 */
import { describe, expect, test } from "vitest";
import type { Files } from "../src/lib/world.ts";

export interface Place {
  /** Absolute; there is such a folder, and it is empty. */
  root: string;
  files: Files;
  /** The same disk as another process sees it. */
  other: Files;
  /** Runs the test to its end, letting time pass if it must be let. */
  play(act: () => Promise<void>): Promise<void>;
  /** True if the permission bits bind us. */
  modes: boolean;
}

export function filesContract(name: string, make: () => Promise<Place>): void {
  const it = (title: string, act: (place: Place) => Promise<void>) =>
    test(title, async () => {
      const place = await make();
      await place.play(() => act(place));
    });
  const text = (content: Buffer | null) => content?.toString();

  describe(name, () => {
    it("open creates the file but not its folder", async ({ files, root }) => {
      const file = await files.open(`${root}/log`);
      expect(await file.size()).toBe(0);
      await file.close();
      expect(await files.stat(`${root}/log`)).toMatchObject({ kind: "file", size: 0 });
      await expect(files.open(`${root}/no/log`)).rejects.toMatchObject({ code: "ENOENT" });
    });

    it("appends go to the end and are read back from any offset", async ({ files, root }) => {
      const file = await files.open(`${root}/log`);
      await file.append(Buffer.from("one "));
      await file.append(Buffer.from("two "));
      await file.append(new Uint8Array());
      await file.sync();
      const again = await files.open(`${root}/log`);
      await again.append(Buffer.from("three"));
      expect(await file.size()).toBe(13);
      expect(text(await file.read(4, 3))).toBe("two");
      expect(text(await file.read(8, 100))).toBe("three");
      expect(text(await file.read(50, 5))).toBe("");
      expect(text(await files.read(`${root}/log`))).toBe("one two three");
      await again.close();
      await file.close();
    });

    it("an append after a truncate goes to the new end", async ({ files, root }) => {
      const file = await files.open(`${root}/log`);
      await file.append(Buffer.from("whole torn"));
      await file.truncate(6);
      await file.append(Buffer.from("next"));
      expect(text(await files.read(`${root}/log`))).toBe("whole next");
      await file.truncate(12);
      expect(text(await files.read(`${root}/log`))).toBe("whole next\0\0");
      await file.close();
    });

    it("appends that are not awaited all arrive, in some order", async ({ files, root }) => {
      const file = await files.open(`${root}/log`);
      await Promise.all([..."abcdefgh"].map((letter) => file.append(Buffer.from(letter))));
      const content = text(await files.read(`${root}/log`)) ?? "";
      expect([...content].sort().join("")).toBe("abcdefgh");
      await file.close();
    });

    it("a closed file is used no more, closing twice is harmless", async ({ files, root }) => {
      const file = await files.open(`${root}/log`);
      await file.close();
      await file.close();
      await expect(file.append(Buffer.from("x"))).rejects.toMatchObject({ code: "EBADF" });
      await expect(file.size()).rejects.toMatchObject({ code: "EBADF" });
      await expect(file.sync()).rejects.toMatchObject({ code: "EBADF" });
    });

    it("an open file lives on when its name is removed or taken by another", async ({ files, root }) => {
      const file = await files.open(`${root}/log`);
      await file.append(Buffer.from("old"));
      await files.write(`${root}/log`, "new");
      await file.append(Buffer.from("er"));
      expect(text(await file.read(0, 10))).toBe("older");
      expect(text(await files.read(`${root}/log`))).toBe("new");
      await files.remove(`${root}/log`);
      expect(await files.read(`${root}/log`)).toBeNull();
      await file.close();
    });

    it("what is not there reads as null, lists as empty, and is removed without error", async ({ files, root }) => {
      expect(await files.read(`${root}/no`)).toBeNull();
      expect(await files.read(`${root}/no/no`)).toBeNull();
      expect(await files.stat(`${root}/no`)).toBeNull();
      expect(await files.list(`${root}/no`)).toEqual([]);
      await files.remove(`${root}/no`);
      await files.remove(`${root}/no/no`);
    });

    it("write replaces the content whole and leaves nothing beside it", async ({ files, root }) => {
      await files.write(`${root}/a`, "first");
      await files.write(`${root}/a`, Buffer.from("second"));
      await files.write(`${root}/a`, "3", { durable: false });
      expect(text(await files.read(`${root}/a`))).toBe("3");
      await files.write(`${root}/empty`, "");
      expect(await files.list(root)).toEqual([
        { name: "a", kind: "file" },
        { name: "empty", kind: "file" },
      ]);
      await expect(files.write(`${root}/no/a`, "x")).rejects.toMatchObject({ code: "ENOENT" });
    });

    it("a write over a folder fails and leaves nothing beside it", async ({ files, root }) => {
      await files.makeDir(`${root}/a`);
      await expect(files.write(`${root}/a`, "x")).rejects.toMatchObject({ code: "EISDIR" });
      expect(await files.list(root)).toEqual([{ name: "a", kind: "folder" }]);
      await expect(files.read(`${root}/a`)).rejects.toMatchObject({ code: "EISDIR" });
      await expect(files.open(`${root}/a`)).rejects.toMatchObject({ code: "EISDIR" });
    });

    it("makeDir makes all folders above, and again without error", async ({ files, root }) => {
      await files.makeDir(`${root}/a/b/c`);
      await files.makeDir(`${root}/a/b/c`);
      await files.makeDir(`${root}/a/b/c/`);
      expect(await files.stat(`${root}/a/b/c`)).toMatchObject({ kind: "folder" });
      await files.write(`${root}/file`, "x");
      await expect(files.makeDir(`${root}/file`)).rejects.toMatchObject({ code: "EEXIST" });
      await expect(files.makeDir(`${root}/file/a`)).rejects.toMatchObject({ code: "ENOTDIR" });
    });

    it("list is sorted and tells files from folders", async ({ files, root }) => {
      await files.makeDir(`${root}/b`);
      for (const name of ["c", "a", "B", "é"]) await files.write(`${root}/${name}`, "");
      expect((await files.list(root)).map((entry) => `${entry.name} ${entry.kind}`)).toEqual([
        "B file",
        "a file",
        "b folder",
        "c file",
        "é file",
      ]);
    });

    it("a path through a file is not a folder", async ({ files, root }) => {
      await files.write(`${root}/file`, "x");
      const through = `${root}/file/x`;
      await expect(files.list(`${root}/file`)).rejects.toMatchObject({ code: "ENOTDIR" });
      await expect(files.read(through)).rejects.toMatchObject({ code: "ENOTDIR" });
      await expect(files.stat(through)).rejects.toMatchObject({ code: "ENOTDIR" });
      await expect(files.open(through)).rejects.toMatchObject({ code: "ENOTDIR" });
      await expect(files.write(through, "x")).rejects.toMatchObject({ code: "ENOTDIR" });
      await expect(files.remove(through)).rejects.toMatchObject({ code: "ENOTDIR" });
    });

    it("move takes a file or a folder with all in it and replaces a file or an empty folder", async ({
      files,
      root,
    }) => {
      await files.makeDir(`${root}/a/in`);
      await files.write(`${root}/a/in/f`, "1");
      await files.makeDir(`${root}/empty`);
      await files.move(`${root}/a`, `${root}/empty`);
      expect(text(await files.read(`${root}/empty/in/f`))).toBe("1");
      expect(await files.stat(`${root}/a`)).toBeNull();
      await files.write(`${root}/g`, "2");
      await files.move(`${root}/g`, `${root}/empty/in/f`);
      expect(text(await files.read(`${root}/empty/in/f`))).toBe("2");
      await files.move(`${root}/empty/in/f`, `${root}/empty/in/f`);
      expect(text(await files.read(`${root}/empty/in/f`))).toBe("2");
    });

    it("move refuses what cannot be", async ({ files, root }) => {
      await files.makeDir(`${root}/full/in`);
      await files.makeDir(`${root}/dir/in`);
      await files.write(`${root}/file`, "x");
      const refuse = (from: string, to: string, code: string) =>
        expect(files.move(`${root}/${from}`, `${root}/${to}`)).rejects.toMatchObject({ code });
      await refuse("no", "x", "ENOENT");
      await refuse("file", "no/x", "ENOENT");
      await refuse("dir", "full", "ENOTEMPTY");
      await refuse("file", "full", "EISDIR");
      await refuse("dir", "file", "ENOTDIR");
      await refuse("dir", "dir/in/x", "EINVAL");
    });

    it("remove takes a folder with all in it", async ({ files, root }) => {
      await files.makeDir(`${root}/a/b/c`);
      for (const path of ["a/1", "a/b/2", "a/b/c/3"]) await files.write(`${root}/${path}`, "x");
      await files.remove(`${root}/a`);
      expect(await files.list(root)).toEqual([]);
    });

    it("freeze takes the write permission; only removing the whole is still allowed", async ({
      files,
      root,
      modes,
    }) => {
      await files.makeDir(`${root}/d`);
      await files.write(`${root}/d/f`, "x");
      await files.freeze(`${root}/d/f`);
      await files.freeze(`${root}/d/f`);
      await files.freeze(`${root}/d`);
      await expect(files.freeze(`${root}/no`)).rejects.toMatchObject({ code: "ENOENT" });
      expect(text(await files.read(`${root}/d/f`))).toBe("x");
      if (!modes) return await files.remove(`${root}/d`);
      await expect(files.open(`${root}/d/f`)).rejects.toMatchObject({ code: "EACCES" });
      await expect(files.write(`${root}/d/g`, "x")).rejects.toMatchObject({ code: "EACCES" });
      await expect(files.remove(`${root}/d/f`)).rejects.toMatchObject({ code: "EACCES" });
      await expect(files.move(`${root}/d`, `${root}/x/d`)).rejects.toMatchObject({ code: "ENOENT" });
      await files.makeDir(`${root}/x`);
      await expect(files.move(`${root}/d`, `${root}/x/d`)).rejects.toMatchObject({ code: "EACCES" });
      await files.remove(`${root}/d`);
      expect(await files.list(root)).toEqual([{ name: "x", kind: "folder" }]);
    });

    it("a lock has one holder, here and in other processes, and its file stays", async ({ files, other, root }) => {
      const lock = await files.lock(`${root}/lock`);
      expect(lock).not.toBeNull();
      expect(await files.lock(`${root}/lock`)).toBeNull();
      expect(await other.lock(`${root}/lock`)).toBeNull();
      await lock?.release();
      expect(await files.stat(`${root}/lock`)).toMatchObject({ kind: "file" });
      const next = await other.lock(`${root}/lock`);
      expect(next).not.toBeNull();
      await next?.release();
    });
  });
}
