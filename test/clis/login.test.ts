/** The login of a user, as the real programs get it: enough for their calls, and nothing that could end the user's own. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedCli } from "../../scripts/clis.ts";
import { claudeCode } from "../../src/driver/clis/claude-code.ts";
import { codex } from "../../src/driver/clis/codex.ts";
import type { Activity, Cli, Launch } from "../../src/driver/driver.ts";
import { startCli } from "../../src/driver/session/start.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { type FakeModel, script, startModel } from "./model.ts";

const noSandbox = await machine.processes.sandbox(true);
/** Not in /tmp: a sandbox has one of its own. */
const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
const renews = "refresh-token-of-the-user-3c1d";
const exp = Math.floor(Date.now() / 1_000) + 3_600;
const token = (claims: object) =>
  ['{"alg":"none","typ":"JWT"}', JSON.stringify(claims), "sign"]
    .map((part) => Buffer.from(part).toString("base64url"))
    .join(".");
const access = token({ exp });
/** Matches the text, and not itself: the command that has it is in the program's conversation. */
const pattern = (text: string) => `${text.slice(0, -1)}[${text.slice(-1)}]`;

const subjects: { cli: Cli; path: string; login: object; atLoopback(launch: Launch, url: string): Launch }[] = [
  {
    cli: claudeCode,
    path: ".claude/.credentials.json",
    login: {
      claudeAiOauth: {
        accessToken: access,
        refreshToken: renews,
        expiresAt: exp * 1_000,
        scopes: ["user:inference"],
        subscriptionType: "max",
      },
    },
    atLoopback: (launch, url) => ({ ...launch, env: { ...launch.env, ANTHROPIC_BASE_URL: url } }),
  },
  {
    cli: codex,
    path: ".codex/auth.json",
    login: {
      auth_mode: "chatgpt",
      OPENAI_API_KEY: null,
      tokens: {
        id_token: token({ exp, "https://api.openai.com/auth": { chatgpt_plan_type: "pro" } }),
        access_token: access,
        refresh_token: renews,
        account_id: "account",
      },
      last_refresh: new Date().toISOString(),
    },
    atLoopback: (launch, url) => ({
      ...launch,
      files: launch.files.map((file) =>
        file.path.endsWith("config.toml")
          ? {
              ...file,
              text: [
                'model_provider = "lab"',
                file.text,
                "[model_providers.lab]",
                'name = "lab"',
                `base_url = "${url}/v1"`,
                'wire_api = "responses"',
                "requires_openai_auth = true",
                "supports_websockets = false",
                "request_max_retries = 0",
                "stream_max_retries = 0",
              ].join("\n"),
            }
          : file,
      ),
    }),
  },
];

describe.each(subjects.map((one) => [one.cli.title, one] as const))("%s", (title, { cli, path, login, atLoopback }) => {
  const file = installedCli(cli.binary);
  const missing = noSandbox ?? (file ? undefined : "it is not installed (npm run clis)");
  const root = mkdtempSync(join(base, "agiraph-login-"));
  const [user, workspace, home] = ["user", "work", "home"].map((name) => join(root, name)) as [string, string, string];
  const kill = new AbortController();
  let model: FakeModel;
  beforeAll(async () => {
    model = await startModel();
    for (const folder of [join(user, dirname(path)), workspace]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(user, path), JSON.stringify(login));
  });
  afterAll(async () => {
    kill.abort();
    await model.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function start() {
    return await startCli(
      { ...cli, launch: (options) => atLoopback(cli.launch(options), model.url) },
      {
        launch: {
          file: file!,
          model: cli === codex ? "gpt-5.1-codex" : undefined,
          system: "",
          workspace,
          home,
          path: process.env.PATH!,
          login: await cli.login({ files: machine.files, home: user, env: {} }),
          asks: false,
        },
        tag: `cli-login-${process.pid}/${cli.name}`,
        world: machine,
        signal: kill.signal,
        sandbox: { programs: [file!], ports: [model.port], hosts: [] },
      },
    );
  }

  test.skipIf(missing)(
    `works with what it is lent, and nothing of it is left${missing ? ` (left out: ${missing})` : ""}`,
    async () => {
      const session = await start();
      // Whatever it runs can read what it was given.
      const look = `grep -rl '${pattern(renews)}' "$HOME" . ; grep -rl '${pattern(access)}' "$HOME" | wc -l > lent.txt`;
      const all = await play(session.prompt(`Look. ${script({ run: look }, { say: "Seen." })}`));
      expect(all.at(-1)).toMatchObject({ how: "done", text: "Seen." });
      const result = all.find((one) => one.type === "result");
      expect(result).toMatchObject({ text: expect.not.stringContaining("/") });
      expect(readFileSync(join(workspace, "lent.txt"), "utf8")).toMatch(/^[1-9]/);
      expect(model.asked.length).toBeGreaterThan(0);
      for (const { headers } of model.asked) expect(headers.authorization).toBe(`Bearer ${access}`);

      const ended = await play(session.prompt(`Go. ${script({ status: 401 })}`));
      expect(ended.at(-1)).toMatchObject({ how: "failed", kind: "provider", reason: "login" });
      await session.close();
      expect(readFileSync(join(user, path), "utf8")).toBe(JSON.stringify(login));
      const left = execFileSync("sh", ["-c", `grep -rlF '${access}' '${home}' || true`], { encoding: "utf8" });
      expect(left, `${title} keeps no copy`).toBe("");
    },
  );
});

async function play(turn: AsyncIterable<Activity>): Promise<Activity[]> {
  const all: Activity[] = [];
  for await (const activity of turn) all.push(activity);
  return all;
}
