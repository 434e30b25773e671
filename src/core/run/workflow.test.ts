import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import type { Team } from "../../schema/workflow.ts";
import { start } from "../core.test-help.ts";
import { leaderless } from "../leaderless.test-help.ts";
import type { Limits } from "../limits.ts";
import { fold } from "../reduce.ts";
import { emptyState } from "../state.ts";

type Written = Parameters<typeof Team.parse>[0];
const node = (id: string, more: object = {}) => ({ id, title: `The ${id}`, spec: `Make the ${id}`, ...more });

const written = {
  workflow: "brief",
  workers: [
    { name: "Ada", role: "looks things up", max_turns: 7, budget: { usd: 1 } },
    { name: "Ben", role: "writes", memory: "Short sentences." },
  ],
  nodes: [node("facts", { worker: "ada" }), node("text", { worker: "Ben", depends_on: ["facts"] })],
};
const staged = {
  ...written,
  stages: [{ name: "Look" }, { name: "Write", policy: "any" }],
  nodes: [
    node("facts", { stage: "look" }),
    node("counter", { stage: "Look" }),
    node("text", { stage: "Write", depends_on: ["facts"] }),
  ],
};

/** An agent that was made with this team, with its first run. */
function made(team: Written = written, limits: Partial<Limits> = {}) {
  const world = start(limits);
  world.log = [];
  world.state = emptyState();
  const create = { type: "agent.create", agent: "chips", goal: "g", model: "m", team } as CommandInput;
  return { ...world, world, create };
}
function begun(team: Written = written, limits: Partial<Limits> = {}) {
  const { world, create } = made(team, limits);
  world.tell(create);
  return world;
}
const types = (log: { type: string }[]) => log.map(({ type }) => type);

describe("a team that is written down", () => {
  test("is there when its run begins: workers with their kit, nodes with what they need, and the work goes on", () => {
    const { state, log } = begun();
    expect(types(log)).toEqual([
      "agent.created",
      "run.started",
      "worker.spawned",
      "worker.spawned",
      "node.created",
      "node.created",
      "node.assigned",
    ]);
    expect(state.participants.get("ada")).toMatchObject({ name: "Ada", role: "looks things up", max_turns: 7 });
    expect(state.accounts.get("worker:ada")?.limit).toEqual({ usd: 1 });
    expect(state.participants.get("ben")).toMatchObject({ memory: "Short sentences." });
    expect(state.nodes.get("n1-the-facts")).toMatchObject({ status: "assigned", worker: "ada", creator: "human" });
    expect(state.nodes.get("n2-the-text")).toMatchObject({
      name: "The text",
      task: "Make the text",
      depends_on: ["n1-the-facts"],
      refs: { facts: "n1-the-facts" },
      wanted_worker: "ben",
      planned: "text",
    });
    expect(state.agent?.team?.workflow).toBe("brief");
  });

  test("is whole after a crash at any place, and nothing of it is listed twice", () => {
    for (let lost = 0; lost < begun(staged).log.length; lost++) {
      const world = begun(staged);
      const whole = types(world.log);
      world.restart(lost);
      expect(types(world.log)).toEqual(whole);
    }
  });

  test("comes again with the next run", () => {
    const world = begun();
    world.tell({ type: "agent.stop" });
    world.tell({ type: "run.start", goal: "another" });
    expect([...world.state.participants.keys()]).toEqual(["human", "coordinator", "ada", "ben"]);
    expect([...world.state.nodes.keys()]).toEqual(["n1-the-facts", "n2-the-text"]);
  });

  test("its stages come one after the other, each when the one before is completed", () => {
    const world = begun(staged);
    const board = () => [...world.state.nodes.values()].map(({ planned, stage }) => [planned, stage]);
    expect(board()).toEqual([
      ["facts", "s1"],
      ["counter", "s1"],
    ]);
    world.tell({ type: "stage.complete", assessment: "good" }, "coordinator");
    expect(board().at(-1)).toEqual(["text", "s2"]);
    expect(world.state.stages.get("s2")).toMatchObject({ name: "Write", contract: { policy: "any" } });
    world.tell({ type: "stage.complete", assessment: "good" }, "coordinator");
    expect(world.state.stages.size).toBe(2);
  });

  test("a node is shown what it names of others, and waits for it", () => {
    const world = begun({
      ...written,
      nodes: [node("facts", { worker: "Ada" }), node("text", { refs: { table: "facts/t.csv" }, model: "a/b" })],
    });
    expect(world.state.nodes.get("n2-the-text")).toMatchObject({
      refs: { table: "n1-the-facts/t.csv" },
      depends_on: ["n1-the-facts"],
      model: "a/b",
      status: "pending",
    });
  });

  test("says who thinks for its coordinator, and who somebody is", () => {
    const workers = [{ name: "Ada", role: "looks", soul: "You doubt." }];
    const world = begun({ workers, coordinator: { model: "a/strong", prompt: "Be brief." } });
    expect(world.state.participants.get("coordinator")).toMatchObject({ model: "a/strong" });
    expect(world.state.participants.get("ada")).toMatchObject({ soul: "You doubt." });
  });

  test("where nobody leads, its stages follow each other by themselves, each when the one before has ended", () => {
    const [facts, counter] = staged.nodes;
    const world = begun({ ...staged, nodes: [facts!, counter!, node("text", { stage: "Write" })], lead: false });
    const board = () => [...world.state.nodes.values()].map(({ planned, status }) => `${planned} ${status}`);
    expect(board()).toEqual(["facts assigned", "counter assigned"]);
    world.tell({ type: "node.cancel", node: "n1-the-facts", reason: "no need" });
    expect(world.state.stages.size).toBe(1);
    world.tell({ type: "node.cancel", node: "n2-the-counter", reason: "no need" });
    expect(world.state.stages.get("s1")).toMatchObject({
      status: "completed",
      assessment: "nobody leads this run; completed: none",
    });
    expect(world.state.stages.get("s2")).toMatchObject({ status: "running", name: "Write" });
    expect(board().at(-1)).toBe("text assigned");
  });

  test("is the coordinator's from then on: what it cancels or retires stays so", () => {
    const world = begun(staged);
    world.tell({ type: "node.cancel", node: "n2-the-counter", reason: "no need" }, "coordinator");
    world.tell({ type: "node.cancel", node: "n1-the-facts", reason: "no need" }, "coordinator");
    world.tell({ type: "worker.retire", worker: "ada" }, "coordinator");
    expect(world.state.nodes.size).toBe(2);
    expect(world.state.participants.size).toBe(4);
  });

  test("whose run was finished before its last stage does not begin it when a word opens the run again", () => {
    const world = begun(staged);
    world.tell({ type: "stage.complete", assessment: "enough" }, "coordinator");
    const next = begun(staged);
    next.tell({ type: "run.finish", summary: "done" }, "coordinator");
    next.tell({ type: "message.post", from: "human", text: "one more thing" });
    next.tell({ type: "stage.complete", assessment: "enough" }, "coordinator");
    expect([world.state.stages.size, next.state.stages.size]).toEqual([2, 1]);
  });

  test("somebody who has the name already is the worker of that name", () => {
    const { world, create } = made();
    world.tell({ ...create, start: false } as CommandInput);
    for (const fact of world.decide({ type: "run.start" })) world.append(fact);
    world.tell({ type: "worker.spawn", name: "ADA" });
    expect([...world.state.participants.values()].map(({ name }) => name)).toEqual([
      "Human",
      "Coordinator",
      "ADA",
      "Ben",
    ]);
    expect(world.state.nodes.get("n1-the-facts")).toMatchObject({ worker: "ada" });
  });

  test("what a limit that came later refuses is brought in when there is room", () => {
    const { log } = begun();
    const less = start({ workers_per_run: 1 });
    less.log = log.slice(0, 2);
    less.state = fold(emptyState(), less.log);
    less.settle();
    expect([...less.state.participants.keys()].slice(2)).toEqual(["ada"]);
    less.tell({ type: "node.cancel", node: "n1-the-facts", reason: "room" }, "coordinator");
    less.tell({ type: "worker.retire", worker: "ada" }, "coordinator");
    expect([...less.state.participants.keys()].slice(2)).toEqual(["ada", "ben"]);
  });
});

