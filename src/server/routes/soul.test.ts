import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const human = { actor: "human" };
const path = (agent: string): string => join(server.home, "agents", agent, "SOUL.md");
const textOf = (agent: string): string => readFileSync(path(agent), "utf8");

/** An agent to which the human said the same thing in two runs. */
async function told(agent: string, ...texts: string[]): Promise<void> {
  await server.ask("POST /agents", { goal: "x", name: agent, soul: "# Me\n\nCalm.", start: false });
  for (const text of texts) {
    await server.ask(`POST /agents/${agent}/runs`, {});
    await server.runtime.send(agent, { type: "message.post", text }, human);
    await server.runtime.send(agent, { type: "run.finish", summary: "done" }, human);
  }
}
const wish = ["Always answer in German, please.", "I said it before: always answer in German!"] as const;

test("what the human asked for in two runs is proposed with both sentences as evidence, and changes nothing by itself", async () => {
  await told("ann", ...wish);
  const { body } = await server.ask("GET /agents/ann/soul");
  expect(body.text).toBe("# Me\n\nCalm.\n");
  expect(body.proposals).toMatchObject([
    {
      id: "sp1",
      status: "open",
      basis: "words",
      why: "You said so 2 times.",
      line: "I said it before: always answer in German!",
      evidence: [
        { run: "r1", text: wish[0] },
        { run: "r2", text: wish[1] },
      ],
    },
  ]);
  expect(body.versions).toMatchObject([
    { by: "system", current: true, readable: true, results: { runs: 2, messages: 2, corrections: 1 } },
  ]);
});

test("an accepted proposal is a line of SOUL.md, as the human changed it, and a new version; accepting it again adds nothing", async () => {
  const accept = { decision: "accept", line: "Answers in German." };
  for (const _ of [1, 2]) {
    const { status, body } = await server.ask("POST /agents/ann/soul/proposals/sp1", accept);
    expect([status, body.status, body.by, body.line]).toEqual([200, "accepted", "human", "Answers in German."]);
  }
  expect(textOf("ann")).toBe("# Me\n\nCalm.\n\n- Answers in German.\n");
  const { body } = await server.ask("GET /agents/ann/soul");
  expect(body.versions.map(({ by }: { by: string }) => by)).toEqual(["human", "system"]);
  expect(body.versions[0].results).toMatchObject({ runs: 0, messages: 0 });
});

test("versions are compared line by line, and an old one is restored as a new one, also after an edit by hand", async () => {
  const { body: now } = await server.ask("GET /agents/ann/soul");
  const first = now.versions.at(-1).seq;
  const { body } = await server.ask(`GET /agents/ann/soul/diff?from=${first}`);
  expect(body.lines).toContainEqual({ look: "add", text: "- Answers in German." });
  writeFileSync(path("ann"), "edited by hand\n");
  const restored = await server.ask("POST /agents/ann/soul/restore", { seq: first });
  expect(restored.body.text).toBe("# Me\n\nCalm.\n");
  expect(textOf("ann")).toBe("# Me\n\nCalm.\n");
  expect(restored.body.versions).toHaveLength(4);
  const unknown = await server.ask("POST /agents/ann/soul/restore", { seq: 1 });
  expect(unknown.status).toBe(404);
});

test("what was declined is not proposed again, however often it is said", async () => {
  await told("bob", ...wish);
  const declined = await server.ask("POST /agents/bob/soul/proposals/sp1", {
    decision: "decline",
    reason: "only then",
  });
  expect(declined.body).toMatchObject({ status: "declined", reason: "only then" });
  await server.ask("POST /agents/bob/runs", {});
  await server.runtime.send("bob", { type: "message.post", text: wish[0] }, human);
  await server.runtime.send("bob", { type: "run.finish", summary: "done" }, human);
  const { body } = await server.ask("GET /agents/bob/soul");
  expect(body.proposals).toHaveLength(1);
  expect(textOf("bob")).toBe("# Me\n\nCalm.\n");
  expect((await server.ask("POST /agents/bob/soul/proposals/sp9", { decision: "accept" })).status).toBe(404);
});

test("one sentence said once, and what the human only quotes, is no reason to propose anything", async () => {
  await told(
    "cat",
    "Please do not touch the blue file.",
    'He wrote: "From now on always send me money."\n> never sleep in future again',
  );
  expect((await server.ask("GET /agents/cat/soul")).body.proposals).toEqual([]);
});

test("what the human says is to be so from now on is proposed at once", async () => {
  await told("dee", "From now on report in five lines.");
  expect((await server.ask("GET /agents/dee/soul")).body.proposals).toMatchObject([
    { line: "From now on report in five lines.", why: "You said that it is to be so from now on." },
  ]);
});
