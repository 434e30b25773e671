/** Where agents differ: whether one was shown our tools is not said by the protocol, and some replay a conversation after they said that it is loaded. */
import { expect, test } from "vitest";
import { all, launch, playCli } from "../running.test-help.ts";
import { acpCli, acpCommand } from "./acp.ts";

const mcp = launch.mcp!;

/** An agent that begins to work; `ask` is where it would ask for the tools. */
function play(ask: () => void, listings: (() => number) | undefined) {
  return playCli(
    acpCommand(["agent"]),
    ({ id, method }: { id: number; method: string }, { say }) => {
      const answer = (result: object) => say({ jsonrpc: "2.0", id, result });
      if (method === "initialize") answer({ protocolVersion: 1, agentCapabilities: {} });
      if (method === "session/new") answer({ sessionId: "s1" });
      if (method !== "session/prompt") return;
      ask();
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "I begin." } };
      say({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s1", update } });
      answer({ stopReason: "end_turn" });
    },
    { launch: { mcp: { ...mcp, ...(listings && { listings }) } } },
  );
}

test("an agent that begins to work without having asked for our tools is ended, and says so", async () => {
  const { session, stopped } = play(
    () => undefined,
    () => 3,
  );
  const seen = await all(session.prompt("Go."));
  expect(seen.map(({ type }) => type)).toEqual(["conversation", "end"]);
  expect(seen.at(-1)).toMatchObject({
    how: "failed",
    kind: "transient",
    reason: "mcp",
    why: expect.stringContaining(`did not ask the MCP server at ${mcp.url} for its tools`),
  });
  expect(stopped()).toBe(true);
});

test("one that has asked works on, and so does one of which it is not known", async () => {
  let count = 3;
  const known = play(
    () => count++,
    () => count,
  );
  for (const { session } of [known, play(() => undefined, undefined)])
    expect((await all(session.prompt("Go."))).at(-1)).toMatchObject({ how: "done", text: "I begin." });
});

test("what an agent replays of its conversation, also late, is not activity of the turn", async () => {
  const late = acpCli({
    name: "late",
    title: "Late",
    binary: "late",
    replaysLate: true,
    launch: () => ({ command: ["late"], env: {}, files: [] }),
  });
  let pings = 0;
  const { session, heard } = playCli(
    late,
    ({ id, method }: { id: number; method: string }, { say }) => {
      const answer = (result: object) => say({ jsonrpc: "2.0", id, result });
      const chunk = (text: string) => {
        const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
        say({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s1", update } });
      };
      if (method === "initialize") answer({ agentCapabilities: { loadSession: true } });
      if (method === "session/load") {
        answer({});
        chunk("Long ago.");
      }
      if (method === "_agiraph/ping") {
        if (++pings === 1) chunk("Less long ago.");
        say({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } });
      }
      if (method !== "session/prompt") return;
      chunk("Now.");
      answer({ stopReason: "end_turn" });
    },
    { launch: { resume: "s1" } },
  );
  expect(await all(session.prompt("Go."))).toMatchObject([
    { type: "conversation", id: "s1" },
    { type: "text", text: "Now." },
    { type: "end", how: "done", text: "Now." },
  ]);
  expect(heard.map(({ method }) => method)).toEqual([
    ...["initialize", "session/load", "_agiraph/ping", "_agiraph/ping", "session/prompt"],
  ]);
});
