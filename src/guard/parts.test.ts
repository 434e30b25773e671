import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { start as startCore, type World } from "../core/core.test-help.ts";
import { emptyState } from "../core/state.ts";
import { estimateTokens } from "../lib/text/tokens.ts";
import { tools } from "../tool/index.ts";
import { defineTool, shapeOf, type Tool } from "../toolkit/tool.ts";
import { assemble, frame, type Sources, tokensOf } from "./context.ts";
import * as prompts from "./prompts/index.ts";

const sources: Sources = {
  soul: "  Calm.  ",
  goal: "Know all chips",
  memory: "It rains.",
  skills: "cooking",
  spec: "Do it well",
  refs: "n0/a.md",
  files: "a.md",
  withheld: "",
};
const none: Sources = { soul: " ", goal: "", memory: "", skills: "\n", spec: "", refs: "", files: "", withheld: "" };
const own = tools.slice(0, 2);
const listed = (tools: readonly Tool[]) => ({ tools, further: [] });
const shown = (world: World, who: string, given = sources) =>
  frame(world.state, world.thinker(who), listed(own), given);
const names = (world: World, who: string, given = sources) => Object.keys(shown(world, who, given).bill);

/** One of each kind, each with a node. */
function team() {
  const world = startCore();
  const spawn = { type: "worker.spawn", role: "looks\nand writes" } as const;
  world.tell({ ...spawn, name: "Once", single_inference: true }, "coordinator");
  world.tell({ ...spawn, name: "Prog", kind: "autonomous", agent_command: "run it" }, "coordinator");
  for (const worker of ["alice", "once", "prog"]) world.node({ name: worker, worker });
  return world;
}

