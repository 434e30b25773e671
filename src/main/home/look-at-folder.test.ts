import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lookAtFolder } from "./look-at-folder.ts";

const user = realpathSync(mkdtempSync(join(tmpdir(), "agiraph-look-")));
const home = join(user, ".agiraph");
const look = (path: string) => lookAtFolder(path, { home, user });
for (const name of ["code/shop/.git", "code/shed/src", "code/.secret", "code/node_modules", ".ssh", ".agiraph"])
  mkdirSync(join(user, name), { recursive: true });
writeFileSync(join(user, "code/shop/.git/HEAD"), "ref: refs/heads/main\n");
writeFileSync(join(user, "code/notes.txt"), "no folder");
symlinkSync(join(user, ".ssh"), join(user, "code/way"));

test("a folder is shown with the folders in it: no files, no links, nothing hidden", async () => {
  expect(await look("~/code")).toEqual({
    path: join(user, "code"),
    problem: null,
    repository: null,
    items: [
      { name: "shed", path: join(user, "code/shed"), repository: false },
      { name: "shop", path: join(user, "code/shop"), repository: true },
    ],
  });
});

test("a repository says its branch; one without a branch says that it is one", async () => {
  expect((await look(join(user, "code/shop"))).repository).toEqual({ branch: "main" });
  writeFileSync(join(user, "code/shop/.git/HEAD"), "0123456789abcdef\n");
  expect((await look(join(user, "code/shop"))).repository).toEqual({ branch: null });
});

test("the beginning of a name shows what begins so, and that it is not there yet", async () => {
  const { items, problem } = await look("~/code/SHO");
  expect(items.map(({ name }) => name)).toEqual(["shop"]);
  expect(problem).toContain("does not exist");
});

test.each([
  ["~", "contains the home of the agents"],
  ["~/.ssh", "where programs keep keys and logins"],
  ["code", "is not an absolute path"],
  ["/", "is the whole disk"],
  ["/etc", "which belongs to the system"],
  ["~/code/notes.txt", "is not a folder"],
  ["~/code/way", "is a link"],
  ["~/code/a\u0000b", "contains a control character"],
])("%j may not be given, in the words of creating an agent", async (path, why) => {
  expect((await look(path)).problem).toContain(why);
});

test("what may be typed on the way to a folder is looked at all the same", async () => {
  expect((await look("~")).items.map(({ name }) => name)).toEqual(["code"]);
  expect((await look("/nowhere/at/all")).items).toEqual([]);
  mkdirSync(join(user, ".ssh/inner"), { recursive: true });
  for (const path of ["~/.ssh", "~/.ssh/in", "~/code/way"]) expect((await look(path)).items).toEqual([]);
});
