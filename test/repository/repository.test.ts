/** A run that hands over by itself, killed while it does. Kills of everything else: lives.ts. */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createRepositoryFolder, emptyRoom, git, photograph } from "../../src/workspace/workspaces.test-help.ts";

const child = fileURLToPath(new URL("./child.ts", import.meta.url));

function live(given: object): Promise<{ code: number | null; signal: string | null; said: string }> {
  return new Promise((resolve, reject) => {
    const process_ = spawn(process.execPath, [child, JSON.stringify(given)], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    process_.stderr.setEncoding("utf8").on("data", (part) => {
      said += part;
    });
    process_.on("error", reject).on("close", (code, signal) => resolve({ code, signal, said }));
  });
}

/** Each process is killed at one of these, in order; the last one is let alone. */
const points = ["publish.ready", "handover.placed", "handover.moved", "handed.over"];

test(`with merge: auto, killed at ${points.join(", ")}, the work is finished by the next process as if nothing had happened`, async () => {
  const room = await emptyRoom();
  const folder = join(room, "user");
  const home = join(room, "home");
  await createRepositoryFolder(folder);
  const before = await photograph(folder);
  for (const point of points) {
    expect([point, await live({ home, folder, point })]).toMatchObject([point, { signal: "SIGKILL" }]);
    if (point === "publish.ready") expect(await photograph(folder)).toEqual(before);
  }
  expect(await live({ home, folder })).toMatchObject({ code: 0, said: "" });
  const read = (path: string) => readFile(join(folder, path), "utf8");
  expect([await read("b/c.txt"), await read("ann.txt"), await read("bob.txt")]).toEqual(["both\n", "1\n", "2\n"]);
  expect(await git(folder, "status", "--porcelain")).toBe("");
  expect(await git(folder, "fsck", "--connectivity-only")).not.toMatch(/missing|broken/);
  expect((await git(folder, "log", "--format=%s")).split("\n")).toContain("first");
});
