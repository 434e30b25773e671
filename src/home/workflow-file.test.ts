import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { parseWorkflow } from "./workflow-file.ts";

const parse = (text: string, name = "brief") => parseWorkflow(text, "brief.yaml", name);
const problemIn = (text: string, name?: string): string => {
  try {
    parse(text, name);
  } catch (problem) {
    return (problem as Error).message;
  }
  return "nothing";
};

test("a file becomes a team: a worker may be one line, a node without an id is called by its title", () => {
  const { team, goal, about, budget } = parse(`
about: For briefs
goal: Write one
budget: { usd: 2 }
workers:
  Ada: looks things up
  Ben: { role: writes, max_turns: 5 }
nodes:
  - { title: What is known, spec: Find it, worker: Ada }
  - { title: Text, spec: Write it, depends_on: [what-is-known] }
`);
  expect([about, goal, budget]).toEqual(["For briefs", "Write one", { usd: 2 }]);
  expect(team).toEqual({
    workflow: "brief",
    workers: [
      { name: "Ada", role: "looks things up" },
      { name: "Ben", role: "writes", max_turns: 5 },
    ],
    stages: [],
    nodes: [
      { id: "what-is-known", title: "What is known", spec: "Find it", worker: "Ada", depends_on: [] },
      { id: "text", title: "Text", spec: "Write it", depends_on: ["what-is-known"] },
    ],
  });
});

test("nobody leads agents; what they are told is a role, a prompt or a system prompt", () => {
  const { team, goal } = parse(
    `
agents:
  reviewer:
    model: anthropic/claude-sonnet-4-5
    system_prompt: Review code, @coder to fix.
  coder: { role: coder, prompt: { system: Fix issues. }, tools: [bash], memory: We use tabs. }
  tester: { prompt: Test it., single_inference: true }
  maker: { role: makes, agent_command: ./make.sh }
kickoff: |
  @reviewer please review.
`,
    "review",
  );
  expect(goal).toBe("Run the workflow review");
  expect(team).toEqual({
    workflow: "review",
    lead: false,
    workers: [
      { name: "reviewer", model: "anthropic/claude-sonnet-4-5", role: "Review code, @coder to fix." },
      { name: "coder", role: "coder\n\nFix issues.", tools: ["bash"], memory: "We use tabs." },
      { name: "tester", role: "Test it.", single_inference: true },
      { name: "maker", role: "makes", model: "command:./make.sh" },
    ],
    kickoff: "@reviewer please review.\n",
    nodes: [],
    stages: [],
  });
});

test.each([
  ["agents: {Ada: x}", { lead: false }],
  ["agents: {Ada: x}\ncoordinator: true", {}],
  [
    "agents: {Ada: x}\ncoordinator: {model: a/b, prompt: Be brief.}",
    { coordinator: { model: "a/b", prompt: "Be brief." } },
  ],
  ["workers: {Ada: x}", {}],
  ["workers: {Ada: x}\ncoordinator: false", { lead: false }],
  ["workers: {Ada: x}\ncoordinator: {prompt: {system: Be brief.}}", { coordinator: { prompt: "Be brief." } }],
])("who leads: %j", (text, led) => {
  const { lead, coordinator } = parse(text).team;
  expect({ ...(lead === false && { lead }), ...(coordinator && { coordinator }) }).toEqual(led);
});

test("a soul is a text, or its parts", () => {
  const { team } = parse(`
agents:
  Ada: { role: x, soul: You doubt everything. }
  Ben:
    role: x
    soul: { role: An old hand., expertise: [SQL, C], style: short, principles: [No guesses.] }
`);
  expect(team.workers.map(({ soul }) => soul)).toEqual([
    "You doubt everything.",
    "An old hand.\nWhat you know well: SQL, C.\nHow you speak: short\nWhat you hold to:\n- No guesses.",
  ]);
});

test("nodes name what they are shown of others, their model and their folder; stages have limits", () => {
  const { team } = parse(`
workers: {Ada: x}
stages: [{name: All, policy: majority_must_complete, max_turns: 9, timeout_seconds: 60}]
nodes:
  - { id: facts, title: Facts, spec: s, stage: All, workspace: scratch, model: a/b }
  - { id: text, title: Text, spec: s, stage: All, refs: { table: facts/data/t.csv, all: facts } }
`);
  expect(team.stages).toEqual([{ name: "All", policy: "majority", max_turns: 9, timeout_seconds: 60 }]);
  expect(team.nodes).toMatchObject([
    { workspace: "scratch", model: "a/b" },
    { refs: { table: "facts/data/t.csv", all: "facts" }, depends_on: [] },
  ]);
});

