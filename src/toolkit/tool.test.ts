import { expect, test } from "vitest";
import { z } from "zod";
import { results, use } from "../runtime/model.test-help.ts";
import { start } from "../runtime/runtime.test-help.ts";
import { tools } from "../tool/index.ts";

const hour = 3_600_000;

test("every tool has a name of its own, says what it does, and its input can be told to a model", () => {
  expect(new Set(tools.map((tool) => tool.name)).size).toBe(tools.length);
  for (const tool of tools) {
    expect(tool.name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(tool.about.length).toBeGreaterThan(10);
    // Documents and proposals are many tools, and explained by one of them.
    if (!/^(document|proposal|use)_/.test(tool.name)) expect(tool.guidance.length).toBeGreaterThan(10);
    expect(tool.offer).toBeDefined();
    expect(z.toJSONSchema(tool.input, { io: "input" })).toMatchObject({ type: "object" });
  }
});

/** What the coordinator is told about these calls, one after the other. */
async function told(...calls: { tool: string; input?: unknown }[]) {
  const world = start({ play: { coordinator: [{ calls }] } });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const [, second] = world.asked.filter((one) => one.participant === "coordinator");
  return { world, results: results(second!).map((one) => [one.outcome, one.result]) };
}

const spawn = (name: string, rest = {}) => ({ tool: "spawn_worker", input: { name, ...rest } });
const node = (task: string, rest = {}) => ({ tool: "create_work_node", input: { task, ...rest } });
const wait = (input = {}) => ({ tool: "wait_for_nodes", input });

test("a node that is created says its id and how it stands", async () => {
  const { results } = await told(node("first"), spawn("Ann"), node("second"), node("third", { depends_on: ["n9"] }));
  expect(results).toEqual([
    ["ok", '{"node_id":"n1-first","status":"pending"}'],
    ["ok", "Ann is here as ann and idle."],
    ["ok", '{"node_id":"n2-second","status":"pending"}'],
    ["error", "there is no node n9; nodes: n1-first, n2-second"],
  ]);
});

test("waiting for nothing, for what has ended or for what is not there does not park", async () => {
  const { world, results } = await told(wait(), wait({ node_ids: ["n7"] }), wait({ node_ids: [] }));
  expect(results[0]).toEqual(["ok", "Nothing to wait for: you created no nodes."]);
  expect(results[1]).toEqual(["error", "there is no node n7; nodes: none"]);
  expect(results[2]?.[0]).toBe("error");
  expect(world.state().participants.get("coordinator")).toMatchObject({ wait: undefined });
});

test("whoever waits for nodes of which some have ended waits for the others", async () => {
  const world = start({
    play: {
      coordinator: [
        { calls: [spawn("Ann"), node("one"), node("two", { depends_on: ["n1-one"] }), wait({ node_ids: ["n1-one"] })] },
        { calls: [wait({ node_ids: ["n1-one"] }), wait()] },
        { calls: [wait()] },
      ],
      ann: [use("publish", { summary: "1" }), { seconds: 100, ...use("publish", { summary: "2" }) }],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const [, second, third] = world.asked.filter((one) => one.participant === "coordinator");
  expect(third!.at - second!.at).toBeGreaterThan(99_000);
  const said = results(world.asked.at(-1)!).map((one) => one.result);
  expect(said.slice(4)).toEqual([
    "Nothing to wait for: n1-one is completed.",
    "Waiting for n2-two.",
    "Nothing to wait for: n1-one is completed, n2-two is completed.",
  ]);
});

test("nobody waits for the node they hold", async () => {
  const world = start({
    play: {
      coordinator: [{ calls: [spawn("Ann"), node("work")] }],
      ann: [{ calls: [wait({ node_ids: ["n1-work"] }), wait()] }],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  const ann = world.asked.filter((one) => one.participant === "ann");
  expect(results(ann[1]!).map((one) => one.result)).toEqual([
    "n1-work is the node you hold; you cannot wait for yourself",
    "Nothing to wait for: you created no nodes.",
  ]);
});

test("a node that a worker creates is below its own, and tells it when it ends", async () => {
  const world = start({
    play: {
      coordinator: [{ calls: [spawn("Ann"), spawn("Bea"), node("work", { worker: "ann" })] }],
      ann: [{ calls: [node("part"), wait()] }, use("publish", { summary: "whole" })],
      bea: [use("publish", { summary: "part" })],
    },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  expect(world.state().nodes.get("n2-part")).toMatchObject({ parent: "n1-work", depth: 1, status: "completed" });
  expect(world.state().nodes.get("n1-work")).toMatchObject({ status: "completed", summary: "whole" });
});

test("a worker without a node has nothing to publish", async () => {
  const world = start({ play: { coordinator: [{ calls: [spawn("Ann")] }], ann: [use("publish", { summary: "s" })] } });
  await world.begin();
  await world.create();
  await world.send("a1", { type: "message.post", to: "ann", text: "publish!" });
  await world.pass(hour);
  const ann = world.asked.filter((one) => one.participant === "ann");
  expect(results(ann[1]!)).toMatchObject([
    { outcome: "error", result: expect.stringContaining("Ann has no node; there is nothing to publish") },
  ]);
});

test("a worker has the tools that it was given, of those that are for workers", async () => {
  const world = start({
    play: { coordinator: [{ calls: [spawn("Ann", { tools: ["publish", "decline"] }), spawn("Bea")] }] },
  });
  await world.begin();
  await world.create();
  await world.send("a1", { type: "message.post", to: "*", text: "hello" });
  await world.pass(hour);
  const toolsOf = (who: string) => world.asked.find((one) => one.participant === who)?.tools.map((tool) => tool.name);
  expect(toolsOf("ann")).toEqual(["decline", "publish"]);
  const always = (role: string) =>
    tools.filter(({ offer }) => offer?.always === "everyone" || offer?.always === role).map(({ name }) => name);
  const bea = always("worker").filter((name) => name !== "finish");
  expect(toolsOf("bea")?.slice(0, bea.length)).toEqual(bea);
  // Before it has a team it is not offered what a team needs.
  const alone = always("coordinator").filter((name) => name !== "publish");
  expect(toolsOf("coordinator")).toEqual(alone);
  const later = world.asked.findLast((one) => one.participant === "coordinator")!.tools.map((tool) => tool.name);
  expect(later.slice(0, alone.length)).toEqual(alone);
  expect(later.slice(alone.length)).toEqual(expect.arrayContaining(["retire_worker", "send_message", "write_plan"]));
});

test("a question parks only whoever asks; the default comes with the deadline", async () => {
  const world = start({
    play: { coordinator: [use("ask_human", { question: "well?", default: "yes", deadline_seconds: 60 })] },
  });
  await world.begin();
  await world.create();
  await world.pass(hour);
  expect(world.asked).toHaveLength(2);
  expect(world.asked[1]!.at - world.asked[0]!.at).toBeGreaterThanOrEqual(60_000);
  expect(world.asked[1]!.lines.at(-1)).toMatchObject({ entries: [{ kind: "answer", text: "Answer to q1: yes" }] });
});
