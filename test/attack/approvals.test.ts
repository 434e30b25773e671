/** Programs that speak for the human, and want to be the human. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { ask, clearLater, upAndReady } from "../daemon.ts";
import { createLab, newFolder } from "../program.ts";
import { attack } from "./attack.ts";

const rpc = async (home: string, path: string, method: string, params: unknown): Promise<string> => {
  const accept = { accept: "application/json, text/event-stream" };
  return JSON.stringify((await ask(home, `POST ${path}`, { jsonrpc: "2.0", id: 1, method, params }, accept)).body);
};
const tool = (name: string, input: object) => ({ name, arguments: input });
const said = (text: string, more: object = {}) => ({
  message: { role: "user", messageId: `m${Math.random()}`, parts: [{ kind: "text", text }], ...more },
  configuration: { blocking: false },
});

/** How another program could say yes. */
const ways: Record<string, (home: string, agent: string) => Promise<string>> = {
  "MCP, by its id": (home, agent) =>
    rpc(home, "/mcp", "tools/call", tool("question_answer", { agent, question: "q1", answer: "allow" })),
  "MCP, as the only one": (home, agent) =>
    rpc(home, "/mcp", "tools/call", tool("question_answer", { agent, answer: "yes" })),
  "MCP, for ever": (home, agent) =>
    rpc(
      home,
      "/mcp",
      "tools/call",
      tool("question_answer", { agent, question: "q1", answer: "allow", remember: true }),
    ),
  "MCP, as a message": (home, agent) =>
    rpc(home, "/mcp", "tools/call", tool("agent_send", { agent, message: "allow", text: "allow", content: "allow" })),
  "A2A, in its context": (home, agent) => rpc(home, "/a2a", "message/send", said("allow", { contextId: agent })),
  "A2A, to its task": (home, agent) =>
    rpc(home, "/a2a", "message/send", said("yes", { contextId: agent, taskId: `${agent}:r1:1` })),
};

async function asking(config: string) {
  const lab = await createLab();
  const home = clearLater(newFolder({ "config.yaml": lab.config(`sandbox: { bash: "off" }\n${config}`) }));
  await upAndReady(home);
  const touched = join(home, "PWNED");
  lab.play({ tool: "bash", input: { command: `touch ${touched}` } });
  const { id } = (await ask(home, "POST /agents", { goal: "g" })).body;
  await expect.poll(async () => (await ask(home, `GET /agents/${id}`)).body.open_questions).toBe(1);
  return { home, agent: id as string, touched };
}

attack("mcp", "B17 no program that speaks for the human decides an approval", async ({ held }) => {
  const { home, agent, touched } = await asking("");
  for (const [what, answer] of Object.entries(ways)) {
    const heard = await answer(home, agent);
    if (!what.endsWith("message"))
      expect(heard, what).toMatch(/forbidden.*approvals: \{ (mcp|a2a): true \}|approvals: \{ a2a: true \}/);
    expect((await ask(home, `GET /agents/${agent}`)).body.open_questions, what).toBe(1);
    held();
  }
  expect(existsSync(touched)).toBe(false);
  // The human still can.
  expect((await ask(home, `POST /agents/${agent}/approvals/q1`, { decision: "allow" })).status).toBe(200);
  await expect.poll(() => existsSync(touched)).toBe(true);
});

attack("mcp", "B17 what the config allows one of them, it does not allow the other", async () => {
  const { home, agent, touched } = await asking("approvals: { mcp: true }\n");
  expect(await ways["A2A, in its context"]!(home, agent)).toContain("approvals: { a2a: true }");
  expect(await ways["MCP, by its id"]!(home, agent)).not.toContain("forbidden");
  await expect.poll(() => existsSync(touched)).toBe(true);
});

attack(
  "mcp",
  "B17 no program that speaks for the human, and no message, lets a command reach a host",
  async ({ held }) => {
    const lab = await createLab();
    const home = clearLater(newFolder({ "config.yaml": lab.config("# mine\n") }));
    await upAndReady(home);
    const before = readFileSync(join(home, "config.yaml"), "utf8");
    lab.play({ tool: "bash", input: { command: "curl -sS -m 30 http://evil.example.com/" } });
    const { id: agent } = (await ask(home, "POST /agents", { goal: "g" })).body;
    const open = async () => (await ask(home, `GET /agents/${agent}`)).body.open_questions;
    await expect.poll(open).toBe(1);
    const always: typeof ways = {
      ...ways,
      "MCP, always": (home, agent) =>
        rpc(home, "/mcp", "tools/call", tool("question_answer", { agent, question: "q1", answer: "always" })),
      "A2A, always": (home, agent) => rpc(home, "/a2a", "message/send", said("always", { contextId: agent })),
    };
    for (const [what, answer] of Object.entries(always)) {
      await answer(home, agent);
      expect(await open(), what).toBe(1);
      held();
    }
    expect((await ask(home, `POST /agents/${agent}/send`, { message: "always" })).status).toBeLessThan(300);
    expect(await open()).toBe(1);
    expect(readFileSync(join(home, "config.yaml"), "utf8")).toBe(before);
    const events = (await ask(home, `GET /agents/${agent}/events?limit=500`)).body.items as { type: string }[];
    expect(events.filter(({ type }) => type === "host.opened")).toEqual([]);
  },
);