describe("the parts that are shown", () => {
  const ways = ["voices", "mastery", "runbook", "errors", "tools"];
  test("to a coordinator", () => {
    const all = ["rules", "mode", ...ways, "manners", "soul", "goal", "skills", "memory", "team", "files", "refs"];
    expect(names(team(), "coordinator")).toEqual([...all, "schemas"]);
    const { system } = shown(team(), "coordinator");
    expect(system).toContain(prompts.finite);
    expect(system).toContain("# Who you are\nCalm.\n\n# Your goal\nKnow all chips\n\n# Skills");
    expect(system).toContain("# The team\n- Alice\n- Bob\n- Once: looks\n- Prog: looks\n\n");
    expect(system).toMatch(/^You are chips, an agent/);
  });

  test("to a worker", () => {
    const all = ["rules", ...ways, "manners", "goal", "skills", "memory", "team", "node", "files", "refs"];
    expect(names(team(), "alice")).toEqual([...all, "schemas"]);
    const { system } = shown(team(), "alice");
    expect(system).toContain("# What the whole team works for\nKnow all chips");
    expect(system).toContain("# The team\n- Coordinator\n- Bob\n");
    expect(system).toContain("# Your node n1-alice\nDo it well");
  });

  test("to who is asked once, and to a program", () => {
    expect(names(team(), "once")).toEqual(["rules", "memory", "node", "refs", "schemas"]);
    expect(names(team(), "prog")).toEqual(["rules", "goal", "memory", "team", "node", "refs", "schemas"]);
    expect(shown(team(), "once").system).toBe(
      [
        prompts.fill(prompts.single, { name: "Once", role: ": looks\nand writes" }),
        "# What you remember\nIt rains.",
        "# Your task\nDo it well",
      ].join("\n\n"),
    );
    // What others wrote is not the system's.
    for (const one of ["coordinator", "alice", "once", "prog"]) {
      expect(shown(team(), one).data).toBe("# What others published for you\nn0/a.md");
      expect(shown(team(), one).system).not.toContain("n0/a.md");
    }
    expect(shown(team(), "prog").system).toContain(
      prompts.fill(prompts.autonomous, { name: "Prog", role: ": looks\nand writes" }),
    );
  });

  test("are those that have something to say", () => {
    const without = ways.filter((name) => name !== "runbook");
    expect(names(team(), "alice", none)).toEqual(["rules", ...without, "manners", "goal", "team", "schemas"]);
    for (const goal of ["", " \n"])
      expect(shown(team(), "alice", { ...none, goal }).system).toContain("# What the whole team works for\nKnow chips");
  });

  test("are with a team for each of two workers", () => {
    expect(names(startCore(), "alice")).toEqual(expect.arrayContaining(["team", "manners"]));
  });

  test("are without a team when there is nobody else, or everybody else is retired", () => {
    const world = startCore();
    for (const worker of ["alice", "bob"]) world.tell({ type: "worker.retire", worker, reason: "-" }, "coordinator");
    expect(names(world, "coordinator")).not.toContain("team");
    expect(names(world, "coordinator")).not.toContain("manners");
    const two = startCore();
    two.tell({ type: "worker.retire", worker: "bob", reason: "-" }, "coordinator");
    expect(names(two, "coordinator")).toEqual(expect.arrayContaining(["team", "manners"]));
    expect(names(two, "alice")).not.toContain("team");
    expect(names(two, "alice")).not.toContain("manners");
  });

  test("to who has no role, no node and no published file are without them", () => {
    const world = startCore();
    for (const more of [{ single_inference: true }, { kind: "autonomous", agent_command: "run it" } as const])
      world.tell({ type: "worker.spawn", name: "kind" in more ? "Prog" : "Once", ...more }, "coordinator");
    const given = { ...sources, refs: "" };
    expect(shown(world, "alice", given).system).toContain(prompts.fill(prompts.worker, { name: "Alice", role: "" }));
    expect(names(world, "alice", given)).not.toContain("node");
    expect(shown(world, "once", given).system).toBe(
      `${prompts.fill(prompts.single, { name: "Once", role: "" })}\n\n# What you remember\nIt rains.`,
    );
    const program = shown(world, "prog", given);
    expect(program.system).toContain(prompts.fill(prompts.autonomous, { name: "Prog", role: "" }));
    expect(Object.keys(program.bill)).toEqual(["rules", "goal", "memory", "team", "schemas"]);
    expect(program.system).toContain("# The team\n- Coordinator\n- Alice\n- Bob\n- Once");
  });

  test("to a coordinator tell of nodes and stages that were written down only if there are any", () => {
    const world = Object.assign(startCore(), { state: emptyState(), log: [] });
    const team = { workers: ["Ann", "Bea"].map((name) => ({ name, role: "" })), nodes: [], stages: [] };
    world.tell({ type: "agent.create", agent: "chips", goal: "Watch", model: "m", team });
    expect(shown(world, "coordinator").system).toContain(
      `# The declared team\n${prompts.fill(prompts.workflow, {
        from: "Your human",
        workers: "Ann, Bea",
        nodes: "",
        stages: "",
      })}`,
    );
    expect(names(world, "coordinator")).toContain("workflow");
    expect(names(world, "ann")).not.toContain("workflow");
  });

  test("are told of an agent without end, its folder, and a run with a goal of its own", () => {
    const world = Object.assign(startCore(), { state: emptyState(), log: [] });
    const create = { type: "agent.create", agent: "chips", goal: "Watch", model: "m" } as const;
    world.tell({ ...create, mode: "infinite", folder: "/data" });
    expect(shown(world, "coordinator").system).toContain(prompts.infinite);
    expect(shown(world, "coordinator").system).toContain(prompts.fill(prompts.project, { folder: "/data" }));
    const why = "It is the whole disk.";
    const refused = shown(world, "coordinator", { ...sources, withheld: why }).system;
    expect(refused).toContain(prompts.fill(prompts.withheld, { folder: "/data", why }));
    expect(refused).not.toContain(prompts.fill(prompts.project, { folder: "/data" }));
    expect(names(world, "coordinator")).toContain("project");
    world.tell({ type: "worker.spawn", name: "Prog", kind: "autonomous", agent_command: "run it" }, "coordinator");
    expect(names(world, "prog")).toEqual(["rules", "goal", "project", "memory", "team", "refs", "schemas"]);
    expect(shown(world, "coordinator", none).system).toContain("# Your goal\nWatch");
    world.tell({ type: "run.finish", summary: "s" });
    world.tell({ type: "run.start", goal: "Look twice" });
    expect(shown(world, "coordinator").system).toContain("# Your goal\nKnow all chips\n\nIn this run: Look twice");
  });

  test("are counted one by one", () => {
    const { bill, system, data } = shown(team(), "once");
    expect(bill.memory).toBe(estimateTokens("# What you remember\nIt rains."));
    const sum = Object.entries(bill).reduce((all, [name, tokens]) => (name === "schemas" ? all : all + tokens!), 0);
    expect(Math.abs(sum - estimateTokens(`${system}\n\n${data}`))).toBeLessThan(10);
    expect(bill.schemas).toBe(estimateTokens(JSON.stringify(own.map(shapeOf))));
    const fresh = ["one", "two"].map((name) =>
      defineTool({
        name,
        about: `was never counted before: ${randomUUID()}`,
        guidance: `use ${name}`,
        effect: "reads",
        repeatable: true,
        input: z.object({}),
        run: async () => "",
      }),
    );
    const first = frame(team().state, team().thinker("alice"), listed(fresh), sources);
    expect(first.bill.schemas).toBe(estimateTokens(JSON.stringify(fresh.map(shapeOf))));
    expect(first.system).toContain("# Your tools\n## one\nuse one\n\n## two\nuse two\n\n");
    expect(frame(team().state, team().thinker("alice"), listed(fresh), sources)).toEqual(first);
    const asked = { state: team().state, one: team().thinker("once"), now: 0 };
    const whole = assemble(shown(team(), "once"), asked);
    expect(whole.bill).toEqual({ ...bill, conversation: 0, note: estimateTokens(whole.request.note!) });
  });
});

