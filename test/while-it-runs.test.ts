/** What people change while the daemon runs counts: keys, MCP servers, skills, config.yaml. A real daemon, and the commands of its clients. */
import { chmodSync, readdirSync, readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { OfferedProgram } from "../src/api/models.ts";
import { serve } from "../src/backend/server.test-help.ts";
import { raw } from "../src/server/stream/catch-up.test-help.ts";
import { ask, daemonFile, start, upAndReady } from "./daemon.ts";
import { command, createLab, newFolder, put, root } from "./program.ts";
import { until } from "./until.ts";

const lab = await createLab();
const finish = { tool: "finish", input: { summary: "All is done." } };
const run = (home: string, args: string[], env: Record<string, string> = {}) =>
  command(args, { AGIRAPH_HOME: home, ...env });

/** A provider that knows one key. */
async function createProvider(right: string) {
  const provider = await serve();
  const keys: string[] = [];
  provider.answer(({ headers }, response) => {
    const key = String(headers["x-api-key"]);
    keys.push(key);
    if (key !== right) {
      response.writeHead(401, { "content-type": "application/json" });
      return response.end('{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}');
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    return response.end(
      words.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join(""),
    );
  });
  return { keys, env: { ANTHROPIC_BASE_URL: provider.url, OLLAMA_HOST: "127.0.0.1:1" } };
}

const usage = { input_tokens: 10, output_tokens: 1 };
const message = { id: "m", type: "message", role: "assistant", model: "x", content: [], stop_reason: null, usage };
const call = { type: "tool_use", id: "t1", name: "finish", input: {} };
const words: [string, object][] = [
  ["message_start", { message }],
  ["content_block_start", { index: 0, content_block: call }],
  [
    "content_block_delta",
    { index: 0, delta: { type: "input_json_delta", partial_json: JSON.stringify(finish.input) } },
  ],
  ["content_block_stop", { index: 0 }],
  ["message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } }],
  ["message_stop", {}],
];

/** Every file of the home that holds it. */
const holding = (home: string, text: string): string[] =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter((path) => readFileSync(path, "latin1").includes(text));

test("a key that is exported after the daemon was started is used, also the right one after a wrong one; it is written nowhere", async () => {
  const home = newFolder({ "config.yaml": 'embeddings: "off"\n' });
  const right = "sk-ant-the-right-one-0123456789";
  const wrong = "sk-ant-a-wrong-one-9876543210";
  const { keys, env } = await createProvider(right);
  await upAndReady(home, { OLLAMA_HOST: env.OLLAMA_HOST });

  const without = await run(home, ["run", "hello"], env);
  expect([without.code, without.out]).toEqual([1, expect.stringContaining("none of ANTHROPIC_API_KEY")]);
  expect(without.out).toContain("then try again");
  expect(without.out).not.toContain("agiraph down");

  const refused = await run(home, ["run", "first try"], { ...env, ANTHROPIC_API_KEY: wrong });
  expect(refused.code).toBe(4);
  expect(refused.err).toContain("the daemon now uses ANTHROPIC_API_KEY from this shell");
  expect(refused.out).toContain("agiraph resume first-try");

  // Whoever only looks changes nothing.
  const looked = await run(home, ["ls"], { ...env, ANTHROPIC_API_KEY: "sk-ant-an-old-terminal-000" });
  expect([looked.code, looked.err]).toEqual([0, ""]);

  const doctor = await run(home, ["doctor", "--call"], { ...env, ANTHROPIC_API_KEY: wrong });
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("401")]);

  const resumed = await run(home, ["resume", "first-try"], { ...env, ANTHROPIC_API_KEY: right });
  expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining("All is done.")]);
  expect(keys.at(-1)).toBe(right);
  expect(keys).not.toContain("sk-ant-an-old-terminal-000");

  // Who has none takes none away; and what is the same is not sent again.
  const again = await run(home, ["run", "second"], env);
  expect([again.code, again.err]).toEqual([0, ""]);
  for (const secret of [right, wrong]) expect(holding(home, secret)).toEqual([]);
  expect(readFileSync(join(home, "daemon.log"), "utf8")).toContain(
    "environment updated by a command: ANTHROPIC_API_KEY",
  );
});

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const one = createServer().listen(0, () => {
      const { port } = one.address() as AddressInfo;
      one.close(() => resolve(port));
    });
  });

