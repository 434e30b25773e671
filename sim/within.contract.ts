/** What every Within must do, run against the real disk in both its ways and against the simulated one. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Within } from "../src/lib/world.ts";
import type { Place } from "./files.contract.ts";

const paths: [path: string, why: string][] = [
  ["../x", "leaves its folder by .."],
  ["a/../../x", "leaves its folder by .."],
  ["..", "leaves its folder by .."],
  ["/etc/passwd", "is not relative"],
  ["~/x", "is not relative"],
  ["C:x", "is not relative"],
  ["a\\..\\x", "has a backslash"],
  ["a\0b", "an invisible character"],
  ["a\nb", "an invisible character"],
  ["a\u2028b", "an invisible character"],
  ["a\ud800", "an invisible character"],
  ["a//b", "has an empty step"],
  ["a/", "has an empty step"],
  ["a/./b", "has an empty step"],
  ["x".repeat(256), "more than 255 bytes"],
  ["é".repeat(128), "more than 255 bytes"],
  [Array(65).fill("a").join("/"), "more than 64 steps"],
];

export function withinContract(name: string, make: () => Promise<Place & { within: Within }>): void {
  const it = (title: string, act: (place: Place & { within: Within }) => Promise<void>) =>
    test(title, async () => {
      const place = await make();
      await place.play(() => act(place));
    });

  describe(name, () => {
    it("what is written is read back, and the folders on the way are made", async ({ within, files, root }) => {
      await within.write("deep/er/a.md", "alpha");
      await within.write("b", Buffer.from([0, 255]), { durable: false });
      expect(String(await within.read("deep/er/a.md"))).toBe("alpha");
      expect([...(await within.read("b"))!]).toEqual([0, 255]);
      await within.write("b", "shorter");
      expect(String(await files.read(`${root}/in/b`))).toBe("shorter");
      expect((await within.list("")).map(({ name, kind }) => [name, kind])).toEqual([
        ["b", "file"],
        ["deep", "folder"],
      ]);
      expect(await within.list("deep/er")).toMatchObject([{ name: "a.md", kind: "file", size: 5 }]);
      expect(await within.stat("b")).toMatchObject({ kind: "file", size: 7 });
      expect(await within.stat("deep")).toMatchObject({ kind: "folder" });
      expect(await within.stat("")).toMatchObject({ kind: "folder" });
    });

    it("a file that took the place of another is told apart, also if it has the same size", async ({ within }) => {
      await within.write("a", "one");
      const [before] = await within.list("");
      await within.write("a", "two");
      const [after] = await within.list("");
      expect([before!.size, before!.inode]).toEqual([3, expect.any(Number)]);
      expect([after!.inode, after!.ctime]).not.toEqual([before!.inode, before!.ctime]);
      const { name: _name, ...stat } = after!;
      expect(await within.stat("a")).toEqual(stat);
    });

    it("of a folder with more entries than are asked for some are listed", async ({ within, files, root }) => {
      for (const name of ["a", "b", "c", "d"]) await within.write(name, "", { durable: false });
      const names = (await within.list("", 3)).map(({ name }) => name);
      expect([names.length, names]).toEqual([3, names.toSorted()]);
      expect(await files.list(`${root}/in`, 2)).toHaveLength(2);
      expect(await within.list("", 0)).toEqual([]);
      expect(await within.list("", 5)).toHaveLength(4);
    });

    it("what is not there is null, empty, and removed without error, even if the root is not there", async (place) => {
      const { within, files, root } = place;
      for (const one of [within, files.within(`${root}/nowhere`)]) {
        expect(await one.read("no/a")).toBeNull();
        expect(await one.stat("no")).toBeNull();
        expect(await one.list("no")).toEqual([]);
        await one.remove("no/a");
      }
      await files.within(`${root}/new`).makeDir("a/b");
      expect(await files.stat(`${root}/new/a/b`)).toMatchObject({ kind: "folder" });
    });

    it("a folder is no file, and a file is no folder", async ({ within }) => {
      await within.makeDir("folder/in");
      await within.write("file", "x");
      for (const act of [() => within.read("folder"), () => within.write("folder", "x")])
        await expect(act()).rejects.toMatchObject({ code: "EISDIR" });
      for (const act of [() => within.read("file/x"), () => within.write("file/x", ""), () => within.list("file")])
        await expect(act()).rejects.toMatchObject({ code: "ENOTDIR" });
      await expect(within.write("", "x")).rejects.toMatchObject({ code: "EISDIR" });
      expect((await within.list("")).map((one) => one.name)).toEqual(["file", "folder"]);
    });

    it("a file of more than the asked size is not read", async ({ within }) => {
      await within.write("a", "12345");
      await expect(within.read("a", 4)).rejects.toMatchObject({ code: "EFBIG" });
      expect(String(await within.read("a", 5))).toBe("12345");
    });

    it("removing takes a folder with all in it", async ({ within }) => {
      for (const path of ["a/1", "a/b/2", "a/b/c/3", "z"]) await within.write(path, "x");
      await within.remove("a");
      expect((await within.list("")).map((one) => one.name)).toEqual(["z"]);
    });

    it("a path that is not allowed is refused in every way, and the reason is said", async ({
      within,
      files,
      root,
    }) => {
      await files.write(`${root}/x`, "outside");
      for (const [path, why] of paths) {
        const refused = { code: "EINVAL", message: expect.stringContaining(why) };
        for (const act of ["read", "list", "stat", "makeDir", "remove"] as const)
          await expect((async () => within[act](path))()).rejects.toMatchObject(refused);
        await expect((async () => within.write(path, "changed"))()).rejects.toMatchObject(refused);
      }
      expect(String(await files.read(`${root}/x`))).toBe("outside");
      expect(await within.list("")).toEqual([]);
    });

    it("names that only look the same are different names", async ({ within }) => {
      const names = ["A", "a", "\u00e9", "e\u0301", "Ａ"];
      for (const [index, name] of names.entries()) await within.write(name, String(index));
      for (const [index, name] of names.entries()) expect(String(await within.read(name))).toBe(String(index));
    });

    it("whatever the path, nothing outside is read or changed", async ({ within, files, root }) => {
      await files.write(`${root}/secret`, "secret");
      const step = fc.oneof(fc.constantFrom("..", ".", "", "secret", "in", "~", "%2e%2e"), fc.string({ maxLength: 6 }));
      const path = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join("/"));
      for (const one of fc.sample(path, { numRuns: 150, seed: 7 })) {
        const content = await (async () => within.read(one))().catch(() => null);
        expect(String(content)).not.toBe("secret");
        await (async () => within.write(one, "mine", { durable: false }))().catch(() => undefined);
        if (await files.stat(`${root}/secret`)) expect(String(await files.read(`${root}/secret`))).toBe("secret");
      }
      expect((await files.list(root)).map(({ name }) => name).sort()).toEqual(["in", "secret"]);
    });
  });
}
