/** `agiraph mcp` as a real process in front of a real daemon, spoken with by the official client. */
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { beforeAll, describe, expect, test } from "vitest";
import { bin } from "./built.ts";
import { ask, clearLater, daemonFile, start } from "./daemon.ts";
import { createLab, newFolder } from "./program.ts";

let lab: Awaited<ReturnType<typeof createLab>>;
beforeAll(async () => {
  lab = await createLab();
});

const home = () => clearLater(newFolder({ "config.yaml": lab.config() }));

async function connect(home: string, mode: "auto" | "legacy", ...options: string[]) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  const args = [bin, "--home", home, ...options, "mcp"];
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" });
  const wrong: Error[] = [];
  client.onerror = (error) => wrong.push(error);
  await client.connect(transport);
  return { client, wrong };
}

describe.each(["auto", "legacy"] as const)("over stdio, with a client that negotiates %s", (mode) => {
  test("the daemon is started when there is none; tools, answers and errors are those of HTTP", async () => {
    const place = home();
    lab.play({ tool: "ask_human", input: { question: "Which?" } }, { tool: "finish", input: { summary: "That one." } });
    const { client, wrong } = await connect(place, mode);
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain("run_wait");
      expect(tools.length).toBeGreaterThan(10);
      const use = async (name: string, input = {}, options = {}) =>
        client.callTool({ name, arguments: input }, options);
      const agent = "a";
      expect((await use("agent_create", { goal: "g", name: agent })).structuredContent).toMatchObject({ id: agent });
      expect((await use("run_wait", { agent })).structuredContent).toMatchObject({ why: "question" });
      await use("question_answer", { agent, answer: "this" });
      expect((await use("run_wait", { agent })).structuredContent).toMatchObject({
        why: "finished",
        agent: { status: "completed", result: "That one." },
      });
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

test("whoever connects is told what there is though no daemon can start; the first call says why it cannot", async () => {
  const { client } = await connect(join(newFolder({ file: "in the way" }), "file", "home"), "auto");
  try {
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("agent_send");
    const refused = await client.callTool({ name: "agent_list" });
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("file/home") }] });
  } finally {
    await client.close();
  }
});

test("with --alone the agents work in this process; no daemon is started, and what was done is in the home afterwards", async () => {
  const place = home();
  lab.play({ tool: "finish", input: { summary: "Without a daemon." } });
  const { client, wrong } = await connect(place, "auto", "--alone");
  try {
    await client.callTool({ name: "agent_create", arguments: { goal: "g", name: "a" } });
    expect((await client.callTool({ name: "run_wait", arguments: { agent: "a" } })).structuredContent).toMatchObject({
      why: "finished",
      agent: { status: "completed", result: "Without a daemon." },
    });
    expect(daemonFile(place)).toBeUndefined();
  } finally {
    await client.close();
  }
  expect(wrong).toEqual([]);
  const again = await connect(place, "auto", "--alone");
  try {
    const { structuredContent } = await again.client.callTool({ name: "agent_list" });
    expect(structuredContent).toMatchObject({ items: [{ id: "a", status: "completed" }] });
  } finally {
    await again.client.close();
  }
});

test("a daemon that was killed is found, or started, again", async () => {
  const place = home();
  const { client } = await connect(place, "legacy");
  try {
    await client.callTool({ name: "agent_list" });
    const { pid } = daemonFile(place)!;
    process.kill(pid, "SIGKILL");
    const again = await client.callTool({ name: "agent_list" });
    expect(again, JSON.stringify(again)).toMatchObject({ structuredContent: { items: [] } });
    expect(daemonFile(place)!.pid).not.toBe(pid);
  } finally {
    await client.close();
  }
});

test("it ends when nobody speaks to it any more, and leaves the daemon", async () => {
  const place = home();
  const { child, until, ended, said } = start(place, ["mcp"]);
  const init = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  child.stdin!.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: init })}\n`);
  await until("\n");
  expect(JSON.parse(said())).toMatchObject({
    id: 1,
    result: { protocolVersion: "2025-06-18", serverInfo: { name: "agiraph" } },
  });
  child.stdin!.end();
  expect((await ended).code).toBe(0);
  expect((await ask(place, "GET /health")).status).toBe(200);
});
