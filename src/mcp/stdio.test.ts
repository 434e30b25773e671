/** `agiraph mcp` as a real process, spoken with by the official client. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server/server.test-help.ts";
import { createMcpServer } from "./server.ts";

const program = fileURLToPath(new URL("../../bin/agiraph.mjs", import.meta.url));
const script = `
participants:
  coordinator:
    - calls: [{ tool: ask_human, input: { question: "Which?" } }]
    - seconds: 60
`;

let server: TestServer;
let home: string;
const begin = () =>
  startTestServer({
    script,
    mounts: (served, fault) => ({ "/mcp": createMcpServer({ ...served, fault }).serve }),
  });
const announce = ({ url, token }: { url: string; token: string }) =>
  writeFileSync(
    join(home, "daemon.json"),
    JSON.stringify({ host: "127.0.0.1", port: Number(new URL(url).port), token }),
  );

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "agiraph-stdio-"));
  server = await begin();
  announce(server);
});
afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

async function connect(mode: "auto" | "legacy") {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const args = [program, "--home", home, "mcp"];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
  const wrong: Error[] = [];
  client.onerror = (error) => wrong.push(error);
  await client.connect(transport);
  return { client, wrong };
}

describe.each(["auto", "legacy"] as const)("over stdio, with a client that negotiates %s", (mode) => {
  test("there are the same tools, answers, errors and progress as over HTTP", async () => {
    const { client, wrong } = await connect(mode);
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("run_wait");
      expect(tools).toHaveLength(10);
      const agent = `a-${mode}`;
      const use = async (name: string, input = {}, options = {}) =>
        client.callTool({ name, arguments: input }, options);
      expect((await use("agent_create", { goal: "g", name: agent })).structuredContent).toMatchObject({ id: agent });
      expect((await use("run_wait", { agent })).structuredContent).toMatchObject({ why: "question" });
      await use("question_answer", { agent, answer: "this" });
      const heard: unknown[] = [];
      const waits = use("run_wait", { agent, timeout_seconds: 20 }, { onprogress: (one: unknown) => heard.push(one) });
      while (!server.runtime.opened(agent)!.streams.followers()) await new Promise((resolve) => setImmediate(resolve));
      await use("agent_send", { agent, message: "Hello?" });
      while (!heard.length) await new Promise((resolve) => setImmediate(resolve));
      await server.runtime.send(agent, { type: "agent.stop" }, { actor: "human" });
      expect((await waits).structuredContent).toMatchObject({ why: "finished", agent: { status: "stopped" } });
      expect(await use("agent_get", { agent: "nobody" })).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^not_found: there is no agent nobody/) }],
      });
      await expect(use("agent_delete")).rejects.toThrow(/agent_delete/);
    } finally {
      await client.close();
    }
    expect(wrong).toEqual([]);
  });
});

test("a daemon that came back elsewhere is found again, and one that is gone is told", async () => {
  const { client } = await connect("legacy");
  try {
    await client.callTool({ name: "agent_list" });
    const other = await begin();
    try {
      const before = server;
      server = other;
      announce(other);
      await before.close();
      expect((await client.callTool({ name: "agent_list" })).structuredContent).toMatchObject({ agents: [] });
    } finally {
      await other.close();
    }
    const gone = await client.callTool({ name: "agent_list" });
    expect(gone).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/^unreachable: /) }] });
    server = await begin();
    announce(server);
    expect((await client.callTool({ name: "agent_list" })).isError).not.toBe(true);
  } finally {
    await client.close();
  }
});

test("without a daemon it says how to start one, on stderr, and ends with 1; stdout stays empty", async () => {
  const empty = mkdtempSync(join(tmpdir(), "agiraph-stdio-"));
  const child = spawn(process.execPath, [program, "--home", empty, "mcp"], { stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (text) => (out += text));
  child.stderr.on("data", (text) => (err += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  rmSync(empty, { recursive: true });
  expect({ code, out, err }).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(/no daemon serves .*agiraph --home .* up\n$/),
  });
});

test("it ends when nobody speaks to it any more", async () => {
  const child = spawn(process.execPath, [program, "--home", home, "mcp"], { stdio: ["pipe", "pipe", "ignore"] });
  const code = new Promise((resolve) => child.once("close", resolve));
  const init = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: init })}\n`);
  const [first] = await new Promise<Buffer[]>((resolve) => child.stdout.once("data", (...given) => resolve(given)));
  expect(JSON.parse(String(first))).toMatchObject({
    id: 1,
    result: { protocolVersion: "2025-06-18", serverInfo: { name: "agiraph" } },
  });
  child.stdin.end();
  expect(await code).toBe(0);
});
