import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claudeCode } from "../../driver/clis/claude-code.ts";
import { clis } from "../../driver/index.ts";
import { Config } from "../../schema/config.ts";
import { Problem } from "../../schema/problem.ts";
import { createPrograms, type ProgramsOptions } from "./found.ts";

const tested = claudeCode.tested!.from;
const patience = 20_000;

/** A machine on which these files are; those in bin/ are scripts. */
function place(files: Record<string, string>, given: Partial<ProgramsOptions> = {}, keys: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), "agiraph-programs-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path.startsWith("bin/") ? `#!/bin/sh\n${text}\n` : text);
    chmodSync(join(root, path), 0o755);
  };
  for (const [path, text] of Object.entries(files)) put(path, text);
  const env = { PATH: `${join(root, "bin")}:/bin`, HOME: root, ...keys };
  const config = Config.parse({ sandbox: { bash: "off" }, providers: { anthropic: { api_key_env: "OUR_KEY" } } });
  const programs = createPrograms({ home: join(root, "home"), env, config: () => config, ...given });
  const look = async (name: string, ms = patience) => (await programs.look(ms)).find((one) => one.name === name)!;
  return { look, put, programs };
}

test("a program is told with its version, whether that was tested, and its login, and no secret", async () => {
  const { look, put, programs } = place({ "bin/claude": `echo '${tested} (Claude Code)'` });
  expect(await look("claude-code")).toEqual({
    ...{ name: "claude-code", title: "Claude Code", state: "login", version: tested, tested: true, login: null },
    ...{ models: [], about: `${tested}, not logged in`, command: "claude" },
    remedy: "run claude and log in, or set ANTHROPIC_API_KEY",
  });
  const login = (expiresAt?: number) => JSON.stringify({ claudeAiOauth: { accessToken: "sk-very-secret", expiresAt } });
  put(".claude/.credentials.json", login(Date.parse("2026-01-02T03:04:05Z")));
  expect(await look("claude-code")).toMatchObject({
    ...{ state: "login", models: [], about: `${tested}, its login has ended`, command: "claude" },
    remedy: expect.stringMatching(/^its login ended at 2026-01-02 03:04 UTC, and only you can renew it: run claude, /),
  });
  put(".claude/.credentials.json", login(4_102_444_800_000));
  expect(await look("claude-code")).toMatchObject({
    ...{ state: "ready", login: "login", remedy: null },
    about: `${tested}, with your login until 2100-01-01 00:00 UTC; it cannot renew it`,
    models: ["claude-code", "claude-code/opus", "claude-code/sonnet", "claude-code/haiku"],
  });
  put("bin/codex", "echo 'codex-cli 0.0.1'");
  put(".codex/auth.json", '{"OPENAI_API_KEY":"sk-very-secret"}');
  expect(await look("codex")).toMatchObject({
    state: "ready",
    tested: false,
    about: expect.stringContaining("0.0.1, with your login; older"),
  });
  expect(JSON.stringify(await programs.look(patience))).not.toContain("sk-very-secret");
  expect((await programs.look(patience)).map(({ name }) => name).slice(0, 2)).toEqual(["claude-code", "codex"]);
});

test("without a login it is ready if the gateway has a key for it", async () => {
  const { look } = place({ "bin/claude": `echo ${tested}` }, {}, { OUR_KEY: "sk-very-secret" });
  const program = await look("claude-code");
  expect(program).toMatchObject({
    state: "ready",
    login: "gateway",
    about: `${tested}, with the key from OUR_KEY, which it never sees`,
  });
  expect(JSON.stringify(program)).not.toContain("sk-very-secret");
});

test("one that is missing or broken says how to install it, and every known one has a line", async () => {
  const { look, programs } = place({ "bin/codex": "echo oh no; exit 3" });
  expect(await look("claude-code")).toMatchObject({ state: "missing", command: claudeCode.install, models: [] });
  expect(await look("codex")).toMatchObject({ state: "broken", about: expect.stringContaining("oh no") });
  const all = await programs.look(patience);
  expect(all.map(({ name }) => name).sort()).toEqual(clis.map(({ name }) => name).sort());
  for (const { command } of all) expect(command).toBeTruthy();
});

test("one that no agent can be created with is not promised, and says why", async () => {
  const accepts = async (model: string) => {
    throw new Problem("not_offered", `no agent with ${model}`);
  };
  const { look } = place({ "bin/claude": `echo ${tested}` }, { accepts }, { ANTHROPIC_API_KEY: "k" });
  expect(await look("claude-code")).toMatchObject({
    ...{ state: "blocked", models: [] },
    remedy: "it cannot be used here: no agent with claude-code",
  });
});

test("nobody waits for one that is slow, and its version is known later", async () => {
  const { look, put } = place({ "bin/claude": `while [ ! -e "$HOME/go" ]; do sleep 0.02; done; echo ${tested}` });
  expect(await look("claude-code", 10)).toMatchObject({ state: "checking", version: null, models: [] });
  put("go", "");
  expect(await look("claude-code")).toMatchObject({ version: tested });
});

test("programs that the config names are as ready as what they start", async () => {
  const programs = { coder: "claude-code/opus", fixer: "codex", goose: "acp:goose acp", mine: "command:./mine.sh" };
  const config = Config.parse({ sandbox: { bash: "off" }, programs });
  const { look } = place({ "bin/claude": `echo ${tested}` }, { config: () => config }, { ANTHROPIC_API_KEY: "k" });
  expect(await look("coder")).toMatchObject({
    ...{ state: "ready", version: tested, tested: true, login: "gateway", models: ["coder"] },
    about: expect.stringContaining("claude-code/opus, named in config.yaml; Claude Code: "),
  });
  expect(await look("fixer")).toMatchObject({ state: "missing", models: [], remedy: expect.stringContaining("npm") });
  expect(await look("goose")).toMatchObject({
    state: "blocked",
    remedy: "it cannot be used here: goose is not on the PATH",
  });
  expect(await look("mine")).toMatchObject({ state: "ready", models: ["mine"] });
});

test("in a home that is not trusted nothing is looked at", async () => {
  const { programs } = place({ "bin/claude": `echo ${tested}` }, { closed: true });
  expect(await programs.look(patience)).toEqual([]);
});

test("a program that the config names with a provider is ready if that provider has a key", async () => {
  const config = Config.parse({
    sandbox: { bash: "off" },
    programs: { coder: "opencode/openai/gpt-5", other: "opencode/anthropic/claude-sonnet-4-5" },
  });
  const { look } = place({ "bin/opencode": "echo 1.18.33" }, { config: () => config }, { OPENAI_API_KEY: "k" });
  expect(await look("coder")).toMatchObject({
    ...{ state: "ready", login: "gateway", models: ["coder"], remedy: null },
    about: expect.stringContaining("with the key from OPENAI_API_KEY, which it never sees"),
  });
  for (const name of ["other", "opencode"]) expect(await look(name)).toMatchObject({ state: "login", models: [] });
});
