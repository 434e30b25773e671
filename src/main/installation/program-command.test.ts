import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commandAnywhere, commandHere, type Surroundings } from "./program-command.ts";

const program = "/src/agiraph/bin/agiraph.mjs";
/** Links of this disk, and files with a text in them. */
const around = (given: Partial<Surroundings> & { links?: Record<string, string>; files?: Record<string, string> }) => {
  const { links = {}, files = {}, ...rest } = given;
  const there: Record<string, string> = {
    [program]: program,
    "/src/agiraph/package.json": "/src/agiraph/package.json",
  };
  return {
    env: { PATH: "/usr/bin" },
    cwd: "/home/ann",
    program,
    platform: "linux",
    real: (path) => links[path] ?? there[path] ?? (path in files ? path : undefined),
    read: (path) => files[path],
    ...rest,
  } satisfies Surroundings;
};
const npm = { npm_command: "exec" };

test("agiraph on the PATH is called by its name, whoever started it", () => {
  const links = { "/usr/bin/agiraph": program };
  expect(commandHere(around({ links }))).toBe("agiraph");
  expect(commandHere(around({ links, cwd: "/src/agiraph", env: { PATH: "/usr/bin", ...npm } }))).toBe("agiraph");
  expect(commandAnywhere(around({ links }), join(homedir(), ".agiraph"), false)).toBe("agiraph");
  // A script of pnpm's, say, that calls it.
  expect(commandHere(around({ links: { "/usr/bin/agiraph": "/usr/lib/shim" } }))).toBe("agiraph");
});

test("another installation on the PATH is not us", () => {
  const links = { "/usr/bin/agiraph": "/usr/lib/node_modules/agiraph/bin/agiraph.mjs" };
  expect(commandHere(around({ links }))).toBe(program);
  expect(commandHere(around({ links, cwd: "/src/agiraph/docs" }))).toBe("npx agiraph");
});

test("in the clone and in a project that has the package it is npx, elsewhere the path", () => {
  expect(commandHere(around({ cwd: "/src/agiraph" }))).toBe("npx agiraph");
  expect(commandHere(around({ cwd: "/src/agiraph/src/web" }))).toBe("npx agiraph");
  const links = { "/project/node_modules/.bin/agiraph": program };
  expect(commandHere(around({ links, cwd: "/project/a/b" }))).toBe("npx agiraph");
  expect(commandHere(around({ links }))).toBe(program);
  // Another package around us: npx does not look above it for a bin of its own, only for links.
  const files = { "/src/agiraph/examples/own/package.json": "{}" };
  expect(commandHere(around({ files, cwd: "/src/agiraph/examples/own" }))).toBe(program);
  expect(commandHere(around({ program: "/my agents/bin/agiraph.mjs" }))).toBe("'/my agents/bin/agiraph.mjs'");
});

test("what npm put on the PATH is gone with npm; what the user put there is not", () => {
  const links = { "/project/node_modules/.bin/agiraph": program };
  const PATH = "/project/node_modules/.bin:/usr/bin";
  expect(commandHere(around({ links, env: { PATH, ...npm } }))).toBe(program);
  expect(commandHere(around({ links, env: { PATH, npm_lifecycle_event: "start" } }))).toBe(program);
  expect(commandHere(around({ links, env: { PATH } }))).toBe("agiraph");
});

test("fetched by npx it is called as it was fetched, if by its name", () => {
  const fetched = "/home/ann/.npm/_npx/0a1b/node_modules/agiraph/bin/agiraph.mjs";
  const asked = (...packages: string[]) =>
    around({
      program: fetched,
      files: { "/home/ann/.npm/_npx/0a1b/package.json": JSON.stringify({ _npx: { packages } }) },
    });
  expect(commandHere(asked("agiraph"))).toBe("npx agiraph");
  expect(commandHere(asked("agiraph@0.1.0"))).toBe("npx agiraph@0.1.0");
  expect(commandAnywhere(asked("agiraph"), "/h", false)).toBe("npx agiraph --home /h");
  expect(commandHere(asked("/tmp/agiraph-0.1.0.tgz"))).toBe(fetched);
});

test("a home that was named is named again; who reads it elsewhere is told of every home but the usual one", () => {
  expect(commandHere(around({ cwd: "/src/agiraph" }), "my home")).toBe("npx agiraph --home 'my home'");
  expect(commandAnywhere(around({ cwd: "/src/agiraph" }), "/data/team", false)).toBe(`${program} --home /data/team`);
  expect(commandAnywhere(around({ cwd: "/src/agiraph" }), join(homedir(), ".agiraph"), false)).toBe(program);
});

test("a home that was come upon is never named: whoever types what we print has not trusted it by that", () => {
  const links = { "/usr/bin/agiraph": program };
  expect(commandAnywhere(around({ links }), "/a project/.agiraph", true)).toBe("cd '/a project' && agiraph");
});