test("variables are taken from this machine's user and from nobody else, and only those that are asked for", async () => {
  const home = newFolder({ "config.yaml": 'embeddings: "off"\n' });
  const elsewhere = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === "IPv4" && !one.internal)?.address;
  const free = await freePort();
  const outside = [
    ...(elsewhere ? ["--listen", `${elsewhere}:${free}`, "--expose", "--as", elsewhere] : []),
    ...["--proxy", "https://agents.example"],
  ];
  const daemon = start(home, ["up", "--port", "0", ...outside], { HOME: newFolder() });
  await daemon.until("ready in");
  const values = { OPENAI_API_KEY: "sk-0123456789", PATH: "/evil", NODE_OPTIONS: "--require /evil.js" };
  const { body: code } = await ask(home, "POST /session/code");
  const { body: session } = await ask(home, "POST /session", { code: code.code });
  const page = await ask(home, "PATCH /environment", { values }, { authorization: `Bearer ${session.token}` });
  expect([page.status, page.body.error.code]).toEqual([403, "forbidden"]);
  const nobody = await ask(home, "PATCH /environment", { values }, { authorization: "Bearer guess" });
  expect(nobody.status).toBe(401);
  const { port, token } = daemonFile(home)!;
  const ways = [
    { url: `http://127.0.0.1:${port}`, host: "agents.example" }, // what a proxy hands on
    ...(elsewhere ? [{ url: `http://${elsewhere}:${free}`, host: `127.0.0.1:${port}` }] : []), // from another machine, under a name of this one
  ];
  for (const { url, host } of ways) {
    const headers = { authorization: `Bearer ${token}`, host };
    expect([host, (await raw(url, { method: "GET", path: "/status", headers })).status]).toEqual([host, 200]);
    expect([host, (await raw(url, { method: "GET", path: "/environment", headers })).status]).toEqual([host, 403]);
  }
  expect((await ask(home, "PATCH /environment", { values })).body).toEqual({ changed: ["OPENAI_API_KEY"] });
  const { variables } = (await ask(home, "GET /environment")).body;
  expect(variables.filter(({ mark }: { mark: unknown }) => mark !== null)).toEqual([
    { name: "OPENAI_API_KEY", mark: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect((await ask(home, "GET /models")).body.model).toMatch(/^openai\//);
});

const server = (env = "") =>
  `mcp:\n  desk:\n    command: ${process.execPath}\n    args: [${join(root, "src/toolkit/mcp/mcp-tools.test-help.ts")}]\n${env && `    env: { ${env} }\n`}`;

test("an MCP server that is added or changes while the daemon runs is listed, accepted and used", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  await upAndReady(home);
  expect((await ask(home, "GET /mcp-servers")).body).toEqual({ items: [] });
  put(home, { "config.yaml": lab.config(server()) });
  const first = await run(home, ["mcp", "list"]);
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^desk\n {2}accepted {2}echo\n/)]);
  lab.play({ tool: "mcp__desk__echo", input: { words: "hello" } }, finish);
  expect((await run(home, ["run", "echo"])).code).toBe(0);
  expect(lab.results()[0]).toContain("echo: hello");

  put(home, { "config.yaml": lab.config(server('MORE: "yes"')) });
  expect((await run(home, ["mcp", "list", "--json"])).out).toContain('"waiting":[{"tool":"late","what":"new"}]');
  const accepted = await run(home, ["mcp", "accept", "desk", "late"]);
  expect([accepted.code, accepted.out]).toEqual([0, expect.stringContaining("Accepted: late")]);
  // The agent that already exists is offered it as well.
  lab.play(finish);
  await run(home, ["send", "echo", "and now?", "--wait"]);
  expect(lab.offered()).toContain("mcp__desk__late");
  expect((await ask(home, "POST /mcp-servers/disk/accept", {})).body.error.message).toContain("no MCP server disk");
});

