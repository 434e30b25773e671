import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { files } from "./files.ts";
import { giveToSandbox, sandboxUser, takeFromSandbox } from "./sandbox-user.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "agiraph-sandbox-user-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const owner = (path: string): number => lstatSync(join(root, path)).uid;
const make = (path: string): void => writeFileSync(join(root, path), "x");

test("a sandbox has rights of its own if and only if we are root", () => {
  expect(sandboxUser()?.uid).toBe(process.getuid?.() === 0 ? 65534 : undefined);
});

describe.runIf(sandboxUser())("as root", () => {
  const nobody = sandboxUser()?.uid;

  test("a folder is given with all in it, but nothing that has another name or that a link leads to", async () => {
    mkdirSync(join(root, "given/a/b"), { recursive: true });
    for (const path of ["outside", "second", "given/f", "given/a/b/g"]) make(path);
    symlinkSync(join(root, "outside"), join(root, "given/a/link"));
    linkSync(join(root, "second"), join(root, "given/a/hard"));
    await giveToSandbox(join(root, "given"));
    for (const path of ["given", "given/f", "given/a", "given/a/b", "given/a/b/g", "given/a/link"])
      expect([path, owner(path)]).toEqual([path, nobody]);
    for (const path of ["", "outside", "second", "given/a/hard"]) expect([path, owner(path)]).toEqual([path, 0]);
  });

  test("a link itself is no folder to give, and what is missing is not minded", async () => {
    mkdirSync(join(root, "outside"));
    symlinkSync(join(root, "outside"), join(root, "link"));
    await giveToSandbox(join(root, "link"));
    await giveToSandbox(join(root, "missing"));
    expect(owner("outside")).toBe(0);
  });

  test("what we make in a given folder is given, and what we make elsewhere is ours", async () => {
    mkdirSync(join(root, "given"));
    await giveToSandbox(join(root, "given"));
    await files.write(join(root, "given/a"), "x");
    await files.makeDir(join(root, "given/b/c"));
    await files.within(root).write("given/d/e", "x");
    await files.within(join(root, "given")).write("f", "x", { durable: false });
    await files.write(join(root, "ours"), "x");
    await files.within(root).write("also/ours", "x");
    for (const path of ["a", "b", "b/c", "d", "d/e", "f"])
      expect([path, owner(`given/${path}`)]).toEqual([path, nobody]);
    for (const path of ["ours", "also", "also/ours"]) expect([path, owner(path)]).toEqual([path, 0]);
  });

  test("what is written while a folder is given is given as well", async () => {
    for (let round = 0; round < 20; round++) {
      const folder = join(root, `given-${round}`);
      mkdirSync(join(folder, "a"), { recursive: true });
      const paths = Array.from({ length: 20 }, (_, index) => (index % 2 ? `f${index}` : `a/b${index}/f`));
      const writing = paths.map((path) => files.within(folder).write(path, "x", { durable: false }));
      const replacing = paths.map((_, index) => files.write(join(folder, `r${index % 3}`), "x", { durable: false }));
      await Promise.all([giveToSandbox(folder), ...writing, ...replacing]);
      for (const path of [...paths, "r0", "r1", "r2", "a", "a/b0"])
        expect(owner(`given-${round}/${path}`)).toBe(nobody);
    }
  });

  test("what root itself left in a folder that was taken is given with the rest", async () => {
    mkdirSync(join(root, "given/a"), { recursive: true });
    await giveToSandbox(join(root, "given"));
    await takeFromSandbox(join(root, "given"));
    expect(owner("given")).toBe(0);
    make("given/a/by-root");
    await giveToSandbox(join(root, "given"));
    expect(owner("given/a/by-root")).toBe(nobody);
  });
});
