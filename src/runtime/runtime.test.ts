import { expect, test } from "vitest";
import { start } from "./runtime.test-help.ts";

const team = {
  coordinator: [
    {
      calls: [
        { tool: "spawn_worker", input: { name: "Alice", role: "writes" } },
        { tool: "create_work_node", input: { task: "write a", name: "a" } },
        { tool: "create_work_node", input: { task: "write b", name: "b", depends_on: ["n1-a"] } },
        { tool: "wait_for_nodes", input: {} },
      ],
    },
    { calls: [{ tool: "finish", input: { summary: "all done" } }] },
  ],
  alice: [
    { calls: [{ tool: "write_file", input: { path: "a.md", content: "A" } }] },
    { calls: [{ tool: "publish", input: { summary: "made a" } }] },
    { calls: [{ tool: "write_file", input: { path: "b.md", content: "B" } }] },
    { calls: [{ tool: "publish", input: { summary: "made b" } }] },
  ],
};

test("a team works through a small graph and finishes", async () => {
  const world = start({ script: team });
  await world.begin();
  await world.create();
  await world.until(() => world.state().agent?.status === "completed");
  await world.pass(1000);
  expect([...world.state().nodes.values()].map((node) => [node.id, node.status])).toEqual([
    ["n1-a", "completed"],
    ["n2-b", "completed"],
  ]);
  expect(String(await world.settled(world.files().read("/home/agents/a1/runs/r1/_output.md")))).toBe(
    "all done\n\n---\nEvidence: claimed\n\nClaimed only:\n- n1-a: made a (no checks)\n- n2-b: made b (no checks)\n",
  );
  expect(String(await world.settled(world.files().read("/home/agents/a1/runs/r1/nodes/n2-b/published/b.md")))).toBe(
    "B",
  );
  expect(world.notices).toEqual([]);
});

/** What a person, the clock or the disk begins has nothing before it. */
const first =
  /^(agent\.created|file\.(written|edited)|trigger\.(fired|missed)|question\.(expired|answered)|message\.posted|cycle\.began)$/;

test("every event says who did it and what it comes from, happens once, and names no place on this machine", async () => {
  const { coordinator, alice } = team;
  const asks = { tool: "ask_human", input: { question: "so?", default: "so", deadline_seconds: 60 } };
  const later = { tool: "schedule", input: { type: "delayed", config: { delay_seconds: 10 }, action: "look" } };
  const world = start({
    script: {
      coordinator: [{ calls: [later, ...coordinator[0]!.calls] }, { say: "@alice well done" }, {}, coordinator[1]!],
      alice: [{ calls: [asks] }, ...alice],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(5_000);
  await world.send("a1", { type: "message.post", text: "go on" }, { actor: "human" });
  await world.until(() => world.state().agent?.status === "completed");
  await world.pass(1000);
  const events = await world.events();
  for (const { actor, cause, type, data } of events) {
    expect(["system", ...world.state().participants.keys()]).toContain(actor);
    if (!cause && !first.test(type)) expect([type, "turn" in data]).toEqual([type, true]);
    if (first.test(type) && !["system", "human"].includes(actor))
      expect([type, cause]).toEqual([type, expect.anything()]);
  }
  const once = events.filter(({ type }) => /^(agent|run)\.completed$|^node\.(started|completed)$/.test(type));
  expect(once.map(({ type }) => type).sort()).toEqual([
    "agent.completed",
    "node.completed",
    "node.completed",
    "node.started",
    "node.started",
    "run.completed",
  ]);
  expect(JSON.stringify(events)).not.toContain("/home/");
});
