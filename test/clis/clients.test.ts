/**
 * The other direction: agent CLIs as clients of our MCP, set up with the very lines of docs/mcp.md. The real program asks a fake model, which calls a
 * tool of a real daemon, over stdio and over HTTP.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { installedCli } from "../../scripts/clis.ts";
import { ask, daemonFile, upAndReady } from "../daemon.ts";
import { createLab, type Ended, plainEnv, put, root } from "../program.ts";
import { type FakeModel, script, startModel } from "./model.ts";

type Way = "stdio" | "HTTP";

interface Client {
  title: string;
  binary: string;
  long?: true;
  /** Puts the line of the docs where they say, and returns the command that asks. */
  prepare(place: Place, line: string): Promise<Asking>;
}

interface Place {
  /** The user's home. */
  user: string;
  /** Runs the program. */
  run(args: string[]): Promise<Ended>;
  token: string;
}

interface Asking {
  args: string[];
  env?: Record<string, string>;
}

const docs = readFileSync(join(root, "docs/mcp.md"), "utf8");
/** Not in /tmp, where Codex refuses to work. */
const base = existsSync("/var/tmp") ? "/var/tmp" : tmpdir();
let model: FakeModel;
beforeAll(async () => {
  model = await startModel();
});
afterAll(() => model.close());

const clients: Client[] = [
  {
    title: "Claude Code",
    binary: "claude",
    async prepare({ run }, line) {
      const [, ...args] = words(line);
      expect(await run(args)).toMatchObject({ code: 0 });
      return {
        args: ["-p", ...words(allowed("claude -p").join(" "))],
        env: {
          ANTHROPIC_BASE_URL: model.url,
          ANTHROPIC_API_KEY: "key",
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
          DISABLE_AUTOUPDATER: "1",
          // The fake model does not search for tools.
          ENABLE_TOOL_SEARCH: "false",
          // It waits for the server, also on a slow machine.
          MCP_CONNECTION_NONBLOCKING: "0",
        },
      };
    },
  },
  {
    title: "Codex",
    binary: "codex",
    async prepare({ user, token }, line) {
      const provider = `
[model_providers.fake]
name = "fake"
base_url = "${model.url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
supports_websockets = false
[features]
plugins = false
apps = false
[analytics]
enabled = false
`;
      const general = 'model = "gpt-5.1-codex"\nmodel_provider = "fake"\ncheck_for_update_on_startup = false\n';
      put(user, { ".codex/config.toml": `${general}${line}\n${allowed("codex exec").join("\n")}\n${provider}` });
      return { args: ["exec", "--skip-git-repo-check", "-"], env: { FAKE_KEY: "key", AGIRAPH_TOKEN: token } };
    },
  },
  {
    title: "Gemini CLI",
    binary: "gemini",
    long: true,
    async prepare({ user }, line) {
      const { mcpServers } = JSON.parse(line);
      Object.assign(mcpServers.agiraph, JSON.parse(`{${allowed("gemini -p").join()}}`));
      const settings = {
        mcpServers,
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
        general: { enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
      };
      put(user, { ".gemini/settings.json": JSON.stringify(settings) });
      return {
        args: ["-m", "gemini-2.5-flash", "--skip-trust"],
        env: {
          GEMINI_API_KEY: "key",
          GOOGLE_GEMINI_BASE_URL: model.url,
          GEMINI_CLI_NO_RELAUNCH: "true",
          GEMINI_TELEMETRY_ENABLED: "false",
        },
      };
    },
  },
  {
    title: "OpenCode",
    binary: "opencode",
    long: true,
    async prepare({ user }, line) {
      put(user, { "work/opencode.json": line });
      const provider = {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL: `${model.url}/v1`, apiKey: "key" },
        models: { "fake-1": { tool_call: true, limit: { context: 200_000, output: 16_000 } } },
      };
      const settings = {
        autoupdate: false,
        share: "disabled",
        enabled_providers: ["fake"],
        provider: { fake: provider },
      };
      return {
        args: ["run", "-m", "fake/fake-1"],
        env: {
          OPENCODE_CONFIG_CONTENT: JSON.stringify({ ...settings, small_model: "fake/fake-1" }),
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          OPENCODE_DISABLE_MODELS_FETCH: "1",
          OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
          OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        },
      };
    },
  },
];