test("the name in the file goes before the name of the file", () => {
  expect(parse("name: other\nagents: {Ada: x}", "My Brief").name).toBe("other");
});

const atNodes = "workers: {Ada: x}\nnodes:\n";
test.each([
  ["workers: {}", "brief.yaml, line 1, column 10: workers: name at least one worker"],
  [
    "workers:\n  Ada:\n    rol: x",
    "brief.yaml, line 3, column 5: workers.Ada.rol is not a field of a workflow; did you mean role?",
  ],
  [
    "agents:\n  Ada:\n    role: x\n    shell: ls",
    "brief.yaml, line 4, column 5: agents.Ada.shell is not a field of a workflow; allowed: role, prompt, system_prompt, soul, schedule, wakeup, wakeup_prompt, model, tools,",
  ],
  [
    "workers: {Ada: x}\nsteps: []",
    "brief.yaml, line 2, column 1: steps is not a field of a workflow; allowed: name, about,",
  ],
  [
    "agents: {Ada: x}\nkickof: hi",
    "brief.yaml, line 2, column 1: kickof is not a field of a workflow; did you mean kickoff?",
  ],
  [
    "setup: [{shell: date, as: diff}]\nagents: {Ada: x}\nkickof: 'It is ${{ diff }}'",
    "brief.yaml, line 3, column 1: kickof is not a field of a workflow; did you mean kickoff?",
  ],
  [
    "workers: {Ada: x}\nbudget:\n  usdd: 2",
    "brief.yaml, line 3, column 3: budget.usdd is not a field of a workflow; did you mean usd?",
  ],
  [
    `${atNodes}  - {title: a, spec: b}\n  - title: c\n    spec: d\n    depends_on: [b]`,
    "brief.yaml, line 6, column 17: nodes.1.depends_on: there is no node b above it; nodes: a",
  ],
  [`${atNodes}  - {title: a, spec: b, refs: {x: c/d}}`, "line 3, column 31: nodes.0.refs: there is no node c above it"],
  [`${atNodes}  - {title: a, spec: b, refs: {x: ../d}}`, "nodes.0.refs.x: NODE or NODE/FILE"],
  ["workers:\n  Ada: x\n  ada: y", "brief.yaml, line 3, column 8: workers.ada: ada collides with Ada"],
  ["agents:\n  Ada: x\n  ada: y", "brief.yaml, line 3, column 8: agents.ada: ada collides with Ada"],
  ["about: [", "brief.yaml, line 1, column"],
  ["", "brief.yaml: agents: is required"],
  [
    "agents: {Ada: x}\nworkers: {Ben: y}",
    "brief.yaml, line 2, column 10: workers: give agents (nobody leads) or workers",
  ],
  ["workers:\n  Ada: {}", "brief.yaml, line 2, column 8: workers.Ada.role: is required"],
  ["agents:\n  Ada: 7", "brief.yaml, line 2, column 8: agents.Ada: must be a role, or its fields"],
  ["agents: {Ada: {role: x, soul: {rol: y}}}", "agents.Ada.soul.rol is not a field of a workflow; did you mean role?"],
  ["agents: {Ada: {prompt: {sytem: y}}}", "agents.Ada.prompt.sytem is not a field"],
  ["agents: {Ada: x}\ncoordinator: maybe", "coordinator: must be true, false, or some of {model, prompt, soul}"],
  [
    "agents: {Ada: x}\ncoordinator: {modle: x}",
    "line 2, column 15: coordinator.modle is not a field of a workflow; did you mean model?",
  ],
  ["agents: {Ada: x}\nkickoff: '@Bob, look'", "kickoff: @Bob is not in this team; workers: Ada"],
  ["agents: {Ada: {model: codex, single_inference: true}}", "agents.Ada.single_inference: codex is a program"],
  [
    `${atNodes}  - {title: a, spec: b, run: ls}`,
    "line 3, column 25: nodes.0.run is not a field of a workflow; allowed: id, title, spec, acceptance, checks,",
  ],
])("what is wrong with a file is said with its place: %j", (text, message) => {
  expect(problemIn(text)).toContain(message);
});

