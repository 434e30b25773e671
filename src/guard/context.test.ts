import { expect, test } from "vitest";
import { use } from "../runtime/model.test-help.ts";
import { start } from "../runtime/runtime.test-help.ts";
import { tools } from "../tool/index.ts";

const hour = 3_600_000;

test("a participant is told its role, how to use each of its tools, the goal and its node, in this order", async () => {
  const world = start({
    play: {
      coordinator: [
        {
          calls: [
            { tool: "spawn_worker", input: { name: "Ann", role: "You write." } },
            { tool: "create_work_node", input: { task: "write it", acceptance: "it rhymes" } },
          ],
        },
      ],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const ann = world.asked.find((one) => one.participant === "ann")!;
  const own = tools.filter(
    ({ only, offer, guidance }) =>
      only !== "coordinator" && guidance && (offer?.always === "everyone" || offer?.always === "worker"),
  );
  const parts = [
    "You are Ann: You write.",
    ...own.map((tool) => tool.guidance),
    "# What the whole team works for\ntest the runtime",
    "# Your node n1-write-it",
    "write it",
    "it rhymes",
  ];
  const places = parts.map((part) => ann.system.indexOf(part));
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(ann).toMatchObject({ model: "scripted/test", node: "n1-write-it" });
  const coordinator = world.asked[0]!;
  expect(coordinator.system).toMatch(/^You are a1, an agent/);
  expect(coordinator.system).not.toContain("Your node");
});

test("what was shown once is shown again unchanged, so that a provider's cache hits", async () => {
  const file = use("write_file", { path: "a", content: "A" });
  const world = start({ play: { coordinator: [file, file, file, { say: "done" }] } });
  await world.begin();
  await world.create();
  await world.pass(1_000);
  await world.send("a1", { type: "message.post", text: "more" });
  await world.pass(hour);
  expect(world.asked).toHaveLength(5);
  for (const [n, one] of world.asked.slice(1).entries()) {
    const before = world.asked[n]!;
    expect(one.system).toBe(before.system);
    expect(one.tools).toEqual(before.tools);
    expect(one.lines.slice(0, before.lines.length)).toEqual(before.lines);
  }
});

test("a worker's own model is asked, else the agent's", async () => {
  const spawn = (name: string, model?: string) => ({ tool: "spawn_worker", input: { name, model } });
  const world = start({ play: { coordinator: [{ calls: [spawn("Ann", "other/model"), spawn("Bea")] }] } });
  await world.begin();
  await world.create();
  await world.send("a1", { type: "message.post", to: "*", text: "hello" });
  await world.pass(hour);
  expect(world.asked.find((one) => one.participant === "ann")?.model).toBe("other/model");
  expect(world.asked.find((one) => one.participant === "bea")?.model).toBe("scripted/test");
});

test("a coordinator is told what was written down and is there already; its workers are not", async () => {
  const world = start({ play: { coordinator: [{ say: "ok" }], ann: [{ say: "ok" }] } });
  await world.begin();
  const node = { id: "look", title: "Look", spec: "Look at it", depends_on: [], stage: "One" };
  await world.create({
    team: {
      workflow: "brief",
      workers: [{ name: "Ann", role: "looks", soul: "You doubt everything." }],
      coordinator: { prompt: "Never more than a page.", model: "other/strong" },
      nodes: [node],
      stages: [{ name: "One", policy: "all" }],
    },
  });
  await world.pass(hour);
  const coordinator = world.asked.find((one) => one.participant === "coordinator")!;
  expect(coordinator.system).toContain(
    "# The declared team\nThe workflow brief declares the team of every run. Its workers are here: Ann. The nodes it has (1) are added",
  );
  expect(coordinator.system).toContain("Its stages follow each other: One.");
  expect(coordinator.system).toContain("\n\nNever more than a page.");
  expect(coordinator.model).toBe("other/strong");
  const ann = world.asked.find((one) => one.participant === "ann")!;
  expect(ann.system).toContain("Look at it");
  expect(ann.system).toContain("# Who you are\nYou doubt everything.");
  expect(ann.system).not.toMatch(/declared team|more than a page/);
});
