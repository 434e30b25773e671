/** OpenCode, by ACP. All its settings come by its environment; nothing of the user's is read but the login. */
import { join } from "node:path";
import type { Launch } from "../driver.ts";
import { fileAt, type Lent, ownLogin } from "../installed/own-login.ts";
import { type Fields, fieldsOf } from "../wire/fields.ts";
import { acpCli } from "./acp.ts";

/** It may have several, of different providers; only the one that is used matters, so none is said to have ended. */
function lend(logins: Fields): Lent | undefined {
  const all = Object.entries(logins).map(([provider, login]) => [provider, fieldsOf(login)] as const);
  if (!all.some(([, { type }]) => typeof type === "string")) return undefined;
  const lent = all.map(([provider, login]) => [provider, login.type === "oauth" ? { ...login, refresh: "" } : login]);
  return {
    login: Object.fromEntries(lent),
    secrets: all.flatMap(([, { access, key, token }]) => [access, key, token]),
  };
}

export const opencode = acpCli({
  name: "opencode",
  title: "OpenCode",
  binary: "opencode",
  tested: { from: "1.18.33", to: "1.18.33" },
  gateway: true,
  install: "npm install -g opencode-ai",
  loginHint: "run `opencode auth login`, or name a provider that has a key, as in opencode/openai/MODEL",
  systemByFile: true,

  async login({ files, home, env }) {
    const file = join(env.XDG_DATA_HOME || join(home, ".local/share"), "opencode/auth.json");
    return (await fileAt(files, file, lend)) ?? { state: "none" };
  },

  launch(options) {
    const { file, model, system, home, path, asks, gateway } = options;
    const share = join(home, ".local/share");
    const own = ownLogin(options, join(share, "opencode"));
    const files: Launch["files"] = [{ path: join(home, "system.md"), text: system }, ...own.files];
    const provider = gateway && model && { provider: { agiraph: providerOf(gateway.url, model) } };
    const chosen = model && (gateway ? `agiraph/${model}` : model);
    const settings = {
      autoupdate: false,
      share: "disabled",
      instructions: [join(home, "system.md")],
      permission: { "*": asks ? "ask" : "allow" },
      ...(chosen && { model: chosen, small_model: chosen }),
      ...(provider && { enabled_providers: ["agiraph"], ...provider }),
    };
    if (gateway) files.push({ path: join(home, "token"), text: gateway.token });
    files.push({ path: join(home, ".config/opencode/package-lock.json"), text: installed });
    return {
      command: [file, "acp"],
      env: {
        PATH: path,
        HOME: home,
        XDG_CONFIG_HOME: join(home, ".config"),
        XDG_DATA_HOME: share,
        XDG_STATE_HOME: join(home, ".local/state"),
        XDG_CACHE_HOME: join(home, ".cache"),
        OPENCODE_CONFIG_CONTENT: JSON.stringify(settings).replaceAll("{file:token}", `{file:${join(home, "token")}}`),
        ...own.env,
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_PROJECT_CONFIG: "1",
        OPENCODE_DISABLE_CLAUDE_CODE: "1",
      },
      files,
      folders: [join(home, ".config/opencode/node_modules")],
    };
  },
});

/** At its start it installs this package for plugins, of which it has none, unless it is there: people would be asked about a registry. */
const installed = JSON.stringify({ packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } });

/** The key is in a file, because its tools inherit its environment. */
const providerOf = (url: string, model: string) => ({
  npm: "@ai-sdk/openai-compatible",
  options: { baseURL: `${url}/v1`, apiKey: "{file:token}" },
  models: { [model]: { tool_call: true, limit: { context: 200_000, output: 16_000 } } },
});
