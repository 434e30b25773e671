import { expect, test } from "vitest";
import { start } from "../core/core.test-help.ts";
import { emptyState } from "../core/state.ts";
import type { CommandInput } from "../schema/command.ts";
import type { Team } from "../schema/workflow.ts";
import { parseWorkflow } from "./workflow-file.ts";
import { freezeRun } from "./workflow-freeze.ts";

const hash = (sign: string) => sign.repeat(64);
type World = ReturnType<typeof start>;

function publish(world: World, node: string): void {
  const { worker } = world.state.nodes.get(node) as { worker: string };
  world.answer(worker, ["publish"]);
  world.tell({ type: "node.publish", node, summary: "done", files: [] } as CommandInput, worker);
}

test("the team and the graph that emerged are written down: who did what, on what, with the goal as a parameter", () => {
  const world = start();
  world.tell(
    { type: "worker.spawn", name: "Cai", role: "Know chips well", model: "a/b", max_turns: 4 } as CommandInput,
    "coordinator",
  );
  const facts = world.node({
    name: "The facts",
    task: "Find facts. The goal: Know chips. Not ${{ this }}.",
    worker: "alice",
  });
  const wrong = world.node({ name: "A dead end", task: "x", worker: "bob" });
  world.tell({ type: "node.cancel", node: wrong, reason: "no" } as CommandInput, "coordinator");
  const text = world.node({
    name: "The facts",
    task: "Write it",
    depends_on: [facts],
    refs: { table: `${facts}/t.csv`, [facts]: facts },
    worker: "cai",
    acceptance: "It is short",
    checks: [{ file: "text.md" }],
  } as never);
  publish(world, facts);
  world.tell({ type: "worker.retire", worker: "bob" } as CommandInput, "coordinator");
  publish(world, text);
  world.tell({ type: "run.finish", summary: "done" });
  const frozen = freezeRun(world.state, "chips");
  const { params, start: begin } = parseWorkflow(frozen, "chips.yaml", "x");
  const { team, goal, model } = begin({ params: { goal: "Know ships" } });
  expect([goal, model, params[0]]).toEqual([
    "Know ships",
    "scripted/test",
    expect.objectContaining({ default: "Know chips" }),
  ]);
  expect(team).toEqual({
    workflow: "chips",
    params: { goal: "Know ships" },
    stages: [],
    workers: [
      { name: "Alice", role: "works" },
      { name: "Cai", role: "Know ships well", model: "a/b", max_turns: 4 },
    ],
    nodes: [
      {
        id: "the-facts",
        title: "The facts",
        worker: "Alice",
        depends_on: [],
        spec: "Find facts. The goal: Know ships. Not ${{ this }}.",
      },
      {
        id: "the-facts-2",
        title: "The facts",
        worker: "Cai",
        depends_on: ["the-facts"],
        refs: { table: "the-facts/t.csv", "n1-the-facts": "the-facts" },
        spec: "Write it",
        acceptance: "It is short",
        checks: [{ file: "text.md" }],
      },
    ],
  });
});

