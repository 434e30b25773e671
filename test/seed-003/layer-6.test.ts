/** Layer 6, workflows: a team in a file. The seed's own review.yaml runs to a merged fix in test/review-team.test.ts. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterThisTest } from "../../src/lib/cleanup.test-help.ts";
import { machine } from "../../src/lib/machine/index.ts";
import { startModelServer } from "../model-server.ts";
import { command, newFolder } from "../program.ts";
import { call, openHouse } from "./house.ts";

const missing = await machine.processes.sandbox();
const file = (name: string, text: string) => ({ [`workflows/${name}.yaml`]: text });
const params = { agent: "w" };

test("a workflow is a named team: agents with model and system_prompt, and a kickoff that wakes whom it mentions", async () => {
  const text = `agents:
  rae: { model: anthropic/rae, system_prompt: "Review code, @cody to fix." }
  cody: { model: anthropic/cody, system_prompt: Fix issues. }
kickoff: "@rae please review."
`;
  const { client, rest, told, asked, channel } = await openHouse({ rae: [{ text: "Fine." }] }, file("review", text));
  await client.createAgent({ body: { name: "w", workflow: "review" } });
  await rest("w");
  expect(told("rae")).toContain("Review code, @cody to fix.");
  expect(asked("cody")).toHaveLength(0);
  expect(await channel("w")).toEqual(["human to rae: @rae please review.", "rae to human: Fine."]);
});

test.skipIf(missing)("setup steps run before the team, and what they print is there under its name", async () => {
  const text = `params: { who: { required: true } }
agents: { rae: { model: anthropic/rae, system_prompt: Read. } }
setup:
  - { shell: "echo hello \${{ params.who }}", as: greeting }
kickoff: "@rae \${{ greeting }}"
`;
  const { client, rest, told, events } = await openHouse({}, file("greet", text));
  await client.createAgent({ body: { name: "w", workflow: "greet", params: { who: "$(id); x" } } });
  await rest("w");
  expect(told("rae")).toContain("hello $(id); x");
  const types = events("w").map(({ type }) => type);
  expect(types.indexOf("run.started")).toBeLessThan(types.indexOf("turn.started"));
});

test("an expression without a value is an error before anything runs", async () => {
  const text = 'agents: { rae: Read. }\nkickoff: "@rae ${{ params.topic }}"\n';
  const { client } = await openHouse({}, file("bad", text));
  const made = client.createAgent({ body: { name: "w", workflow: "bad", model: "anthropic/none" } });
  await expect(made).rejects.toThrow("params.topic");
  expect((await client.listAgents({ query: {} })).items).toEqual([]);
});

test.skipIf(missing)("a program with a loop of its own is a member of a team in the file", async () => {
  const text = `agents:
  clive: { role: copies, agent_command: "sh -c 'cp _task.md copy.md; echo Copied. > _result.md'" }
nodes: [{ id: copy, title: Copy, spec: Copy the task., worker: clive }]
`;
  const { client, rest } = await openHouse({}, file("copy", text));
  await client.createAgent({ body: { name: "w", goal: "Copy.", workflow: "copy", model: "anthropic/none" } });
  await rest("w");
  const { nodes } = await client.getBoard({ params });
  expect(nodes).toMatchObject([{ status: "completed" }]);
});

test("a team without a coordinator costs no third model, and a team of one is a team", async () => {
  const { client, rest, asked } = await openHouse(
    { rae: [{ text: "@cody fix." }] },
    file(
      "two",
      'agents: { rae: { model: anthropic/rae, role: r }, cody: { model: anthropic/cody, role: c } }\nkickoff: "@rae go"\n',
    ),
  );
  await client.createAgent({ body: { name: "w", workflow: "two", model: "anthropic/lead" } });
  await rest("w");
  expect(["rae", "cody", "lead"].map((model) => asked(model).length)).toEqual([1, 1, 0]);
  const team = {
    workers: [{ name: "Solo", role: "works", model: "anthropic/solo" }],
    nodes: [],
    stages: [],
    lead: false as const,
  };
  await client.createAgent({ body: { name: "one", model: "anthropic/lead", team: { ...team, kickoff: "@Solo go" } } });
  await rest("one");
  expect(asked("solo")).toHaveLength(1);
});

test("nodes and stages: a node waits for what it depends on, a stage for the one before", async () => {
  const work = (text: string) => call("publish", { summary: text });
  const text = `agents: { ada: { model: anthropic/ada, role: a }, ben: { model: anthropic/ben, role: b } }
stages: [{ name: Facts }, { name: Page }]
nodes:
  - { id: facts, title: Facts, spec: Find them., worker: ada, stage: Facts }
  - { id: page, title: Page, spec: Write it., worker: ben, stage: Page, depends_on: [facts] }
`;
  const { client, rest, events } = await openHouse(
    { ada: [work("Found.")], ben: [work("Written.")] },
    file("brief", text),
  );
  await client.createAgent({ body: { name: "w", goal: "A brief.", workflow: "brief", model: "anthropic/none" } });
  await rest("w");
  const order = events("w").flatMap(({ type, data }) =>
    type === "node.started" || type === "node.completed" ? [`${type} ${(data as { node: string }).node}`] : [],
  );
  expect(order.map((one) => one.replace(/-.*$/, ""))).toEqual([
    "node.started n1",
    "node.completed n1",
    "node.started n2",
    "node.completed n2",
  ]);
});

test("run mode ends when all are idle, nothing is unread and no proposal is open; the exit code says how, by the same house as the daemon's", async () => {
  const held = { text: "Nothing more." };
  const server = await startModelServer([held]);
  afterThisTest(() => server.close());
  const text = 'agents: { rae: { model: anthropic/rae, role: r } }\nkickoff: "@rae go"\n';
  const home = newFolder({ "config.yaml": 'embeddings: "off"\n', "w.yaml": text, "bad.yaml": "agents: 7\n" });
  const env = { AGIRAPH_HOME: home, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "sk-ant-none" };
  const run = (name: string) => command(["--alone", "workflow", "run", join(home, name)], env);
  expect((await run("w.yaml")).code).toBe(0);
  expect((await run("bad.yaml")).code).toBe(1);
  expect((await run("none.yaml")).code).toBe(1);
});

test("an open proposal keeps the run open, and its deadline keeps it from hanging", async () => {
  const { client, rest, events } = await openHouse({
    rae: [
      call("proposal_create", { question: "Ship?", kind: "approval", voters: ["Rae", "Human"], deadline_seconds: 3 }),
    ],
  });
  const team = {
    workers: [{ name: "Rae", role: "r", model: "anthropic/rae" }],
    nodes: [],
    stages: [],
    lead: false as const,
  };
  await client.createAgent({ body: { name: "w", model: "anthropic/none", team: { ...team, kickoff: "@Rae decide" } } });
  await expect.poll(() => events("w").some(({ type }) => type === "proposal.created")).toBe(true);
  await expect.poll(() => events("w").some(({ type }) => type === "run.completed")).toBe(true);
  await rest("w");
  const types = events("w").map(({ type }) => type);
  expect(types.indexOf("proposal.settled")).toBeLessThan(types.indexOf("run.completed"));
});