test("a skill that is added while the daemon runs is shown to the next agent", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  const skill = newFolder({
    "SKILL.md": "---\nname: haiku\ndescription: Write in three lines.\n---\nFive, seven, five.\n",
  });
  await upAndReady(home);
  const shown = await run(home, ["skill", "add", skill]);
  const hash = /--accept (\S+)/.exec(shown.out)?.[1] ?? "";
  expect((await run(home, ["skill", "add", skill, "--accept", hash])).code).toBe(0);
  lab.play(finish);
  await run(home, ["run", "a poem"]);
  expect(lab.system()).toContain("haiku");
});

test("edits of config.yaml count without a restart; what cannot is named, and a mistake changes nothing", async () => {
  const home = newFolder({ "config.yaml": lab.config() });
  const daemon = await upAndReady(home);
  const secondAgent = () => run(home, ["run", "write", "--name", `a${Math.random().toString(36).slice(2, 8)}`]);

  // Of an agent that is open, too: the rule counts at its next call.
  lab.play({ say: "Ready." });
  await run(home, ["run", "wait", "--name", "open"]);
  put(home, { "config.yaml": lab.config("policy:\n  - { do: deny, tool: bash, why: not here }\n") });
  await daemon.until("config.yaml was reloaded; changed: policy");
  lab.play({ tool: "bash", input: { command: "true" } }, finish);
  await run(home, ["send", "open", "go on", "--wait"]);
  expect(lab.results()[0]).toContain("Denied: not here");

  put(home, { "config.yaml": lab.config("policy: [ { do: perhaps } ]\n") });
  lab.play(finish);
  const broken = await secondAgent();
  expect([broken.code, broken.err]).toEqual([1, expect.stringMatching(/config\.yaml.*policy/)]);
  const doctor = await run(home, ["doctor"]);
  expect([doctor.code, doctor.out]).toEqual([1, expect.stringContaining("the previous settings apply")]);

  expect((await run(home, ["status"])).out).toContain("the previous settings apply until it is fixed");

  const channel = "channels:\n  hook: { kind: slack, url_env: HOOK }\nmodels:\n  lab/test: { window: 50000 }\n";
  put(home, { "config.yaml": lab.config(channel) });
  lab.play(finish);
  const edited = await secondAgent();
  expect(edited.code).toBe(0);
  expect(edited.err).toContain("channels will take effect when the daemon restarts (agiraph down)");
  const model = (await ask(home, "GET /models")).body.models.find(({ name }: { name: string }) => name === "lab/test");
  expect(model.window).toBe(50_000);
  put(home, { "config.yaml": lab.config() });
  await until(async () => expect((await ask(home, "GET /environment")).body.config.restart).toEqual([]));
});

test("a host that is allowed always is in config.yaml, with all its comments, and counts for every agent at once", async () => {
  const home = newFolder({ "config.yaml": `${lab.config()}sandbox:      # mine\n  network: []   # none yet\n` });
  const daemon = await upAndReady(home);
  lab.play({ tool: "bash", input: { command: "curl -sS -m 20 http://never.example.invalid/" } }, finish);
  await ask(home, "POST /agents", { goal: "reach it", name: "first" });
  await until(async () => expect((await ask(home, "GET /agents/first")).body.open_questions).toBe(1));
  expect((await run(home, ["inbox"])).out).toContain('answer first q1 "this time"   (or "this run", "always", "no")');
  expect((await run(home, ["answer", "first", "q1", "always"])).code).toBe(0);
  await daemon.until("config.yaml was reloaded; changed: sandbox");
  const text = readFileSync(join(home, "config.yaml"), "utf8");
  expect(text).toContain('sandbox:      # mine\n  network: ["never.example.invalid"]   # none yet\n');
});

