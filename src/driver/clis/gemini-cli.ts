/** Gemini CLI, by ACP. It does not exit when its input ends, so it is terminated. */
import { join } from "node:path";
import type { Launch } from "../driver.ts";
import { fileAt, keyIn, type Lent, ownLogin } from "../installed/own-login.ts";
import { type Fields, numberOf, textOf } from "../wire/fields.ts";
import { acpCli } from "./acp.ts";

function lend({ refresh_token: _, ...login }: Fields): Lent | undefined {
  if (!textOf(login.access_token)) return undefined;
  return { login, secrets: [login.access_token, login.id_token], expires: numberOf(login.expiry_date) };
}

export const geminiCli = acpCli({
  name: "gemini-cli",
  title: "Gemini CLI",
  binary: "gemini",
  tested: { from: "0.61.0", to: "0.61.0" },
  gateway: true,
  hosts: ["*.googleapis.com"],
  install: "npm install -g @google/gemini-cli",
  provider: "google",
  loginHint: "run `gemini` and log in, or set GEMINI_API_KEY",
  renewHint: "run `gemini`, which renews it for an hour; a GEMINI_API_KEY does not end",
  keys: ["GEMINI_API_KEY"],
  systemByFile: true,
  replaysLate: true,
  mcpHint: "on Node 26 it cannot read what MCP servers answer; put an older Node first on the PATH",
  toolName: ({ toolCallId }) => /^(\w{1,100}?)__/.exec(textOf(toolCallId))?.[1],

  async login({ files, home, env }) {
    const file = join(home, ".gemini/oauth_creds.json");
    return keyIn(env, "GEMINI_API_KEY") ?? (await fileAt(files, file, lend)) ?? { state: "none" };
  },

  /**
   * A file of a conversation is named by the minute and the conversation. Before it looks for the one to resume it begins one for this minute; if
   * the conversation began in the same minute that is the same file, which is emptied. So its file gets a name that no minute has.
   */
  async beforeResume(home, id) {
    const short = id.slice(0, 8);
    for (const { name: project } of await home.list(".gemini/tmp")) {
      const folder = `.gemini/tmp/${project}/chats`;
      const names = (await home.list(folder)).filter(({ kind }) => kind === "file").map(({ name }) => name);
      for (const name of names) {
        if (!/^session-\d/.test(name) || !name.endsWith(`-${short}.jsonl`)) continue;
        const text = await home.read(`${folder}/${name}`);
        // One that it began for a resume of before has nothing in it.
        const isFirst = !names.includes(keptName(short));
        if (text && isFirst) await home.write(`${folder}/${keptName(short)}`, text, { durable: false });
        await home.remove(`${folder}/${name}`);
      }
    }
  },

  launch(options) {
    const { file, model, system, home, path, gateway, login } = options;
    const settings = join(home, ".gemini");
    const own = ownLogin(options, settings);
    const selectedType = gateway || login?.state === "key" ? "gemini-api-key" : "oauth-personal";
    const files: Launch["files"] = [
      ...own.files,
      { path: join(settings, "GEMINI.md"), text: system },
      {
        path: join(settings, "settings.json"),
        text: JSON.stringify({
          security: { auth: { selectedType }, folderTrust: { enabled: false } },
          general: { enableAutoUpdate: false },
          privacy: { usageStatisticsEnabled: false },
          telemetry: { enabled: false },
        }),
      },
    ];
    return {
      command: [file, "--acp", "--skip-trust", ...(model ? ["-m", model] : [])],
      env: {
        PATH: path,
        HOME: home,
        GEMINI_CLI_NO_RELAUNCH: "true",
        GEMINI_TELEMETRY_ENABLED: "false",
        ...(gateway && { GEMINI_API_KEY: gateway.token, GOOGLE_GEMINI_BASE_URL: gateway.url }),
        ...own.env,
      },
      files,
    };
  },
});

const keptName = (short: string): string => `session-kept-${short}.jsonl`;