test("a run of a workflow becomes that workflow again: parameters, setup, documents, triggers, kickoff", () => {
  const file = `
name: review
params: { ref: release-7, depth: 3 }
env: [CI_NAME]
goal: Review release-7
model: scripted/test
agents:
  Rae: { role: "Review \${{ params.ref }}. \${{ diff }}", soul: You doubt. }
setup:
  - { shell: "git diff \${{ params.ref }} -\${{ params.depth }} # \${{ env.CI_NAME }} \${{ workflow.name }}", as: diff, timeout: 30 }
  - { shell: "wc <<<\${{ diff }}", as: size }
documents:
  notes.md: { owner: Rae, text: "On \${{ params.ref }}: \${{ setup.diff }} $\${{ x }}" }
triggers:
  - { every: 30m, to: Rae, text: "Look at \${{ params.ref }}." }
  - { cron: "0 9 * * 1-5", zone: Europe/Berlin, text: Morning. }
  - { on: message.received, filter: { from: human }, to: Rae, text: The human wrote. }
  - { idle: 2h, to: Rae, text: Anything new? }
  - { after: 90s, text: Begin. }
kickoff: "@Rae \${{ diff }} of \${{ params.ref }}: $\${{ x }}"
`;
  const begin = (text: string) => parseWorkflow(text, "review.yaml", "review").start({ env: { CI_NAME: "ci" } });
  const { team, goal } = begin(file);
  const world = start();
  world.log = [];
  world.state = emptyState();
  world.tell({ type: "agent.create", agent: "rev", goal, model: "scripted/test", team } as CommandInput);
  const quote = '<outside_data id="ab12" from="the setup step diff">\n+a\n</outside_data id="ab12">';
  for (const [at, as] of ["diff", "size"].entries())
    world.tell(
      {
        type: "setup.end",
        ...{ run: "r1", step: at + 1, as, shell: "x", outcome: "passed", code: 0, output: "+a", size: 2, seconds: 1 },
        resource: hash(String(at)),
      } as CommandInput,
      "system",
    );
  const filled = {
    ...team,
    workers: [{ ...team.workers[0]!, role: `Review release-7. ${quote}` }],
    kickoff: "@Rae [data: diff] of release-7: ${{ x }}",
  };
  const documents = [{ name: "notes.md", owner: "Rae", sha256: hash("2"), size: 1 }];
  world.tell({ type: "run.begin", run: "r1", team: filled, documents } as CommandInput, "system");
  const written = freezeRun(world.state, "review");
  expect(written).toContain("On ${{ params.ref }}: ${{ setup.diff }} $${{ x }}");
  expect(written).toContain("text: Look at ${{ params.ref }}.");
  const again = begin(written);
  const { params: _params, ...rest } = team;
  expect(again.goal).toBe("Review release-7");
  expect(again.team).toEqual({ ...rest, params: { ref: "release-7", depth: 3, goal: "Review release-7" } });
});

/** The file of a run that this file began, in this folder and with this besides. */
function frozen(file: string, folder: string | undefined, more: Partial<Team> = {}): string {
  const { team, goal } = parseWorkflow(file, "w.yaml", "w").start({ source: { folder: "/there" } });
  const world = start();
  world.log = [];
  world.state = emptyState();
  const given = { goal, model: "scripted/test", ...(folder ? { folder } : {}) };
  world.tell({ type: "agent.create", agent: "a", ...given, team: { ...team, ...more } } as CommandInput);
  return freezeRun(world.state, "w");
}

test("the folder of the context, and the limits of stages and nodes, are written", () => {
  const file = `
context: { folder: ./work }
workers: { Ann: writes }
stages: [{ name: Only, policy: any, max_turns: 9 }]
nodes: [{ id: n, title: N, stage: Only, worker: Ann, spec: s, max_turns: 4, timeout_seconds: 60 }]
`;
  const written = frozen(file, "/there/work");
  expect(written).toMatch(/^name: w/);
  const { folder, team } = parseWorkflow(written, "w.yaml", "w");
  expect([folder, team.context]).toEqual(["/there/work", "kept"]);
  expect(team.stages).toEqual([{ name: "Only", policy: "any", max_turns: 9 }]);
  expect(team.nodes).toMatchObject([{ id: "n", max_turns: 4, timeout_seconds: 60 }]);
});

test("what a file cannot say is said in a comment: its folder, that it stayed, and triggers at a fixed time", () => {
  const at = "2026-12-01T09:00:00Z";
  const once = { schedule: { type: "at_time" as const, at }, to: "Ann", text: "Ship\nname: x" };
  const hourly = { schedule: { type: "heartbeat" as const, interval_seconds: 3_600 }, to: "Ann", text: "Look." };
  const written = frozen("agents: { Ann: writes }\nkickoff: '@Ann go'\n", "/project", {
    on_idle: "stay",
    triggers: [once, hourly],
  });
  expect(written.split("\n").slice(0, 4)).toEqual([
    "# It worked on /project: give it a folder with --folder.",
    "# It stayed when everybody was idle: start it with `agiraph workflow start FILE`.",
    `# Left out, a trigger at ${at} for Ann: Ship name: x`,
    "name: w",
  ]);
  const { team, folder } = parseWorkflow(written, "w.yaml", "x");
  expect([team.triggers, team.context, folder]).toEqual([[hourly], undefined, undefined]);
});

test("a run without workers is refused", () => {
  const world = start();
  for (const worker of ["alice", "bob"]) world.tell({ type: "worker.retire", worker } as CommandInput, "coordinator");
  expect(() => freezeRun(world.state, "x")).toThrow("r1 of chips had no workers: there is no team to write down");
});