test("everything that is wrong is in the details, the misspelt field first", () => {
  try {
    parse("agents:\n  Ada: { max_turns: many }\nkickof: x\nmodle: y\n");
  } catch (problem) {
    const { issues } = (problem as { details: { issues: { line: number; message: string }[] } }).details;
    expect(issues.map(({ line, message }) => [line, message.split(" ", 1)[0]])).toEqual([
      [3, "kickof"],
      [4, "modle"],
      [2, "agents.Ada.max_turns:"],
    ]);
    return;
  }
  throw new Error("it was taken");
});

test("a file that is called what nobody could ask for is refused", () => {
  expect(problemIn("workers: {Ada: x}", "My Brief")).toContain("lower-case letters, digits, - and _");
});

test("the JSON schema for editors takes what is taken here, and refuses a misspelt field", () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  // Editors read patterns as Unicode; Zod does not.
  const published = read("docs/reference/workflow.schema.json").replaceAll("\\\\p{L}\\\\p{N}", "A-Za-z0-9");
  const schema = z.fromJSONSchema(JSON.parse(published));
  const takes = (text: string) => schema.safeParse(parseYaml(text)).success;
  for (const name of ["repository-review", "research-brief"])
    expect(takes(read(`examples/workflows/${name}.yaml`))).toBe(true);
  expect(takes("agents: {Ada: {system_prompt: Look, soul: {style: short}}}\nkickoff: hi")).toBe(true);
  expect(takes("agents: {Ada: {system_promt: Look}}")).toBe(false);
  expect(takes("agents: {Ada: x}\nkickof: hi")).toBe(false);
});

test("every example in docs/workflows.md is taken", () => {
  const text = readFileSync(new URL("../../docs/workflows.md", import.meta.url), "utf8");
  const examples = [...text.matchAll(/```yaml\n(.*?)```/gs)].map(([, example]) => example!);
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) expect(() => parse(example)).not.toThrow();
});

test("triggers are declared for the team and for one of it", () => {
  const { team } = parseWorkflow(
    [
      "agents:",
      "  watcher: { role: w, schedule: 0 9 * * 1-5, wakeup_prompt: Green? }",
      "  coder: { role: c, wakeup: 30m }",
      "triggers:",
      "  - { on: message.received, filter: { from: human }, to: watcher, text: Read it. }",
    ].join("\n"),
    "t.yaml",
    "t",
  );
  expect(team.triggers).toEqual([
    {
      schedule: { type: "on_event", pattern: "message.received", filter: { from: "human" } },
      to: "watcher",
      text: "Read it.",
    },
    { schedule: { type: "scheduled", cron: "0 9 * * 1-5" }, to: "watcher", text: "Green?" },
    { schedule: { type: "on_idle", idle_seconds: 1_800 }, to: "coder", text: expect.stringContaining("It is time") },
  ]);
  const wrong = (line: string) => () => parseWorkflow(`agents: { a: b }\ntriggers:\n  - ${line}\n`, "t.yaml", "t");
  expect(wrong("{ text: x }")).toThrow("must have exactly one of cron, every, after, idle, on");
  expect(wrong("{ every: 5m, to: nobody, text: x }")).toThrow("nobody is not in this team");
  expect(wrong("{ on: human.noise, text: x }")).toThrow('triggers.0: no event type matches "human.noise"');
  expect(wrong("{ cron: often, text: x }")).toThrow("t.yaml, line 3, column 5");
});

test("a policy is declared for the run, and its fields are checked", () => {
  const of = (rule: string) => parseWorkflow(`agents: { a: b }\npolicy:\n  - ${rule}\n`, "t.yaml", "t");
  expect(of("{ do: deny, tool: bash, worker: a, why: it only reads }").team.policy).toEqual([
    { do: "deny", tool: "bash", worker: "a", why: "it only reads" },
  ]);
  expect(() => of("{ do: deny, tol: bash }")).toThrow("policy.0.tol is not a field of a workflow; did you mean tool?");
  expect(() => of("{ do: forbid, tool: bash }")).toThrow("t.yaml, line 3");
});
