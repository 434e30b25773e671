/** Layer 2, backends: one interface, different engines. Each real agent CLI passes the contract suite in test/clis; here is what a team has of it. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { claudeCode } from "../../src/driver/clis/claude-code.ts";
import { codex } from "../../src/driver/clis/codex.ts";
import { clis } from "../../src/driver/index.ts";
import { afterThisTest } from "../../src/lib/cleanup.test-help.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { driverOf } from "../../src/schema/driver.ts";
import { openHouse } from "./house.ts";

const missing = await machine.processes.sandbox();

test("a backend is asked and can be aborted: a stop ends the call that is under way", async () => {
  const begun = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const slow = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write(": thinking\n\n");
    response.on("close", () => closed.resolve());
    begun.resolve();
  });
  await new Promise<void>((resolve) => slow.listen(0, "127.0.0.1", resolve));
  afterThisTest(() => void slow.close());
  const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
  const { client } = await openHouse(
    {},
    { "config.yaml": `embeddings: "off"\nproviders: { slow: { base_url: "${url}" } }\n` },
  );
  await client.createAgent({ body: { name: "a", goal: "Think.", model: "slow/model" } });
  await begun.promise;
  await client.stopAgent({ params: { agent: "a" } });
  await closed.promise;
});

test("a backend is a pipe: a model behind the AI SDK gets system, conversation and tools, and knows of no channel or workflow", async () => {
  const { client, rest, asked } = await openHouse({ ada: [{ text: "Done." }] });
  await client.createAgent({ body: { name: "a", goal: "Say done.", model: "anthropic/ada" } });
  await rest("a");
  const allowed = ["model", "max_tokens", "system", "messages", "tools", "tool_choice", "stream", "thinking"];
  expect(Object.keys(asked("ada")[0]!).filter((key) => !allowed.includes(key))).toEqual([]);
});

test.each(["claude-code", "codex", "opencode", "gemini-cli", "cursor"])(
  "%s is a backend that an agent can name",
  (id) => {
    expect(clis.map(({ name }) => name)).toContain(id);
    expect(driverOf(`${id}/some-model`)).toMatchObject({ by: "cli", cli: id, model: "some-model" });
  },
);

/** The others are told in their protocol (ACP) when a session begins: src/driver/clis/acp.test.ts. */
test.each([claudeCode, codex])(
  "$name finds the tools of its team in its MCP configuration when it is started, with a secret that no process list shows",
  (cli) => {
    const mcp = { name: "team", url: "http://127.0.0.1:7/mcp", secret: "s3cret" };
    const given = { file: "/bin/x", system: "s", workspace: "/w", home: "/h", path: "/bin", asks: true, mcp };
    const { command, env, files } = cli.launch(given);
    expect(JSON.stringify([command, env, files])).toContain(mcp.url);
    expect(JSON.stringify([env, files])).toContain(mcp.secret);
    expect(JSON.stringify(command)).not.toContain(mcp.secret);
  },
);

test.skipIf(missing)(
  "a model and a program with a loop of its own work in one team, through the board and the channel",
  async () => {
    const program = `command:sh -c 'printf "TO: Ada\\nI begin.\\n---\\n" > _outbox.md; cp _task.md copy.md; echo Copied. > _result.md'`;
    const { client, rest, told, channel } = await openHouse({ ada: [{ text: "Seen." }] });
    const team = {
      workers: [
        { name: "Ada", role: "reads", model: "anthropic/ada" },
        { name: "Clive", role: "copies", model: program },
      ],
      nodes: [{ id: "copy", title: "Copy", spec: "Copy the task.", worker: "Clive", depends_on: [] }],
      stages: [],
      lead: false as const,
    };
    await client.createAgent({ body: { name: "t", goal: "Copy.", model: "anthropic/none", team } });
    await rest("t");
    expect(await channel("t")).toContain("clive to ada: I begin.");
    expect(told("ada")).toContain("I begin.");
    const { nodes } = await client.getBoard({ params: { agent: "t" } });
    expect(nodes).toMatchObject([{ status: "completed" }]);
  },
);
