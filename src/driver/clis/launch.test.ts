import { describe, expect, test } from "vitest";
import type { Login } from "../driver.ts";
import { clis } from "../index.ts";
import { launch } from "../running.test-help.ts";
import { acpCommand } from "./acp.ts";
import { codexExec } from "./codex-exec.ts";

const all = [...clis, acpCommand(["/bin/agent", "--acp"])];

test("every CLI has a name of its own", () => {
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});

describe.each([...all, codexExec].map((cli) => [cli.oneTurn ? `${cli.name}, by exec` : cli.name, cli] as const))(
  "%s",
  (_, cli) => {
    const secrets = ["gateway-token-1", "mcp-secret-1", "key-of-the-user-1"];
    /** Any command brings its own login. */
    const hasKey = cli.name !== "acp";
    const hasFile = hasKey && cli.name !== "cursor";
    const login: Login = { state: "key", variable: "SOME_KEY", secret: "key-of-the-user-1" };

    test("no secret is in its arguments, and with a gateway no key of the user is anywhere", () => {
      for (const gateway of [launch.gateway, undefined])
        for (const resume of [undefined, "conversation-1"])
          for (const secret of secrets)
            expect(cli.launch({ ...launch, gateway, resume, login }).command.join(" ")).not.toContain(secret);
      expect(JSON.stringify(cli.launch({ ...launch, login }))).not.toContain(
        cli.gateway ? "key-of-the-user-1" : "nothing",
      );
    });

    test("without a gateway a key of the user reaches it by its environment", () => {
      const { env } = cli.launch({ ...launch, gateway: undefined, login });
      expect(env.SOME_KEY).toBe(hasKey ? "key-of-the-user-1" : undefined);
    });

    test("what is written for it lies in its home, and a login that is a file is lent only without a gateway", () => {
      const file: Login = { state: "file", file: "/home/user/.login", name: "login.json", text: "lent", secrets: [] };
      for (const gateway of [launch.gateway, undefined]) {
        const { files, folders = [] } = cli.launch({ ...launch, gateway, login: file });
        for (const path of [...folders, ...files.map((file) => file.path)]) expect(path).toMatch(/^\/home\/it\//);
        const lent = files.filter(({ text }) => text === "lent");
        if (gateway) expect(lent).toEqual([]);
        else
          expect(lent).toMatchObject(hasFile ? [{ path: expect.stringMatching(/login\.json$/), passing: true }] : []);
      }
    });
  },
);
