import { describe, expect, test } from "vitest";
import { type Answer, results, use } from "../../runtime/model.test-help.ts";
import { start } from "../../runtime/runtime.test-help.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
import { writeFile } from "../../tool/write-file.ts";
import { judge } from "./policy.ts";

const hour = 3_600_000;
const ann = { id: "ann-2", name: "Ann" };

test.each([
  ["mcp.git-hub.*", "deny"],
  ["mcp.git-hub.a.b", "deny"],
  ["MCP.*.A.*", "deny"],
  ["mcp__git-hub__*", "deny"],
  ["mcp.git.*", "allow"],
  ["mcp.git-hub", "allow"],
])("a rule for %s: %s for the tool a.b of the MCP server git-hub", (pattern, verdict) => {
  const tool = { ...writeFile, name: "mcp__git-hub__a_b_0123abc", alias: "mcp.git-hub.a.b" };
  expect(judge([{ do: "deny", tool: pattern }], tool, [ann]).do).toBe(verdict);
  expect(judge([{ do: "deny", tool: "mcp.*" }], writeFile, [ann]).do).toBe("allow");
});

describe("the first rule that fits decides", () => {
  test.each([
    [[], "allow"],
    [[{ do: "deny", tool: "bash" }], "allow"],
    [[{ do: "deny", tool: "write_file" }], "deny"],
    [[{ do: "ask", tool: "write_*" }], "ask"],
    [[{ do: "ask", tool: "*_file" }], "ask"],
    [[{ do: "ask", tool: "w*_f*e" }], "ask"],
    [[{ do: "ask", tool: "w*x*e" }], "allow"],
    [[{ do: "deny", tool: "write_file*write_file" }], "allow"],
    [[{ do: "ask", effect: "outside" }], "ask"],
    [[{ do: "ask", effect: "reads" }], "allow"],
    [[{ do: "deny", worker: "ANN" }], "deny"],
    [[{ do: "deny", worker: "ann-*" }], "deny"],
    [[{ do: "deny", worker: "bob" }], "allow"],
    [
      [
        { do: "allow", worker: "ann" },
        { do: "deny", tool: "*" },
      ],
      "allow",
    ],
    [
      [
        { do: "deny", tool: "*" },
        { do: "allow", worker: "ann" },
      ],
      "deny",
    ],
  ] satisfies [PolicyRule[], string][])("%j: %s", (rules, verdict) => {
    expect(judge(rules, writeFile, [ann]).do).toBe(verdict);
  });
});

test.each([
  [[{ do: "deny", worker: "intern*" }], "deny"],
  [
    [
      { do: "allow", worker: "ann" },
      { do: "deny", worker: "intern*" },
    ],
    "deny",
  ],
  [
    [
      { do: "allow", worker: "ann" },
      { do: "ask", tool: "*" },
    ],
    "ask",
  ],
  [
    [
      { do: "allow", worker: "ann" },
      { do: "allow", worker: "intern" },
    ],
    "allow",
  ],
] satisfies [PolicyRule[], string][])(
  "whoever an intern brings may do what an intern may: %j: %s",
  (rules, verdict) => {
    expect(judge(rules, writeFile, [ann, { id: "intern", name: "Intern" }]).do).toBe(verdict);
  },
);

const files = (...names: string[]): Answer => ({
  calls: names.map((path) => ({ id: path, tool: "write_file", input: { path, content: `this is ${path}` } })),
});

async function asking(play: Answer[], policy: PolicyRule[] = [{ do: "ask", tool: "write_file", why: "it writes" }]) {
  const world = start({ play: { coordinator: play }, policy });
  await world.begin();
  await world.create();
  await world.pass(hour);
  return world;
}
const answer = (question: string, text: string, remember?: boolean) => ({
  type: "question.answer" as const,
  question,
  answer: text,
  ...(remember ? { remember } : {}),
});
const scratch = "/home/agents/a1/runs/r1/scratch";
const written = (world: Awaited<ReturnType<typeof asking>>) =>
  world.sim.disk.paths().filter((path) => path.startsWith(scratch));

test("a call that is to be asked about waits for the human, costs nothing meanwhile, and goes on with their yes", async () => {
  const world = await asking([files("a"), { say: "done" }]);
  expect([...world.state().questions.values()]).toMatchObject([
    { id: "q1", by: "coordinator", status: "open", approves: { tool: "write_file", call: "a" } },
  ]);
  expect(world.state().questions.get("q1")?.text).toContain("May Coordinator call write_file? it writes");
  expect(world.state().questions.get("q1")?.text).toContain("this is a");
  expect(written(world)).toEqual([]);
  expect(world.asked).toHaveLength(1);
  await world.send("a1", answer("q1", "yes"));
  await world.pass(hour);
  expect(written(world)).toEqual([`${scratch}/a`]);
  expect(world.asked).toHaveLength(2);
});

