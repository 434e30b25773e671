/** The configuration of Codex, whichever way it is driven: a `config.toml` that only we can read. It runs in our sandbox, not in its own. */
import { join } from "node:path";
import { proxyEnv } from "../../lib/network/proxy-env.ts";
import type { Cli, Launch, LaunchOptions } from "../driver.ts";
import { fileAt, keyIn, type Lent, ownLogin, tokenEnd } from "../installed/own-login.ts";
import { type Fields, fieldsOf, textOf } from "../wire/fields.ts";

export const codexLoginHint = "run `codex login`, or set OPENAI_API_KEY";

const codexLogin: Cli["login"] = async ({ files, home, env }) => {
  const file = await fileAt(files, join(env.CODEX_HOME || join(home, ".codex"), "auth.json"), lend);
  return file ?? keyIn(env, "OPENAI_API_KEY") ?? { state: "none" };
};

/** Without the field for it, even if it is empty, Codex does not take it for a login. */
function lend({ tokens, ...login }: Fields): Lent | undefined {
  const { access_token, id_token, ...rest } = fieldsOf(tokens);
  const secrets = [access_token, id_token, login.OPENAI_API_KEY];
  if (!textOf(access_token)) return textOf(login.OPENAI_API_KEY) ? { login, secrets } : undefined;
  const lent = { ...login, tokens: { ...rest, access_token, id_token, refresh_token: "" } };
  return { login: lent, secrets, expires: tokenEnd(access_token) };
}

/** What holds for both ways. */
export const codexProgram = {
  name: "codex",
  title: "Codex",
  binary: "codex",
  tested: { from: "0.160.0", to: "0.160.0" },
  versionArgs: ["--version"],
  gateway: true,
  install: "npm install -g @openai/codex",
  loginHint: codexLoginHint,
  renewHint: "run `codex` and send it a message, which renews it; an OPENAI_API_KEY does not end",
  keys: ["OPENAI_API_KEY"],
  provider: "openai",
  hosts: ["chatgpt.com", "api.openai.com"],
  login: codexLogin,
} satisfies Partial<Cli>;

/** `more`: further lines of its configuration. */
export function codexLaunch(options: LaunchOptions, args: string[], more: string[] = []): Launch {
  const { file, home, path } = options;
  const settings = join(home, "codex");
  const { files, env } = ownLogin(options, settings);
  return {
    command: [file, ...args],
    env: { PATH: path, HOME: home, CODEX_HOME: settings, ...env },
    files: [{ path: join(settings, "config.toml"), text: toml(options, more) }, ...files],
    folders: [settings],
  };
}

/** What a command needs besides. */
const basic = ["PATH", "HOME", "SHELL", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "TERM", "LANG", "LC_*"];

function toml({ model, mcp, gateway, login }: LaunchOptions, more: string[]): string {
  const text = JSON.stringify; // a JSON string is a valid TOML string
  const provider = gateway
    ? [`base_url = ${text(`${gateway.url}/v1`)}`, `experimental_bearer_token = ${text(gateway.token)}`]
    : login?.state === "key"
      ? ['base_url = "https://api.openai.com/v1"', `env_key = ${text(login.variable)}`]
      : undefined;
  return [
    ...(model ? [`model = ${text(model)}`] : []),
    ...(provider ? ['model_provider = "agiraph"'] : []),
    ...more,
    "check_for_update_on_startup = false",
    "[analytics]",
    "enabled = false",
    "[feedback]",
    "enabled = false",
    "[features]",
    "plugins = false",
    "apps = false",
    // They work on after a turn, or wait in it.
    "goals = false",
    "sleep_tool = false",
    // Its commands see no key, and find the proxy.
    "[shell_environment_policy]",
    'inherit = "all"',
    `include_only = ${text([...basic, ...Object.keys(proxyEnv)])}`,
    ...(provider
      ? [
          "[model_providers.agiraph]",
          'name = "agiraph"',
          ...provider,
          'wire_api = "responses"',
          "supports_websockets = false",
          "request_max_retries = 2",
          "stream_max_retries = 2",
        ]
      : []),
    ...(mcp
      ? [
          `[mcp_servers.${text(mcp.name)}]`,
          `url = ${text(mcp.url)}`,
          `http_headers = { Authorization = ${text(`Bearer ${mcp.secret}`)} }`,
          "required = true",
          // Our tools are checked by policy where they are called.
          'default_tools_approval_mode = "approve"',
          "tool_timeout_sec = 900",
        ]
      : []),
    "",
  ].join("\n");
}
