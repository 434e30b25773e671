/** A participant's own tools over MCP: the program of an autonomous worker, played by the test, speaks for itself. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Processes } from "../lib/world.ts";
import type { Event } from "../schema/event.ts";
import type { PolicyRule } from "../schema/policy-rule.ts";
import { type Mounting, startTestServer, type TestServer } from "../server/server.test-help.ts";
import { defineTool } from "../toolkit/tool.ts";
import { createMcpServer } from "./server.ts";

const mounts = ({ client, runtime, ...given }: Mounting) => ({
  "/mcp": createMcpServer({ ...given, client: client("mcp"), participants: runtime }).serve,
});

const script = `
participants:
  coordinator:
    - calls:
        - tool: spawn_worker
          input: { name: Clive, role: tries, type: autonomous, agent_command: clive }
        - tool: create_work_node
          input: { name: Try, task: try it, worker: Clive }
        - tool: wait_for_nodes
`;

const outside = (name: string, run: () => Promise<string> = async () => "done") =>
  defineTool({
    name,
    about: `The ${name}`,
    guidance: "",
    effect: "outside",
    repeatable: false,
    input: z.object({}),
    run,
  });

let close: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of close.reverse()) await end();
  close = [];
});

/** The program runs until the test lets it end, or it is stopped. */
async function program(policy: PolicyRule[] = []) {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: running, resolve: started } = Promise.withResolvers<void>();
  let stopped = false;
  const processes: Processes = {
    async run({ signal }) {
      started();
      await Promise.race([ended, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
      stopped = signal.aborted;
      return { code: 0, output: "" };
    },
    start: () => Promise.reject(new Error("nobody talks with it")),
    sweep: async () => 0,
    sandbox: async () => null,
  };
  const hang = outside("hang", () => new Promise(() => undefined));
  const server = await startTestServer({
    script,
    processes,
    policy,
    tools: [outside("bash"), outside("poke"), hang],
    mounts,
  });
  close.push(() => server.close());
  await server.runtime.create({ goal: "Try", name: "a1", model: "scripted/test" }, { actor: "human" });
  await running;
  const root = join(server.home, "agents/a1");
  return {
    server,
    end,
    stopped: () => stopped,
    scratch: join(root, "runs/r1/nodes/n1-try/scratch"),
    events: (type: string) =>
      readFileSync(join(root, "events.jsonl"), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Event)
        .filter((event) => event.type === type),
  };
}

async function connect(server: TestServer, secret: string) {
  const client = new Client({ name: "clive", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${secret}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
  close.push(() => client.close());
  return {
    client,
    async use(name: string, input: Record<string, unknown> = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: input });
      return { text: (content as { text: string }[])[0]!.text, isError };
    },
  };
}

const until = async (what: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await what())) await new Promise((resolve) => setImmediate(resolve));
};