test.each([
  ["workers.ada: ada collides with Ada", { ...written, workers: [...written.workers, { name: "ada", role: "" }] }],
  ["workers.Human: Human is a reserved name", { ...written, workers: [{ name: "Human", role: "" }] }],
  ["nodes.1.id: facts is listed twice", { ...written, nodes: [node("facts"), node("facts")] }],
  [
    "nodes.0.worker: Cleo is not a worker of this team; workers: Ada, Ben",
    { ...written, nodes: [node("a", { worker: "Cleo" })] },
  ],
  [
    "nodes.1.depends_on: there is no node c above it; nodes: a",
    { ...written, nodes: [node("a"), node("b", { depends_on: ["c"] }), node("c")] },
  ],
  ["nodes.0.refs: there is no node x above it", { ...written, nodes: [node("a", { refs: { y: "x/f.md" } })] }],
  ["coordinator: nobody leads this team", { ...written, lead: false, coordinator: { model: "a/b" } }],
  ["nodes.0.stage: Look is not a stage; this team has none", { ...written, nodes: [node("a", { stage: "Look" })] }],
  [
    "nodes.0.stage: in a team with stages every node must name one; stages: Look, Write",
    { ...staged, nodes: [node("a")] },
  ],
  ["nodes.0.stage: Sing is not a stage of this team", { ...staged, nodes: [node("a", { stage: "Sing" })] }],
  [
    "nodes.1.stage: Look comes before the stage of the node above it",
    { ...staged, nodes: [node("a", { stage: "Write" }), node("b", { stage: "Look" })] },
  ],
  ["stages.1: no node belongs to the stage Write", { ...staged, nodes: [node("a", { stage: "Look" })] }],
  [
    'triggers.0: no event type matches "mesage.received"; use a pattern such as node.*',
    { ...written, triggers: [{ schedule: { type: "on_event", pattern: "mesage.received" }, text: "x" }] },
  ],
  ["stages.1: the stage LOOK is listed twice", { ...staged, stages: [{ name: "Look" }, { name: "LOOK" }] }],
] as [string, Written][])("a team is refused before there is an agent: %s", (message, team) => {
  const { world, create } = made(team);
  expect(world.refused(create)).toContain(`invalid: team.${message}`);
});

test("a team that is more than a run may have is refused with both numbers", () => {
  const { world, create } = made(written, { workers_per_run: 1 });
  expect(world.refused(create)).toBe("limit_reached: the team has 2 workers; a run may have 1");
});

test("declared triggers are set once, wake who they name, and stay cancelled", () => {
  const triggers = [{ schedule: { type: "heartbeat" as const, interval_seconds: 60 }, to: "Rae", text: "look" }];
  const world = leaderless({ triggers, on_idle: "stay" });
  expect(world.all("trigger.created").map(({ data }) => [data.key, data.action])).toEqual([
    ["workflow/1", { type: "send_message", to: "rae", text: "look" }],
  ]);
  world.restart();
  world.tell({ type: "trigger.cancel", trigger: "t1" });
  world.restart();
  expect(world.all("trigger.created")).toHaveLength(1);
});
