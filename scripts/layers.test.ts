import { expect, test } from "vitest";
import { diagram, violationsIn } from "./layers.ts";

const said = (path: string, text: string) => violationsIn(path, text).map(({ line, what }) => `${line}: ${what}`);

test("imports go downward only, types and re-exports included", () => {
  expect(said("core/node.ts", 'import type { Store } from "../store/store.ts";')).toEqual([
    "1: core imports store; it may import schema, lib",
  ]);
  expect(said("schema/node.ts", '\nexport * from "../core/node.ts";')).toEqual([
    "2: schema imports core; it may import lib",
  ]);
  expect(said("lib/world.ts", 'type Q = import("../schema/node.ts").Node;')).toEqual([
    "1: lib imports schema; it may import nothing of ours",
  ]);
  expect(said("runtime/x.ts", 'const m = await import("../cli/view.ts");')).toHaveLength(1);
  expect(
    said(
      "runtime/x.ts",
      'import { a } from "../core/a.ts"; import { b } from "../loop/b.ts"; import { c } from "./c.ts";',
    ),
  ).toEqual([]);
});

test("equals do not import each other", () => {
  expect(said("tool/a.ts", 'import { b } from "../store/b.ts";')).toHaveLength(1);
  expect(said("backend/a.ts", 'import { b } from "../engine/b.ts";')).toHaveLength(1);
  expect(said("tool/a.ts", 'import { b } from "./b.ts";')).toEqual([]);
});

test("a surface is a client, and is not wired from the runtime or its parts", () => {
  expect(said("cli/a.ts", 'import { b } from "../client/b.ts"; import { c } from "../core/c.ts";')).toEqual([]);
  expect(said("mcp/a.ts", 'import { b } from "../runtime/b.ts";')).toHaveLength(1);
  expect(said("cli/a.ts", 'import { b } from "../store/b.ts";')).toHaveLength(1);
  expect(said("web/a.tsx", 'import { b } from "../runtime/b.ts";')).toHaveLength(1);
  expect(said("main.ts", 'import { a } from "./store/a.ts"; import { b } from "./cli/b.ts";')).toEqual([]);
});

test("an unknown folder and a step out of src are named", () => {
  expect(said("helpers/a.ts", "")).toEqual(["1: helpers is not a layer; add it to the list in scripts/layers.ts"]);
  expect(said("store/a.ts", 'import { b } from "../../sim/b.ts";')).toEqual([
    "1: imports ../../sim/b.ts, outside src; product code stands on its own",
  ]);
});

test("core catches nothing: it refuses with a Problem", () => {
  expect(said("core/a.ts", "try { f(); } catch { g(); }")).toHaveLength(1);
  expect(said("lib/a.ts", "try { f(); } catch { g(); }")).toEqual([]);
});

test("what runs in the browser imports no module of Node", () => {
  expect(said("core/a.ts", 'import { join } from "node:path";')).toHaveLength(1);
  expect(said("runtime/a.ts", 'import { join } from "node:path";')).toEqual([]);
});

test("time, chance, files, processes and the network are reached through the seams", () => {
  for (const code of [
    "Date.now()",
    "const now = Date.now",
    "new Date()",
    "Date()",
    "Math.random()",
    "setTimeout(f, 1)",
    "globalThis.setInterval(f, 1)",
    "performance.now()",
    'await fetch("http://x")',
    "crypto.randomUUID()",
    'import { randomBytes } from "node:crypto"',
    'import fs from "node:fs"',
    'import { spawn } from "node:child_process"',
  ]) {
    expect([code, said("runtime/a.ts", code).length]).toEqual([code, 1]);
    expect([code, said("lib/machine/a.ts", code).length]).toEqual([code, 0]);
  }
  expect(
    said(
      "runtime/a.ts",
      'new Date(5); const a = { fetch: 1, setTimeout() {} }; a.setTimeout(); // Date.now()\n"Math.random()"',
    ),
  ).toEqual([]);
});

test("only main reads the environment", () => {
  expect(said("cli/a.ts", "process.env.HOME")).toEqual(["1: process.env; main reads the environment and hands it on"]);
  expect(said("main.ts", "process.env.HOME")).toEqual([]);
});

test("the list of layers has each of them above what it stands on", () => {
  const rows = diagram()
    .split("\n")
    .map((row) => row.split(/\s+→\s?/));
  const names = rows.map(([name]) => name!);
  expect(names).toContain("core");
  for (const [index, [, rest]] of rows.entries())
    for (const below of rest!.split("  ", 1)[0]!.split(" ").filter(Boolean))
      expect(names.indexOf(below)).toBeGreaterThan(index);
});