describe("a program with the secret of its participant", () => {
  test("has the tools of a worker, and calls them as that worker, in the log", async () => {
    const { server, events, end, scratch } = await program();
    const { client, use } = await connect(server, server.secrets.give("a1", "r1", "clive"));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["send_message", "read_file", "write_file", "poke"]));
    for (const other of ["publish", "checkpoint", "finish", "write_plan", "agent_create"])
      expect(names).not.toContain(other);

    expect(await use("write_file", { path: "made.txt", content: "by hand" })).toMatchObject({ isError: false });
    expect(readFileSync(join(scratch, "made.txt"), "utf8")).toBe("by hand");
    await use("send_message", { to: "coordinator", content: "I try" });
    expect((await use("channel_read", { from: "clive" })).text).toMatch(/clive to coordinator: I try\n/);
    expect(events("message.posted").at(-1)).toMatchObject({ actor: "clive", data: { from: "clive", text: "I try" } });
    expect(events("tool.called").map(({ actor, data }) => [actor, data])).toMatchObject([
      ["clive", { call: "own1", tool: "write_file", input: { path: "made.txt" }, key: "a1/r1/clive.1/own1" }],
      ["clive", { call: "own2", tool: "send_message" }],
      ["clive", { call: "own3", tool: "channel_read" }],
    ]);
    expect(events("message.posted").at(-1)!.cause).toMatch(/^a1\/r1\/clive\.1\/own2#/);
    expect(
      events("tool.ended")
        .filter(({ actor }) => actor === "clive")
        .map(({ data }) => data),
    ).toMatchObject([
      { call: "own1", outcome: "ok", effect: "outside", progress: "work" },
      { call: "own2", outcome: "ok", effect: "state" },
      { call: "own3", outcome: "ok" },
    ]);

    writeFileSync(join(scratch, "_result.md"), "It is in made.txt.");
    end();
    await until(
      async () => (await server.runtime.read("a1", ({ nodes }) => nodes.get("n1-try")?.status)) === "completed",
    );
    expect(await use("poke")).toEqual({
      isError: true,
      text: expect.stringMatching(/^wrong_state: Clive is not in a turn/),
    });
    expect(server.faults).toEqual([]);
  });

  test("is refused what a worker would be: unknown tools, wrong input, what the policy denies or asks about", async () => {
    const { server, events } = await program([
      { do: "deny", tool: "poke", why: "it bites" },
      { do: "ask", tool: "send_message" },
    ]);
    const { use } = await connect(server, server.secrets.give("a1", "r1", "clive"));
    expect((await use("publish", { summary: "x" })).text).toMatch(/^There is no tool of that name\. You have /);
    expect((await use("read_file", {})).text).toContain("path");
    expect(await use("poke")).toEqual({
      isError: true,
      text: expect.stringMatching(/^Denied: it bites\. It was not run/),
    });
    const asked = use("send_message", { to: "coordinator", content: "x" });
    await until(() => events("question.asked").length === 1);
    expect(events("question.asked")[0]?.data).toMatchObject({
      by: "clive",
      text: expect.stringMatching(/^May Clive call send_message\? .*"content": "x"/s),
      approves: { call: "own4", tool: "send_message" },
    });
    await server.runtime.send("a1", { type: "question.answer", answer: "no, not now" }, { actor: "human" });
    expect(await asked).toEqual({
      isError: true,
      text: expect.stringMatching(/^Denied: the human said no: not now\. It was not run/),
    });
    expect(events("message.posted").filter(({ actor }) => actor === "clive")).toEqual([]);
    const allowed = use("send_message", { to: "coordinator", content: "y" });
    await until(() => events("question.asked").length === 2);
    await server.runtime.send("a1", { type: "question.answer", answer: "allow" }, { actor: "human" });
    expect((await allowed).isError).toBe(false);
    expect(events("message.posted").filter(({ actor }) => actor === "clive")).toHaveLength(1);
    expect(
      events("tool.ended")
        .filter(({ actor }) => actor === "clive")
        .map(({ data }) => "outcome" in data && data.outcome),
    ).toEqual(["error", "error", "denied", "denied", "ok"]);
  });

  test("may look again and again, but its node fails when it does the same again and again", async () => {
    const { server, stopped } = await program();
    const { use } = await connect(server, server.secrets.give("a1", "r1", "clive"));
    for (let times = 0; times < 7; times++) await use("check_messages");
    expect(stopped()).toBe(false);
    for (let times = 0; times < 5; times++) await use("poke");
    await until(stopped);
    expect(await server.runtime.read("a1", ({ nodes }) => nodes.get("n1-try"))).toMatchObject({
      status: "failed",
      reason: { code: "limit.loop" },
    });
  });

  test("has its calls stopped with its turn", async () => {
    const { server, events } = await program();
    const { use } = await connect(server, server.secrets.give("a1", "r1", "clive"));
    const hangs = use("hang");
    await until(() => events("tool.called").length > 0);
    await server.runtime.send("a1", { type: "agent.stop" }, { actor: "human" });
    expect((await hangs).isError).toBe(true);
  });
});

describe("a secret", () => {
  test("opens nothing but /mcp", async () => {
    const { server } = await program();
    const authorization = `Bearer ${server.secrets.give("a1", "r1", "clive")}`;
    for (const route of ["GET /agents", "GET /agents/a1", "POST /agents", "GET /nothing"]) {
      const { status, body } = await server.ask(route, route.startsWith("POST") ? { goal: "x" } : undefined, {
        authorization,
      });
      expect([route, status, body.error.code]).toEqual([route, 403, "forbidden"]);
    }
  });

  test("of another run, another agent, another participant or another maker opens nothing", async () => {
    const { server } = await program();
    const { secrets } = server;
    const refused = async (secret: string) => {
      const { use, client } = await connect(server, secret);
      await expect(client.listTools()).rejects.toThrow();
      return (await use("read_file", { path: "_task.md" })).text;
    };
    expect(await refused(secrets.give("a1", "r2", "clive"))).toBe(
      "forbidden: this secret is for r2 of a1, which is over; it is not valid for anything else",
    );
    expect(await refused(secrets.give("a1", "r1", "nobody"))).toBe("forbidden: there is no nobody at work in r1 of a1");
    expect(await refused(secrets.give("a1", "r1", "human"))).toMatch(/^forbidden: /);
    expect(await refused(secrets.give("a2", "r1", "clive"))).toMatch(/^not_found: /);
    await expect(connect(server, secrets.give("a1", "r1", "clive").replace(/.$/, "_"))).rejects.toThrow();
    const { use } = await connect(server, secrets.give("a1", "r1", "coordinator"));
    expect((await use("check_board")).text).toMatch(/^wrong_state: Coordinator is /);
  });
});