test("a no is told to the model with its reason, and the call is not made", async () => {
  const world = await asking([files("a"), { say: "understood" }]);
  await world.send("a1", answer("q1", "No, not in production."));
  await world.pass(hour);
  expect(results(world.asked[1]!)).toMatchObject([
    { outcome: "denied", result: expect.stringContaining("the human said no: not in production.") },
  ]);
  expect(written(world)).toEqual([]);
});

test("all calls of a turn are put to the human at once, and each keeps its own word", async () => {
  const world = await asking([files("a", "b", "c"), { say: "done" }]);
  expect([...world.state().questions.keys()]).toEqual(["q1", "q2", "q3"]);
  await world.send("a1", answer("q3", "allow"));
  await world.send("a1", answer("q2", "deny"));
  await world.pass(hour);
  expect(world.asked).toHaveLength(1);
  await world.send("a1", answer("q1", "ok"));
  await world.pass(hour);
  expect(written(world)).toEqual([`${scratch}/a`, `${scratch}/c`]);
});

test("a remembered word holds for this tool of this participant for the rest of the run", async () => {
  const world = await asking([files("a"), files("b"), { say: "done" }]);
  await world.send("a1", answer("q1", "allow", true));
  await world.pass(hour);
  expect(written(world)).toEqual([`${scratch}/a`, `${scratch}/b`]);
  expect(world.state().questions.size).toBe(1);
});

test("an answer that is neither yes nor no is refused and says what is allowed", async () => {
  const world = await asking([files("a")]);
  await expect(world.send("a1", answer("q1", "maybe"))).rejects.toThrow(
    /q1 asks whether write_file may be called; answer allow/,
  );
});

test("what is forbidden is not asked about", async () => {
  const world = await asking([files("a"), { say: "ok" }], [{ do: "deny", effect: "outside", why: "nothing leaves" }]);
  expect(results(world.asked[1]!)).toMatchObject([
    { outcome: "denied", result: expect.stringContaining("nothing leaves") },
  ]);
  expect(world.state().questions.size).toBe(0);
});

test("a question survives the death of the process, and its answer leads to one deed", async () => {
  for (const nth of [1, 2, 3, 4, 5]) {
    const world = await asking([files("a"), { say: "done" }]);
    await world.restart("power");
    expect(world.state().questions.get("q1")?.status).toBe("open");
    const sent = world.runtime().send("a1", answer("q1", "allow"), { key: "k" });
    sent.catch(() => undefined);
    await world.dies("log.synced", nth);
    await world.restart("kill");
    await world.send("a1", answer("q1", "allow"), { key: "k" });
    await world.pass(hour);
    expect(written(world)).toEqual([`${scratch}/a`]);
    expect((await world.events()).filter((event) => event.type === "tool.ended")).toHaveLength(1);
  }
});

test("a call that waits when its run is stopped is given up", async () => {
  const world = await asking([files("a")]);
  await world.send("a1", { type: "agent.stop" });
  await world.pass(hour);
  expect(world.state().participants.get("coordinator")).toMatchObject({ turn: undefined });
  expect(written(world)).toEqual([]);
});

test("a call that could not be run anyway is answered without asking anyone", async () => {
  const world = await asking([use("write_file", { path: 7 }), { say: "ok" }]);
  expect(world.state().questions.size).toBe(0);
  expect(results(world.asked[1]!)).toMatchObject([{ outcome: "error" }]);
});

describe("the rules of a workflow count where they are stricter than those of the config", () => {
  const say = (verdict: PolicyRule["do"]): PolicyRule[] => [{ do: verdict, tool: "document_list" }];
  test.each([
    { config: [], workflow: say("deny"), end: "denied" },
    { config: say("allow"), workflow: say("deny"), end: "denied" },
    { config: say("allow"), workflow: say("ask"), end: "asked" },
    { config: say("deny"), workflow: say("allow"), end: "denied" },
    { config: say("deny"), workflow: say("ask"), end: "denied" },
    { config: say("ask"), workflow: say("allow"), end: "asked" },
    { config: [], workflow: say("allow"), end: "ok" },
    { config: [], workflow: [{ do: "deny", tool: "document_list", worker: "Bob" }], end: "ok" },
  ] satisfies { config: PolicyRule[]; workflow: PolicyRule[]; end: string }[])(
    "%j",
    async ({ config, workflow, end }) => {
      const world = start({ play: { ann: [use("document_list", {}), { say: "done" }] }, policy: config });
      await world.begin();
      const workers = [
        { name: "Ann", role: "writes" },
        { name: "Bob", role: "reads" },
      ];
      await world.create({
        team: { workers, nodes: [], stages: [], lead: false, kickoff: "@Ann look", policy: workflow },
      });
      await world.pass(60_000);
      const questions = await world.runtime().read("a1", (state) => state.questions.size);
      const [result] = world.asked[1] ? results(world.asked[1]) : [];
      expect(questions ? "asked" : result?.outcome).toBe(end);
    },
  );
});
