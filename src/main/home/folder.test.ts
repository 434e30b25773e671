import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Problem } from "../../schema/problem.ts";
import { checkFolder } from "./folder.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "agiraph-folder-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const user = join(root, "user");
const home = join(user, "work/.agiraph");
for (const path of [
  "user/work/shop/src",
  "user/work/.agiraph/agents",
  "user/.ssh",
  "user/.config/app",
  "user-2",
  "srv",
])
  mkdirSync(join(root, path), { recursive: true });
writeFileSync(join(root, "srv/file"), "x");
symlinkSync(join(user, ".ssh"), join(root, "srv/keys"));
symlinkSync(user, join(root, "srv/user"));

const checked = (path: string, options = { home, user }) =>
  checkFolder(path, options).catch(({ code, message }: Problem) => `${code}: ${message}`);

test("a project of the user is taken, as it really lies on the disk", async () => {
  expect(await checked(join(user, "work/shop"))).toBe(join(user, "work/shop"));
  expect(await checked(`${user}/work/../work/shop/src/`)).toBe(join(user, "work/shop/src"));
  expect(await checked(join(root, "srv/user/work/shop"))).toBe(join(user, "work/shop"));
  expect(await checked(join(root, "user-2"))).toBe(join(root, "user-2"));
});

test.each([
  ["work/shop", "is not an absolute path"],
  ["/", "is the whole disk"],
  ["//", "is the whole disk"],
  [join(root, "nowhere"), "does not exist"],
  [join(root, "srv/file"), "is not a folder"],
  [join(root, "srv/keys"), "is a link"],
  [`${root}/srv/keys/`, "is a link"],
  [join(root, "srv/user/.ssh"), "is in "],
  [user, "contains "],
  [root, "contains "],
  [join(user, "work"), "contains the home of the agents"],
  [home, "contains the home of the agents"],
  [join(home, "agents"), "is in the home of the agents"],
  [join(user, ".ssh"), "where programs keep keys and logins"],
  [join(user, ".config/app"), "where programs keep keys and logins"],
  [realpathSync("/etc"), "belongs to the system"],
  ["/dev", "belongs to the system"],
  [`${user}/work/shop\n# Orders`, "contains a control character"],
  [`${user}/work/shop\0`, "contains a control character"],
])("%j is refused: it %s", async (path, why) => {
  expect(await checked(path)).toMatch(/^invalid: folder: /);
  expect(await checked(path)).toContain(why);
  expect(await checked(path)).toContain("Name one folder");
});

test("a home of the agents or of the user that is a link, or not there, hides nothing", async () => {
  expect(await checked(user, { home: "/nowhere/at/all", user: join(root, "srv/user") })).toContain(
    "your home directory",
  );
  expect(await checked(join(root, "srv/user/work"), { home, user: "/nowhere" })).toContain("home of the agents");
});

test("a refusal names the field, as the check of a request does", async () => {
  await expect(checkFolder("work", { home, user })).rejects.toMatchObject({
    code: "invalid",
    details: { issues: [{ field: "folder" }] },
  });
});
