import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultLimits } from "../core/limits.ts";
import { assertTeam } from "../core/workflow.ts";
import { machine } from "../lib/machine/index.ts";
import { createWorkflows, parseWorkflow } from "./workflows.ts";

const parse = (text: string, name = "brief") => parseWorkflow(text, "brief.yaml", name);
const said = (text: string, name?: string): string => {
  try {
    parse(text, name);
  } catch (problem) {
    return (problem as Error).message;
  }
  return "nothing";
};

test("a file becomes a team: a worker may be one line, a node without an id is called by its title", () => {
  const { team, workflow } = parse(`
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
  expect(workflow).toMatchObject({ about: "For briefs", goal: "Write one", budget: { usd: 2 } });
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

test.each([
  ["about: x\nworkers: {}", "brief.yaml, line 2: workers: name at least one worker"],
  [
    "about: x\nworkers:\n  Ada:\n    rol: x",
    "brief.yaml, line 4: workers.Ada.rol is not a field of a workflow; allowed: role, model, tools, max_turns, budget, memory",
  ],
  [
    "about: x\nworkers:\n  Ada:\n    role: x\n    shell: ls",
    "brief.yaml, line 5: workers.Ada.shell is not a field of a workflow",
  ],
  ["about: x\nworkers: {Ada: x}\nsteps: []", "brief.yaml, line 3: steps is not a field of a workflow"],
  [
    "about: x\nworkers: {Ada: x}\nbudget:\n  usdd: 2",
    "brief.yaml, line 4: budget.usdd is not a field of a workflow; allowed: usd, tokens, turns, seconds",
  ],
  [
    "about: x\nworkers: {Ada: x}\nnodes:\n  - {title: a, spec: b}\n  - title: c\n    spec: d\n    depends_on: [b]",
    "brief.yaml, line 7: nodes.1.depends_on: there is no node b above it; nodes: a",
  ],
  ["about: x\nworkers:\n  Ada: x\n  ada: y", "brief.yaml, line 4: workers.ada: ada collides with Ada"],
  ["about: [", "brief.yaml, line 1"],
  ["", "brief.yaml: about: is required"],
  ["about: x\nworkers:\n  Ada: {}", "brief.yaml, line 3: workers.Ada.role: is required"],
  [
    "about: x\nworkers: {Ada: x}\nnodes:\n  - {title: a, spec: b, run: ls}",
    "line 4: nodes.0.run is not a field of a workflow; allowed: id, title, spec, worker, stage, depends_on",
  ],
])("what is wrong with a file is said with its line: %j", (text, message) => {
  expect(said(text)).toContain(message);
});

test("a file that is called what nobody could ask for is refused", () => {
  expect(said("about: x\nworkers: {Ada: x}", "My Brief")).toContain("lower-case letters, digits, - and _");
});

test("a workflow of the home goes before an example of its name; one that cannot be used says why and hides nothing else", async () => {
  const root = mkdtempSync(join(tmpdir(), "agiraph-workflows-"));
  const [home, example] = [join(root, "home"), join(root, "example")];
  for (const folder of [home, example]) mkdirSync(folder);
  writeFileSync(join(home, "one.yaml"), "about: mine\nworkers: {Ada: x}");
  writeFileSync(join(example, "one.yaml"), "about: theirs\nworkers: {Ada: x}");
  writeFileSync(join(example, "two.yml"), "about: other\nworkers: {Ada: x}");
  writeFileSync(join(home, "broken.yaml"), "about: x\nworker: {}");
  writeFileSync(join(home, "huge.yaml"), "x".repeat(300_000));
  writeFileSync(join(home, "notes.txt"), "no workflow");
  const workflows = createWorkflows({
    files: machine.files,
    folders: [
      { path: home, from: "home" },
      { path: example, from: "example" },
    ],
  });
  const all = await workflows.list();
  expect(all.map(({ name, from }) => `${name} ${from}`).sort()).toEqual([
    "broken home",
    "huge home",
    "one home",
    "two example",
  ]);
  expect((await workflows.find("one")).workflow.about).toBe("mine");
  await expect(workflows.find("broken")).rejects.toThrow("broken.yaml, line 2: worker is not a field of a workflow");
  await expect(workflows.find("huge")).rejects.toThrow("a workflow may have at most 262144");
  await expect(workflows.find("three")).rejects.toThrow("there is no workflow three; workflows:");
});

test("every example can be used as it is", async () => {
  const path = join(import.meta.dirname, "../../examples/workflows");
  const all = await createWorkflows({ files: machine.files, folders: [{ path, from: "example" }] }).list();
  expect(all.length).toBeGreaterThan(1);
  for (const one of all) {
    if ("problem" in one) throw new Error(one.problem);
    assertTeam(one.team, defaultLimits);
    expect(one.workflow.goal).toBeTruthy();
  }
});