describe.each(clients)("$title", ({ title, binary, long, prepare }) => {
  const file = installedCli(binary);
  const isLeftOut = !file || (long && !process.env.AGIRAPH_ALL_CLIS);
  test.skipIf(isLeftOut)(
    "set up as docs/mcp.md says it creates an agent and lists it, over stdio and over HTTP",
    async () => {
      const user = mkdtempSync(join(base, "agiraph-client-"));
      onTestFinished(() => rmSync(user, { recursive: true, force: true }));
      const lab = await createLab();
      const home = join(user, ".agiraph");
      put(user, { ".agiraph/config.yaml": lab.config(), "work/note.md": "x" });
      await upAndReady(home, { HOME: user });
      const { port, token } = daemonFile(home)!;

      for (const way of ["stdio", "HTTP"] as const) {
        const run = (args: string[], env = {}, input = "") =>
          runIn(file!, args, { cwd: join(user, "work"), env: { ...plainEnv(), HOME: user, ...env }, input });
        const line = lineOf(title, way).replaceAll("5099", String(port)).replaceAll("Bearer TOKEN", `Bearer ${token}`);
        // What Claude Code was told of the other way.
        rmSync(join(user, ".claude.json"), { force: true });
        const { args, env } = await prepare({ user, run, token }, line);
        model.asked.length = 0;
        lab.play({ say: "I wait." });
        const name = `made-over-${way.toLowerCase()}`;
        const prompt = script(
          { call: "agent_create", input: { goal: "Wait for me", name } },
          { call: "agent_list" },
          { say: `It works over ${way}.` },
        );
        const ended = await run(args, env, `Make an agent. ${prompt}`);
        expect(
          ended,
          `${ended.err}${JSON.stringify(model.asked.at(-1)?.tools.map((tool) => tool.name))}`,
        ).toMatchObject({
          code: 0,
          out: expect.stringContaining(`It works over ${way}.`),
        });
        expect((await ask(home, "GET /agents")).body.items.map(({ id }: { id: string }) => id)).toContain(name);
        // Only the answers of the tools name the agent's model.
        expect(JSON.stringify(model.asked.at(-1)!.raw)).toContain("lab/test");
      }
    },
    // OpenCode fetches packages when it is used for the first time.
    long ? 300_000 : 90_000,
  );
});

/** The cell of the table. */
function lineOf(title: string, way: Way): string {
  const row = docs.split("\n").find((text) => text.startsWith(`| ${title}`));
  const cell = row?.split(" | ")[way === "stdio" ? 1 : 2] ?? "";
  const pieces = [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
  if (!pieces.length) throw new Error(`docs/mcp.md has no line for ${title} over ${way}`);
  return pieces.join("\n");
}

/** What the docs say to add where nobody can be asked. */
function allowed(command: string): string[] {
  const found = docs.split("\n").find((text) => text.startsWith(`- \`${command}\`: add `)) ?? "";
  return [...found.matchAll(/(?:add|and) `([^`]+)`/g)].map(([, code]) => code!);
}

/** As a shell would split it. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

function runIn(
  file: string,
  args: string[],
  { cwd, env, input }: { cwd: string; env: Record<string, string>; input: string },
): Promise<Ended> {
  const child = spawn(file, args, { cwd, env, stdio: "pipe" });
  const ended: Ended = { code: null, out: "", err: "" };
  child.stdout.on("data", (bytes) => {
    ended.out += bytes;
  });
  child.stderr.on("data", (bytes) => {
    ended.err += bytes;
  });
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  onTestFinished(() => void child.kill("SIGKILL"));
  return new Promise((resolve) => child.on("close", (code) => resolve({ ...ended, code })));
}
