/**
 * An edit of config.yaml while an agent works counts without a restart: policy, network and programs, with a daemon, with --alone and in a program that
 * uses the library. The model tries all three again and again until each says something else.
 */
import { expect, test } from "vitest";
import { type Answering, serve } from "../src/backend/server.test-help.ts";
import { machine } from "../src/lib/machine/index.ts";
import { library } from "./built.ts";
import { ask, serveHere } from "./daemon.ts";
import { command, newFolder, put } from "./program.ts";

const missing = await machine.processes.sandbox(true);
if (missing) console.warn(`the network is left out of the tests of config.yaml: ${missing}`);

const before = { policy: [], programs: {}, sandbox: { other_hosts: "deny" } };
const after = {
  policy: [{ do: "deny", tool: "list_files", why: "not any more" }],
  programs: { quick: "command:true" },
  sandbox: { other_hosts: "deny", network: ["new.example.invalid"] },
};

/** What is tried in each turn, and how it is answered once the edit counts. */
const tries: [tool: string, input: (turn: number) => object, counts: RegExp][] = [
  ["list_files", (turn) => ({ path: "scratch", pattern: `${turn}*` }), /Denied: not any more/],
  [
    "bash",
    (turn) => ({ command: `curl -sS http://new.example.invalid/${turn}` }),
    missing ? /^/ : /new\.example\.invalid cannot be reached: its name was not found/,
  ],
  ["spawn_worker", (turn) => ({ name: `W${turn}`, agent_command: "quick" }), /is here as w\d+/],
];

/** A home whose model edits the config in its second turn, goes on until all of it counts, and then finishes. */
async function openHome(): Promise<{ home: string; seen: string[][] }> {
  const server = await serve();
  const providers = { local: { base_url: server.url } };
  const config = (more: object) =>
    JSON.stringify({ model: "local/test", embeddings: "off", providers, limits: { workers_per_run: 200 }, ...more });
  const home = newFolder({ "config.yaml": config(before) });
  /** The results of each turn. */
  const seen: string[][] = [];
  const answer: Answering = async ({ body }, response) => {
    const messages = body.messages as { role: string; content: unknown }[];
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => String(content));
    if (results.length) seen.push(results.slice(-tries.length));
    const turn = seen.length;
    if (turn === 1) put(home, { "config.yaml": config(after) });
    else if (turn) await new Promise((resolve) => setTimeout(resolve, 100));
    const last = seen.at(-1);
    const isOver = last && tries.every(([, , counts], at) => counts.test(last[at]!));
    const calls = isOver
      ? [{ name: "finish", arguments: JSON.stringify({ summary: "It all counts." }) }]
      : tries.map(([name, input]) => ({ name, arguments: JSON.stringify(input(turn)) }));
    const tool_calls = calls.map((call, index) => ({
      index,
      id: `c${turn}-${index}`,
      type: "function",
      function: call,
    }));
    const chunk = (choice: object) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "test", choices: [{ index: 0, ...choice }] })}\n\n`;
    response
      .writeHead(200, { "content-type": "text/event-stream" })
      .end(
        `${chunk({ delta: { role: "assistant", tool_calls }, finish_reason: null })}${chunk({ delta: {}, finish_reason: "tool_calls" })}data: [DONE]\n\n`,
      );
  };
  server.answer(answer);
  return { home, seen };
}

function expectCounted(seen: string[][]): void {
  const [first, last] = [seen[0]!, seen.at(-1)!];
  for (const [at, [, , counts]] of tries.entries()) {
    if (String(counts) !== "/^/") expect(first[at]).not.toMatch(counts);
    expect(last[at]).toMatch(counts);
  }
}

test("with a daemon", async () => {
  const { home, seen } = await openHome();
  await serveHere(home);
  await ask(home, "POST /agents", { goal: "Try", name: "a1" });
  await expect.poll(async () => (await ask(home, "GET /agents/a1")).body.status).toBe("completed");
  expectCounted(seen);
});

test("with --alone", async () => {
  const { home, seen } = await openHome();
  const ended = await command(["--alone", "run", "Try"], { AGIRAPH_HOME: home });
  expect([ended.code, ended.out + ended.err]).toEqual([
    0,
    expect.stringContaining("config.yaml was reloaded; changed: "),
  ]);
  expectCounted(seen);
});

test("in a program that uses the library", async () => {
  const { home, seen } = await openHome();
  const { agent }: typeof import("../src/index.ts") = await import(library);
  const notices: string[] = [];
  const one = await agent({ goal: "Try", home, onNotice: ({ message }) => void notices.push(message) });
  expect(await one.wait()).toMatchObject({ why: "finished" });
  await one.close();
  expectCounted(seen);
  expect(notices).toContainEqual(expect.stringContaining("config.yaml was reloaded; changed: "));
});
