import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { machine } from "../../lib/machine/index.ts";
import { claudeCode } from "../clis/claude-code.ts";
import { codex } from "../clis/codex.ts";
import { cursor } from "../clis/cursor.ts";
import type { Cli } from "../driver.ts";
import { compareVersions, findCli } from "./find.ts";

/** A folder that is the PATH, with programs that are scripts. */
function place(programs: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), "agiraph-find-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const bin = join(root, "bin");
  mkdirSync(bin);
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const env = { PATH: `relative:${bin}:/bin` };
  const options = {
    world: machine,
    env,
    home: root,
    tag: `find-test-${process.pid}`,
    signal: new AbortController().signal,
  };
  return { root, bin, options };
}

test("a CLI is found on the PATH, with its version and whether it is logged in, and no secret", async () => {
  const { root, bin, options } = place({ claude: "echo '2.1.200 (Claude Code)'" });
  const file = join(bin, "claude");
  expect(await findCli(claudeCode, options)).toEqual({
    state: "here",
    file,
    version: "2.1.200",
    login: "none",
    hint: expect.stringContaining("log in"),
  });
  const env = { ...options.env, ANTHROPIC_API_KEY: "sk-very-secret" };
  const withKey = await findCli(claudeCode, { ...options, env });
  expect(withKey).toMatchObject({ login: "key" });
  expect(JSON.stringify(withKey)).not.toContain("sk-very-secret");
  mkdirSync(join(root, ".claude"));
  writeFileSync(join(root, ".claude/.credentials.json"), '{"claudeAiOauth":{"accessToken":"sk-very-secret"}}');
  const withFile = await findCli(claudeCode, options);
  expect(withFile).toMatchObject({ login: "file" });
  expect(JSON.stringify(withFile)).not.toContain("sk-very-secret");
});

test("what is missing, broken or of another version is said", async () => {
  const { root, bin, options } = place({
    claude: "echo 3.0.1",
    codex: "echo oh no >&2; exit 3",
    old: "echo 'codex-cli 0.9.1'",
  });
  expect(await findCli(claudeCode, options)).toMatchObject({
    version: "3.0.1",
    doubt: `newer than what was tested: ${claudeCode.tested!.from} to ${claudeCode.tested!.to}`,
  });
  expect(await findCli(codex, options)).toMatchObject({ state: "broken", why: expect.stringContaining("oh no") });
  expect(await findCli(codex, { ...options, file: join(bin, "old") })).toMatchObject({
    version: "0.9.1",
    doubt: `older than what was tested: ${codex.tested!.from}`,
  });
  symlinkSync(join(root, "gone"), join(bin, "dangling"));
  expect(await findCli(codex, { ...options, file: join(bin, "dangling") })).toMatchObject({ state: "broken" });
  expect(await findCli(codex, { ...options, file: "codex" })).toMatchObject({ state: "missing" });
  expect(await findCli(codex, { ...options, env: { PATH: root } })).toMatchObject({
    state: "missing",
    why: "codex is not on the PATH",
  });
});

test("programs that are asked at the same time under one tag do not end each other", async () => {
  const { root, options } = place({
    claude: "touch $HOME/asked; while [ ! -e $HOME/done ]; do sleep 0.02; done; echo 2.1.200",
    codex: "while [ ! -e $HOME/asked ]; do sleep 0.02; done; echo 0.160.0",
  });
  const slow = findCli(claudeCode, options);
  expect(await findCli(codex, options)).toMatchObject({ version: "0.160.0" });
  writeFileSync(join(root, "done"), "");
  expect(await slow).toMatchObject({ version: "2.1.200" });
});

test("only versions from the oldest to the newest that was run count as tested", async () => {
  const { bin, options } = place({});
  const tested = { from: "1.2.0", to: "1.2.9" };
  const doubt = async (cli: Cli, version: string) => {
    writeFileSync(join(bin, version), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
    const found = await findCli(cli, { ...options, file: join(bin, version) });
    return "doubt" in found ? found.doubt : undefined;
  };
  for (const version of ["1.2.0", "1.2.5", "1.2.9"]) expect(await doubt({ ...codex, tested }, version)).toBeUndefined();
  expect(await doubt({ ...codex, tested }, "1.2.10")).toBe("newer than what was tested: 1.2.0 to 1.2.9");
  expect(await doubt({ ...codex, tested }, "1.2.0-rc.1")).toBe("older than what was tested: 1.2.0 to 1.2.9");
  expect(await doubt(cursor, "1.2.0")).toBe("no version was tested");
});

test("versions are compared by their numbers", () => {
  expect(compareVersions("0.10", "0.10.0")).toBe(0);
  for (const [one, other] of [
    ["0.9.9", "0.10.0"],
    ["2.1.9", "2.1.197"],
    ["1.0.0-rc.1", "1.0.0"],
  ] as const) {
    expect(compareVersions(one, other)).toBeLessThan(0);
    expect(compareVersions(other, one)).toBeGreaterThan(0);
  }
});
