import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bugs } from "./bugs.ts";
import { patch, urlOf } from "./plant.ts";

const folder = mkdtempSync(join(tmpdir(), "agiraph-plant-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Says whether a node may start before what it depends on is completed. */
const main = `
  const { inputsReady } = await import(${JSON.stringify(new URL("../src/core/board/node.ts", import.meta.url).href)});
  console.log(inputsReady({ nodes: new Map([["n1", { status: "pending" }]]) }, { depends_on: ["n1"] }));
`;

function run(source: string, ...args: string[]) {
  const path = join(folder, "main.ts");
  writeFileSync(path, source);
  const plant = new URL("./plant.ts", import.meta.url).href;
  return spawnSync(process.execPath, ["--import", plant, path, ...args], { encoding: "utf8" });
}

test.each(bugs.map((bug) => [bug.name, bug] as const))("the place of %s is found exactly once", (_, bug) => {
  const source = readFileSync(urlOf(bug), "utf8");
  expect(patch(source, bug)).not.toBe(source);
});

test("no two bugs have the same name", () => {
  expect(new Set(bugs.map((bug) => bug.name)).size).toBe(bugs.length);
});

test("a program runs with the bug when it is planted and without it when it is not", () => {
  expect(run(main).stdout.trim()).toBe("false");
  expect(run(main, "--bug", "dependency-ignored").stdout.trim()).toBe("true");
});

test("a bug that does not exist stops the program and names those that do", () => {
  const { status, stderr } = run(main, "--bug", "no-such-bug");
  expect(status).toBe(1);
  expect(stderr).toContain("there is no bug no-such-bug; there are: no-tail-repair");
});

test("a program that never loads the patched file ends with exit code 3", () => {
  const { status, stderr } = run("export {};", "--bug", "dependency-ignored");
  expect(status).toBe(3);
  expect(stderr).toContain("src/core/board/node.ts was never loaded");
});

test("a place that is missing or found twice is an error that says so", () => {
  const bug = { name: "b", file: "src/f.ts", find: "x", replace: "$&", about: "" };
  expect(patch("a x b", bug)).toBe("a $& b");
  expect(() => patch("a b", bug)).toThrow("bug b: the text to replace does not occur in src/f.ts");
  expect(() => patch("x x", bug)).toThrow("bug b: the text to replace occurs 2 times in src/f.ts");
});
