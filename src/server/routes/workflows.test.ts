import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const folder = join(server.home, "workflows");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "brief.yaml"),
    `about: For briefs
goal: Write a brief
budget: { usd: 2, turns: 40 }
workers:
  Ada: looks things up
  Ben: { role: writes, max_turns: 5 }
nodes:
  - { id: facts, title: Facts, spec: Find them, worker: Ada }
  - { id: text, title: Text, spec: Write it, worker: Ben, depends_on: [facts] }
`,
  );
  writeFileSync(join(folder, "broken.yaml"), "about: x\nworkers:\n  Ada: x\nsteps: []\n");
});
afterAll(() => server.close());

test("the list has what one can choose, and what is wrong with the others as text", async () => {
  const { status, body } = await server.ask("GET /workflows");
  expect(status).toBe(200);
  expect(body.items).toMatchObject([
    {
      name: "brief",
      from: "home",
      about: "For briefs",
      goal: "Write a brief",
      budget: { usd: 2, turns: 40 },
      workers: [{ name: "Ada", role: "looks things up" }, { name: "Ben" }],
      nodes: [{ id: "facts" }, { id: "text", worker: "Ben", depends_on: ["facts"] }],
      problem: null,
    },
    { name: "broken", about: null, problem: expect.stringContaining("line 4: steps is not a field of a workflow") },
  ]);
});

test("an agent that is made with one has its team, its budget and its name", async () => {
  const body = { goal: "On chips", name: "on-chips", workflow: "brief", budget: { usd: 1 } };
  const made = await server.ask("POST /agents", body);
  expect([made.status, made.body.workflow, made.body.worker_count, made.body.node_count]).toEqual([201, "brief", 2, 2]);
  const board = await server.ask("GET /agents/on-chips/board");
  expect(board.body.nodes.map(({ id }: { id: string }) => id)).toEqual(["n1-facts", "n2-text"]);
  const limit = await server.runtime.read("on-chips", ({ accounts }) => accounts.get("agent")?.limit);
  expect(limit).toEqual({ usd: 1, turns: 40 });
  await server.ask("POST /agents", { ...body, name: "free", budget: { usd: null, turns: null } });
  const none = await server.runtime.read("free", ({ accounts }) => accounts.get("agent")?.limit ?? {});
  expect(none, "null takes a limit away that would hold otherwise").toEqual({});
});

test("a team of one's own does without a file", async () => {
  const team = { workers: [{ name: "Cleo", role: "doubts" }] };
  const made = await server.ask("POST /agents", { goal: "Doubt", name: "doubt", team });
  expect([made.status, made.body.workflow, made.body.worker_count]).toEqual([201, undefined, 1]);
});

test.each([
  [{ workflow: "nope" }, 404, "there is no workflow nope; workflows: brief, broken"],
  [{ workflow: "broken" }, 400, "line 4: steps is not a field of a workflow"],
  [{ workflow: "../brief" }, 400, "small letters"],
  [{ workflow: "brief", team: { workers: [] } }, 400, "give a workflow or a team, not both"],
  [{ team: { workers: [{ name: "Human", role: "" }] } }, 400, "team.workers.Human: Human is a reserved name"],
  [{ team: { workers: [{ name: "Ada", role: "", tools: ["nope"] }] } }, 400, 'there is no tool "nope"'],
  [{ team: { workers: [{ name: "Ada", role: "", shell: "ls" }] } }, 400, "shell"],
])("what cannot be is refused before there is an agent: %j", async (given, status, message) => {
  const before = server.runtime.agents();
  const answer = await server.ask("POST /agents", { goal: "g", ...given });
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([
    status,
    expect.stringContaining(message.replaceAll('"', '\\"')),
  ]);
  expect(server.runtime.agents()).toEqual(before);
});
