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
  expect(String(await world.settled(world.files().read("/home/agents/a1/runs/r1/_output.md")))).toBe("all done\n");
  expect(String(await world.settled(world.files().read("/home/agents/a1/runs/r1/nodes/n2-b/published/b.md")))).toBe(
    "B",
  );
  expect(world.notices).toEqual([]);
});
