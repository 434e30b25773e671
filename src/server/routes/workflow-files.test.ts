import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const good = `about: Reviews
params: { place: { required: true, about: Where to look } }
agents:
  reviewer: Reviews what others wrote
  coder: Writes it
kickoff: "@reviewer please look at \${{ params.place }}."
`;

test("a text is checked without saving: what it declares, or everything that is wrong, with the place", async () => {
  const { body } = await server.ask("POST /workflows/check", { text: good, name: "review" });
  expect(body).toMatchObject({
    problems: [],
    workflow: { name: "review", led: false, params: [{ name: "place", required: true }], workers: [{}, {}] },
  });
  const wrong = "abuot: Reviews\nagents:\n  coder: { rolle: x, max_turns: many }\n";
  const { body: said } = await server.ask("POST /workflows/check", { text: wrong });
  expect(said.workflow).toBeNull();
  expect(said.problems).toEqual(
    expect.arrayContaining([
      { line: 1, column: 1, message: expect.stringContaining("did you mean about?") },
      { line: 3, column: 12, message: expect.stringContaining("did you mean role?") },
    ]),
  );
  const { body: torn } = await server.ask("POST /workflows/check", { text: "agents: {\n" });
  expect(torn.problems).toMatchObject([{ line: expect.any(Number), message: expect.any(String) }]);
  expect((await server.ask("GET /workflows")).body.items).toEqual([]);
});

test("a file is written as the version it replaces, and nothing is written over", async () => {
  expect((await server.ask("GET /workflows/review")).status).toBe(404);
  const { status, body: first } = await server.ask("PUT /workflows/review", { text: good });
  expect([status, first]).toMatchObject([200, { name: "review", from: "home", text: good }]);
  expect((await server.ask("GET /workflows/review")).body).toEqual(first);
  const twice = await server.ask("PUT /workflows/review", { text: "agents: {coder: y}" });
  expect([twice.status, twice.body.error.code]).toEqual([409, "conflict"]);
  const match = { "if-match": `"${first.sha256}"` };
  // Of two at once with the same version one is refused.
  const both = await Promise.all(
    ["a", "b"].map((role) => server.ask("PUT /workflows/review", { text: `agents: {coder: ${role}}` }, match)),
  );
  expect(both.map((answer) => answer.status).sort()).toEqual([200, 409]);
  // With problems it is saved too, and says so where it is listed.
  const { body: now } = await server.ask("GET /workflows/review");
  const broken = await server.ask("PUT /workflows/review", { text: "agents: 7" }, { "if-match": `"${now.sha256}"` });
  expect(broken.status).toBe(200);
  expect((await server.ask("GET /workflows")).body.items).toMatchObject([
    { name: "review", problem: expect.any(String) },
  ]);
});

test("a name that could lead elsewhere is not one", async () => {
  for (const name of ["..%2f..%2fconfig", "a.b", "A"])
    expect((await server.ask(`PUT /workflows/${name}`, { text: good })).status).toBe(404);
  expect(server.faults).toEqual([]);
});
