/** Cursor's agent, by ACP. It is only available with its installer, so this is untested: it follows its documentation. */
import { acpCli } from "./acp.ts";

export const cursor = acpCli({
  name: "cursor",
  title: "Cursor",
  binary: "cursor-agent",
  install: "curl https://cursor.com/install -fsS | bash",
  loginHint: "run `cursor-agent login`, or set CURSOR_API_KEY",

  async login({ env }) {
    const secret = env.CURSOR_API_KEY;
    return secret ? { state: "key", variable: "CURSOR_API_KEY", secret } : { state: "unknown" };
  },

  launch: ({ file, model, home, path, login }) => ({
    command: [file, ...(model ? ["--model", model] : []), "acp"],
    env: { PATH: path, HOME: home, ...(login?.state === "key" && { [login.variable]: login.secret }) },
    files: [],
  }),
});
