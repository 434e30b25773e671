import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machine } from "../../lib/machine/index.ts";
import { claudeCode } from "../clis/claude-code.ts";
import { codex } from "../clis/codex.ts";
import type { Cli, LaunchOptions } from "../driver.ts";
import { all } from "../running.test-help.ts";
import { startCli } from "./start.ts";

/** A program that writes its arguments into its workspace and ends. */
function place() {
  const root = mkdtempSync(join(tmpdir(), "agiraph-start-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [file, workspace, home] = ["program", "work", "home"].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ];
  writeFileSync(file, '#!/bin/sh\necho "$@" > args; find "$HOME" -type f > had\n');
  chmodSync(file, 0o755);
  for (const folder of [workspace, home]) mkdirSync(folder);
  const start = (cli: Cli, more: Partial<LaunchOptions> = {}) =>
    startCli(cli, {
      launch: { file, system: "", workspace, home, path: process.env.PATH!, asks: false, ...more },
      tag: `start-test-${process.pid}/${root}`,
      world: machine,
      signal: new AbortController().signal,
    });
  return { root, home, start, read: (name: string) => readFileSync(join(workspace, name), "utf8") };
}

test("a link that a program left in its home does not lead us out of it", async () => {
  const { root, home, start } = place();
  mkdirSync(join(root, "of-the-user"));
  symlinkSync(join(root, "of-the-user"), join(home, "codex"));
  const session = await start(codex);
  expect(await all(session.prompt("go"))).toMatchObject([{ how: "failed", reason: "workspace" }]);
  expect(readdirSync(join(root, "of-the-user"))).toEqual([]);
});

test("Claude Code is given the file of its conversation, wherever that began", async () => {
  const { home, start, read } = place();
  const folder = join(home, "claude/projects/-somewhere-else");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "s1.jsonl"), "");
  for (const [id, given] of [
    ["s1", join(folder, "s1.jsonl")],
    ["s2", "s2"],
  ] as const) {
    const session = await start(claudeCode, { resume: id });
    await all(session.prompt("go"));
    expect(read("args")).toContain(`--resume ${given}`);
  }
});

test("a login that it was lent is there while it runs, and is removed when it has ended", async () => {
  const { home, start, read } = place();
  const login = { state: "file", file: "/user/auth.json", name: "auth.json", text: "{}", secrets: [] } as const;
  const session = await start({ ...codex, fallback: undefined as never }, { login: { ...login, secrets: [] } });
  await all(session.prompt("go"));
  await session.close();
  expect(read("had")).toContain("codex/auth.json");
  expect(readdirSync(join(home, "codex"))).toEqual(["config.toml"]);
});
