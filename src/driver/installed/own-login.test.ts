import { describe, expect, test } from "vitest";
import { claudeCode } from "../clis/claude-code.ts";
import { codex } from "../clis/codex.ts";
import { geminiCli } from "../clis/gemini-cli.ts";
import { opencode } from "../clis/opencode.ts";
import type { Cli, Login } from "../driver.ts";

const end = 1_800_000_000_000;
const token = (claims: object) => `head.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sign`;
const access = token({ exp: end / 1_000 });

const logins: [cli: Cli, path: string, login: object, lent: object, expires?: number][] = [
  [
    claudeCode,
    ".claude/.credentials.json",
    {
      claudeAiOauth: { accessToken: access, refreshToken: "renews", expiresAt: end, scopes: ["user:inference"] },
      mcpOAuth: { "some-server": { accessToken: "of-a-server" } },
    },
    { claudeAiOauth: { accessToken: access, expiresAt: end, scopes: ["user:inference"] } },
    end,
  ],
  [
    codex,
    ".codex/auth.json",
    { OPENAI_API_KEY: null, tokens: { id_token: "who", access_token: access, refresh_token: "renews" } },
    { OPENAI_API_KEY: null, tokens: { id_token: "who", access_token: access, refresh_token: "" } },
    end,
  ],
  [
    geminiCli,
    ".gemini/oauth_creds.json",
    { access_token: access, refresh_token: "renews", expiry_date: end },
    { access_token: access, expiry_date: end },
    end,
  ],
  [
    opencode,
    ".local/share/opencode/auth.json",
    {
      anthropic: { type: "oauth", access, refresh: "renews", expires: end },
      lab: { type: "api", key: "key-of-the-lab" },
    },
    { anthropic: { type: "oauth", access, refresh: "", expires: end }, lab: { type: "api", key: "key-of-the-lab" } },
  ],
];

const look = (cli: Cli, files: Record<string, string>): Promise<Login> =>
  cli.login({
    files: { read: async (path) => (path in files ? Buffer.from(files[path]!) : null) },
    home: "/user",
    env: {},
  });

describe.each(logins.map((one) => [one[0].name, ...one] as const))("%s", (_, cli, path, login, lent, expires) => {
  const file = `/user/${path}`;

  test("is lent what its calls need of the user's login, and never what renews it", async () => {
    const found = await look(cli, { [file]: JSON.stringify(login) });
    expect(found).toMatchObject({ state: "file", file, secrets: expect.arrayContaining([access]) });
    expect(found.state === "file" && [JSON.parse(found.text), found.expires]).toEqual([lent, expires]);
    expect(JSON.stringify(found)).not.toMatch(/renews|of-a-server/);
  });

  test("a file that is no login counts as none", async () => {
    for (const text of ["", "{", "[]", "null", '{"other":1}'])
      expect((await look(cli, { [file]: text })).state, text).toBe("none");
  });
});

test("a login of Codex that is a key is lent as it is, and does not end", async () => {
  const login = { auth_mode: "apikey", OPENAI_API_KEY: "key-of-the-user" };
  const found = await look(codex, { "/user/.codex/auth.json": JSON.stringify(login) });
  expect(found).toMatchObject({ state: "file", text: JSON.stringify(login), secrets: ["key-of-the-user"] });
  expect(found).toHaveProperty("expires", undefined);
});
