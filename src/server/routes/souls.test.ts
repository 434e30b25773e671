import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../server.test-help.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  mkdirSync(join(server.home, "souls"));
  mkdirSync(join(server.home, "workflows"));
  writeFileSync(join(server.home, "souls", "pirate.md"), "# A pirate\n\nSays arr.\n");
  writeFileSync(join(server.home, "souls", "empty.md"), "");
  writeFileSync(
    join(server.home, "workflows", "crew.yaml"),
    "goal: Sail\ncoordinator: { soul: { style: Arr., principles: [Share the loot] } }\nworkers: { Bo: rows }\n",
  );
});
afterAll(() => server.close());

const soulOf = (agent: string): string => readFileSync(join(server.home, "agents", agent, "SOUL.md"), "utf8");

test("the templates of a home are listed with their first sentence; one that no agent could be given is not", async () => {
  const { body } = await server.ask("GET /souls");
  expect(body.items).toEqual([{ name: "pirate", from: "home", about: "Says arr.", text: "# A pirate\n\nSays arr.\n" }]);
});

test("an agent that is given a soul at creation has it as its SOUL.md, and one that is not has the default", async () => {
  await server.ask("POST /agents", { goal: "x", name: "given", soul: "# Given\n\nTerse.\n\n", start: false });
  await server.ask("POST /agents", { goal: "x", name: "usual", start: false });
  expect(soulOf("given")).toBe("# Given\n\nTerse.\n");
  expect(soulOf("usual")).toContain("A careful colleague");
  const { status, body } = await server.ask("POST /agents", { goal: "x", soul: "s".repeat(20_001) });
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining("soul")]);
});

test("the soul in a workflow is that of an agent that is made with it, unless it is given its own", async () => {
  await server.ask("POST /agents", { workflow: "crew", name: "crew", start: false });
  expect(soulOf("crew")).toBe("How you speak: Arr.\nWhat you hold to:\n- Share the loot\n");
  await server.ask("POST /agents", { workflow: "crew", name: "own", soul: "Mine.", start: false });
  expect(soulOf("own")).toBe("Mine.\n");
});