test("the doctor says what the daemon has, and names a tool of the user's that cannot be loaded", async () => {
  const home = newFolder({ "config.yaml": lab.config(), "tools/bad.ts": "export const broken = ;\n" });
  expect((await run(home, ["doctor"])).out).toMatch(/own tool .*bad\.ts is ignored/);
  await upAndReady(home);
  const { code, out } = await run(home, ["doctor"]);
  expect(code).toBe(1);
  expect(out).toMatch(/daemon +running at http:\/\/127\.0\.0\.1:\d+ \(pid \d+\); the rest shows its environment/);
  expect(out).toMatch(/own tool .*bad\.ts is ignored/);
});

test("an agent program that is installed, and logged in to, while the daemon runs is told by /models and the doctor, and nobody waits for a slow one", async () => {
  const home = newFolder({ "config.yaml": lab.config('sandbox: { bash: "off" }\n') });
  const user = newFolder({
    "bin/codex": '#!/bin/sh\nwhile [ ! -e "$HOME/go" ]; do sleep 0.05; done; echo codex-cli 0.0.1',
  });
  const env = { PATH: `${join(user, "bin")}:/usr/bin:/bin`, HOME: user, OLLAMA_HOST: "127.0.0.1:1" };
  await upAndReady(home, env);
  const programs = async () => (await ask(home, "GET /models")).body.programs as OfferedProgram[];
  const state = async (name: string) => (await programs()).find((one) => one.name === name)!;
  chmodSync(join(user, "bin/codex"), 0o755);
  expect(await state("codex")).toMatchObject({ state: "checking" });
  expect(await state("claude-code")).toMatchObject({
    state: "missing",
    command: expect.stringContaining("npm install"),
  });

  put(user, { "bin/claude": "#!/bin/sh\necho '2.1.197 (Claude Code)'\n", go: "" });
  chmodSync(join(user, "bin/claude"), 0o755);
  await until(async () => expect(await state("claude-code")).toMatchObject({ state: "login", version: "2.1.197" }));
  await until(async () => expect(await state("codex")).toMatchObject({ version: "0.0.1", tested: false }));
  put(user, { ".claude/.credentials.json": '{"claudeAiOauth":{"accessToken":"sk-ant-very-secret"}}' });
  const claude = await state("claude-code");
  expect(claude).toMatchObject({ state: "ready", login: "login", about: "2.1.197, with your login" });
  // What is promised is what an agent can be created with.
  for (const model of claude.models)
    expect(await ask(home, "POST /agents", { goal: "x", model, start: false })).toMatchObject({ status: 201 });
  const missing = await run(home, ["new", "x", "--model", "opencode"], env);
  expect([missing.code, missing.err]).toEqual([1, expect.stringMatching(/^agiraph: OpenCode is not installed: .*npm/)]);
  put(home, { "config.yaml": 'embeddings: "off"\nsandbox: { bash: "off" }\n' });
  const none = await run(home, ["new", "x"], env);
  expect(none.out).toMatch(/--model claude-code +use Claude Code, which is ready here\n/);
  put(home, { "config.yaml": lab.config('sandbox: { bash: "off" }\n') });

  const doctor = await run(home, ["doctor"], env);
  expect(doctor.out).toMatch(/● Claude Code +2\.1\.197, with your login; as a model: claude-code\n/);
  expect(doctor.out).toMatch(/Codex +0\.0\.1, not logged in; older than what was tested: .*\n +→ run codex login/);
  expect(doctor.out).toMatch(/agent programs +also supported: .*npm install -g opencode-ai/);
  const models = await run(home, ["models"], env);
  expect([models.code, models.out]).toEqual([0, expect.stringContaining("lab/test")]);
  expect(models.out).toMatch(/\(codex\) +Codex 0\.0\.1/);
  expect(doctor.out + models.out + JSON.stringify(await programs())).not.toContain("very-secret");
});
