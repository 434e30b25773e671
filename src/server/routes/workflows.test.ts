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
    {
      name: "broken",
      about: null,
      problem: expect.stringContaining("line 4, column 1: steps is not a field of a workflow"),
    },
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

test("without a goal the workflow says it, or the kickoff of a team; without any it is refused", async () => {
  const made = await server.ask("POST /agents", { name: "unsaid", workflow: "brief" });
  expect([made.status, made.body.goal]).toEqual([201, "Write a brief"]);
  const team = { workers: [{ name: "Rae", role: "" }], lead: false, kickoff: "@Rae look" };
  const kicked = await server.ask("POST /agents", { name: "kicked", team });
  expect([kicked.status, kicked.body.goal]).toEqual([201, "@Rae look"]);
  const none = await server.ask("POST /agents", { name: "none" });
  expect([none.status, none.body.error.message]).toEqual([400, expect.stringContaining("goal: is required")]);
});

test("the next run may have the team of a workflow, another one, or none", async () => {
  await server.ask("POST /agents", { goal: "On chips", name: "many", start: false });
  const workers = () => server.runtime.read("many", ({ participants }) => [...participants.keys()].slice(1));
  const next = async (body: object) => {
    await server.ask("POST /agents/many/stop", {});
    return await server.ask("POST /agents/many/runs", body);
  };
  const first = await next({ workflow: "brief" });
  expect([first.status, first.body.goal, await workers()]).toEqual([
    201,
    "Write a brief",
    ["coordinator", "ada", "ben"],
  ]);
  expect(await server.runtime.read("many", ({ accounts }) => accounts.get("run")?.limit)).toEqual({
    usd: 2,
    turns: 40,
  });
  const second = await next({ goal: "g", team: { workers: [{ name: "Rae", role: "" }], lead: false } });
  expect([second.body.id, await workers()]).toEqual(["r2", ["rae"]]);
  await next({ team: null });
  expect(await workers()).toEqual(["coordinator"]);
  for (const body of [{ workflow: "nope" }, { workflow: "broken" }, { workflow: "brief", team: { workers: [] } }])
    expect((await next(body)).status).toBeGreaterThanOrEqual(400);
});

test("a guest that is not an agent of this home is refused before anything starts, with the agents there are", async () => {
  await server.ask("POST /agents", { name: "real", goal: "x", start: false });
  const team = { workers: [{ name: "Alice", role: "", ref: "alice" }], lead: false, kickoff: "@Alice look" };
  const refused = await server.ask("POST /agents", { name: "hosted", team });
  expect(refused.status).toBe(404);
  expect(refused.body.error.message).toMatch(/^Alice: there is no agent alice in this home; agents: .*real/);
  expect((await server.ask("GET /agents/hosted")).status).toBe(404);
});

test("a document of a team cannot have a name that leads elsewhere", async () => {
  for (const name of ["../x.md", "a/x.md", "/x.md", "a..md", "..%2Fx.md", "a\\x.md"]) {
    const team = { workers: [{ name: "Rae", role: "" }], kickoff: "@Rae look", documents: [{ name, text: "x" }] };
    const refused = await server.ask("POST /agents", { name: "escaping", team });
    expect([refused.status, refused.body.error.message], name).toEqual([
      400,
      expect.stringMatching(/documents\.0\.name: (a file name without folders|no \.\.)/),
    ]);
  }
});

test("a team of one's own does without a file", async () => {
  const team = { workers: [{ name: "Cleo", role: "doubts" }] };
  const made = await server.ask("POST /agents", { goal: "Doubt", name: "doubt", team });
  expect([made.status, made.body.workflow, made.body.worker_count]).toEqual([201, undefined, 1]);
});

test.each([
  [{ workflow: "nope" }, 404, "there is no workflow nope; workflows: brief, broken"],
  [{ workflow: "broken" }, 400, "line 4, column 1: steps is not a field of a workflow"],
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