describe("the note of the moment", () => {
  const note = (world: World, who: string) =>
    assemble(shown(world, who), { state: world.state, one: world.thinker(who), now: world.now }).request.note;

  test("says the time, the turn of the node and what is spent", () => {
    const world = team();
    expect(note(world, "coordinator")).toBe("It is 2026-01-01T00:00 UTC.");
    expect(note(world, "alice")).toBe("It is 2026-01-01T00:00 UTC. This is turn 1 of 20 for n1-alice.");
    for (let n = 0; n < 2; n++) world.turn("alice", `look-${n}`);
    world.begin("alice");
    expect(note(world, "alice")).toContain("This is turn 3 of 20 for n1-alice.");
    world.tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: 5 } });
    expect(note(world, "coordinator")).toBe("It is 2026-01-01T00:00 UTC. Spent so far: $0.00 of $5.00.");
    world.answer("coordinator", [], { usd: 0.5, tokens: 1 });
    expect(note(world, "coordinator")).toContain("Spent so far: $0.50 of $5.00.");
    world.tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 2 } });
    expect(note(world, "coordinator")).toContain("Spent so far: $0.50 of $2.00.");
    world.tell({ type: "run.finish", summary: "s" });
    world.tell({ type: "run.start", goal: "Look twice" });
    expect(note(world, "coordinator")).toContain("Spent so far: $0.50 of $5.00.");
    world.tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 2 } });
    expect(note(world, "coordinator")).toContain("Spent so far: $0.00 of $2.00.");
  });

  test("says what is to be written down, that the conversation was shortened, and that an answer was cut off", () => {
    const world = team();
    for (let n = 0; n < 4; n++) world.turn("coordinator", `look-${n}`);
    const full = { type: "context.fill", participant: "coordinator", why: "window", tokens: 8, window: 10 } as const;
    world.tell(full, "coordinator");
    expect(note(world, "coordinator")).toContain(prompts.flush);
    world.turn("coordinator", "write");
    expect(note(world, "coordinator")).not.toContain(prompts.flush);
    const shortened = prompts.fill(prompts.shortened, { turns: 2 });
    expect(note(world, "coordinator")).toContain(shortened);
    world.turn("coordinator", "look");
    expect(note(world, "coordinator")).toContain(shortened);
    world.turn("coordinator", "look");
    expect(note(world, "coordinator")).not.toContain(shortened);
    const of = world.begin("coordinator");
    world.tell(
      { type: "turn.answer", ...of, text: "and so", calls: [], stop: "length", cost: { usd: 0, tokens: 0 } },
      "coordinator",
    );
    expect(note(world, "coordinator")).toContain(prompts.cut);
  });
});

describe("after a refusal as too large", () => {
  const full = { type: "context.fill", participant: "coordinator", why: "overflow", tokens: 8, window: 10 } as const;
  const lines = (world: World) =>
    assemble(shown(world, "coordinator"), { state: world.state, one: world.thinker("coordinator"), now: world.now })
      .request.lines;

  test("only as much of the end of a conversation is shown as fits, half of it with each try, and it begins with no result", () => {
    for (let turns = 8; turns < 20; turns++) {
      const world = team();
      for (let n = 0; n < turns; n++) {
        const of = world.answer("coordinator", ["look"]);
        const result = "x".repeat((n * 379) % 1_000);
        world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result }, "coordinator");
        world.tell({ type: "turn.end", ...of }, "coordinator");
      }
      const all = [...lines(world)];
      world.begin("coordinator");
      for (const tries of [1, 2]) {
        world.tell(full, "coordinator");
        const most = tokensOf(all) / 2 ** tries;
        const from = all.findIndex((line, at) => line.role !== "tool" && tokensOf(all.slice(at)) <= most);
        expect(from).toBeGreaterThan(0);
        expect(lines(world)).toEqual(all.slice(from));
      }
    }
  });

  test("the last line is shown, however long it is", () => {
    const world = team();
    world.turn("coordinator", "look");
    world.tell({ type: "message.post", text: "x".repeat(10_000) });
    world.begin("coordinator");
    world.tell(full, "coordinator");
    expect(lines(world)).toMatchObject([{ role: "inbox", entries: [{ text: "x".repeat(10_000) }] }]);
  });
});

test("tokens of a conversation are those of its lines, however often it was counted and whatever became of it since", () => {
  const world = team();
  for (let n = 0; n < 6; n++) world.turn("coordinator", `look-${n}`);
  const { conversation } = world.thinker("coordinator");
  const lines = [...conversation];
  const sum = () => lines.reduce((all, line) => all + estimateTokens(JSON.stringify(line)), 0);
  expect(tokensOf(lines)).toBe(sum());
  lines.push(lines[0]!);
  expect(tokensOf(lines)).toBe(sum());
  lines.length = 3;
  expect(tokensOf(lines)).toBe(sum());
  lines.shift();
  expect(tokensOf(lines)).toBe(sum());
  lines.shift();
  lines.push(conversation[4]!, conversation[5]!);
  expect(tokensOf(lines)).toBe(sum());
  lines.unshift(conversation[6]!);
  expect(tokensOf(lines)).toBe(sum());
  expect(tokensOf([])).toBe(0);
});
