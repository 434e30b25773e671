/** Layer 9, the daemon: one service that the terminal, the page and AI tools share. */
import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterThisTest } from "../../src/lib/cleanup.test-help.ts";
import { ask, daemonFile, serveHere, upAndReady } from "../daemon.ts";
import { startModelServer } from "../model-server.ts";
import { command, newFolder } from "../program.ts";

async function place() {
  const server = await startModelServer([{ text: "Four." }]);
  afterThisTest(() => server.close());
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-ant-none" };
  return { home: newFolder({ "config.yaml": 'embeddings: "off"\n' }), env };
}

async function daemon() {
  const { home, env } = await place();
  await serveHere(home, env);
  return home;
}

test("one daemon serves REST, SSE and MCP", async () => {
  const home = await daemon();
  const made = await ask(home, "POST /agents", { name: "a", goal: "2 + 2?", model: "anthropic/x" });
  expect(made.status).toBe(201);
  await ask(home, "GET /agents/a/wait?seconds=60");
  const { port, token } = daemonFile(home)!;
  const headers = { authorization: `Bearer ${token}` };
  const events = await fetch(`http://127.0.0.1:${port}/agents/a/events?after=0`, {
    headers: { ...headers, accept: "text/event-stream" },
  });
  let stream = "";
  for await (const bytes of events.body!) {
    stream += new TextDecoder().decode(bytes);
    if (stream.includes("agent.created")) break;
  }
  expect(events.headers.get("content-type")).toContain("text/event-stream");
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };
  const mcp = await ask(home, "POST /mcp", list, { accept: "application/json, text/event-stream" });
  expect(JSON.stringify(mcp.body)).toContain("agent_send");
});

test("daemon.json says where it is and with which token, readable only by its user; every request needs it", async () => {
  const home = await daemon();
  const file = daemonFile(home)!;
  expect(file).toMatchObject({
    pid: process.pid,
    host: "127.0.0.1",
    port: expect.any(Number),
    token: expect.stringMatching(/.{32,}/),
  });
  expect(statSync(join(home, "daemon.json")).mode & 0o777).toBe(0o600);
  for (const path of ["/agents", "/mcp", "/openapi.json"])
    expect((await fetch(`http://127.0.0.1:${file.port}${path}`)).status).toBe(401);
});

test("what one client does the others see: the command line, HTTP and MCP have one state", async () => {
  const { home, env } = await place();
  await upAndReady(home, env); // a process: the command line may send it signals
  await ask(home, "POST /agents", { name: "a", goal: "2 + 2?", model: "anthropic/x" });
  await ask(home, "GET /agents/a/wait?seconds=60");
  const listed = await command(["ls", "--json"], { AGIRAPH_HOME: home });
  expect(JSON.parse(listed.out)).toMatchObject([{ id: "a" }]);
  const use = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "agent_list", arguments: {} } };
  const mcp = await ask(home, "POST /mcp", use, { accept: "application/json, text/event-stream" });
  expect(JSON.stringify(mcp.body)).toContain("2 + 2?");
});
