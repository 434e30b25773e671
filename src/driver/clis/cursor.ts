/** Cursor's agent, by ACP. It is only available with its installer, so this is untested: it follows its documentation. */

import { keyIn, ownLogin } from "../installed/own-login.ts";
import { acpCli } from "./acp.ts";

export const cursor = acpCli({
  name: "cursor",
  title: "Cursor",
  binary: "cursor-agent",
  hosts: ["*.cursor.sh", "*.cursor.com"],
  install: "curl https://cursor.com/install -fsS | bash",
  loginHint: "run `cursor-agent login`, or set CURSOR_API_KEY",

  keys: ["CURSOR_API_KEY"],
  login: async ({ env }) => keyIn(env, "CURSOR_API_KEY") ?? { state: "unknown" },

  launch: ({ file, model, home, path, login }) => ({
    command: [file, ...(model ? ["--model", model] : []), "acp"],
    // It cannot use a gateway.
    env: { PATH: path, HOME: home, ...ownLogin({ login }, home).env },
    files: [],
  }),
});
