import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { findOpenings } from "./openings.ts";

const bounds = { entries: 1_000, depth: 32, ms: 5_000, openings: 3 };
let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agiraph-openings-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = (path: string): void => void mkdirSync(join(root, path), { recursive: true });
const pipe = (path: string): void => void execFileSync("mkfifo", [join(root, path)]);
const find = async (given = bounds, except: string[] = []) =>
  (
    await findOpenings(
      [root],
      except.map((path) => join(root, path)),
      given,
    )
  ).map((path) => path.slice(root.length + 1));

test.runIf(process.platform !== "win32")(
  "pipes are found wherever they lie, the nearest first, and not through links",
  async () => {
    folder("a/b/.c");
    folder("out");
    writeFileSync(join(root, "a/file"), "x");
    for (const path of ["a/b/.c/far", "a/near", "out/there"]) pipe(path);
    symlinkSync(join(root, "out"), join(root, "a/link"));
    symlinkSync(join(root, "out/there"), join(root, "a/there"));
    expect(await find(bounds, ["out"])).toEqual(["a/near", "a/b/.c/far"]);
  },
);

test.runIf(process.platform !== "win32")("a folder that is not there has none", async () => {
  expect(await findOpenings([join(root, "missing")], [])).toEqual([]);
});

test.runIf(process.platform !== "win32")("it looks as deep as it is told", async () => {
  folder("a/b");
  for (const path of ["a/b/far", "a/near"]) pipe(path);
  expect(await find({ ...bounds, depth: 2 })).toEqual(["a/near"]);
});

test.runIf(process.platform !== "win32")("more than can be closed are an error", async () => {
  for (const path of ["1", "2", "3", "4"]) pipe(path);
  await expect(find()).rejects.toThrow(`more than 3 sockets and pipes lie in ${root}`);
});

test.runIf(process.platform !== "win32")("one that has gone since is not named", async () => {
  for (const path of ["gone", "here"]) pipe(path);
  expect((await find()).sort()).toEqual(["gone", "here"]);
  rmSync(join(root, "gone"));
  expect(await find()).toEqual(["here"]);
});
