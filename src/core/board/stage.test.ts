import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { start, type World } from "../core.test-help.ts";

const reason = { code: "x", message: "broken", next_mover: "coordinator" };
const stage = (more: object = {}): CommandInput => ({ type: "stage.start", name: "research", ...more });

/** A stage of so many nodes. `end` ends one of them; the board moves on when its turn comes. */
function staged(policy: string, nodes: number): World & { end(index: number, how: "done" | "failed"): void } {
  const world = start();
  world.tell(stage({ policy }));
  const ids = Array.from({ length: nodes }, () => world.node());
  return Object.assign(world, {
    end(index: number, how: "done" | "failed") {
      const id = ids[index]!;
      if (how === "failed") return void world.tell({ type: "node.fail", node: id, reason });
      const node = world.state.nodes.get(id)!;
      if (node.status !== "assigned") throw new Error(`${id} is ${node.status}`);
      world.turn(node.worker, "work");
      world.tell({ type: "node.publish", node: id, summary: "s", files: [] }, node.worker);
    },
  });
}

describe("a stage", () => {
  test("runs under its contract, and its nodes take their limits from it", () => {
    const { tell, node, state } = start();
    tell(stage({ policy: "any", max_turns: 3, timeout_seconds: 5 }));
    expect(state.stages.get("s1")).toEqual({
      id: "s1",
      name: "research",
      status: "running",
      contract: { policy: "any", max_turns: 3, timeout_seconds: 5 },
      started_at: "2026-01-01T00:00:00.000Z",
    });
    expect(state.nodes.get(node())).toMatchObject({ stage: "s1", max_turns: 3, timeout_seconds: 5 });
    expect(state.nodes.get(node({ max_turns: 9 }))).toMatchObject({ max_turns: 9 });
  });

  test("has 20 turns a node, 600 s and policy all unless said otherwise", () => {
    const { tell, state } = start();
    tell(stage());
    expect(state.stages.get("s1")?.contract).toEqual({ policy: "all", max_turns: 20, timeout_seconds: 600 });
  });

  test.each([
    ["all_must_complete", "all"],
    ["majority_must_complete", "majority"],
    ["any_completes", "any"],
  ])("understands the longer name %s", (policy, meant) => {
    const { tell, state } = start();
    tell(stage({ policy }));
    expect(state.stages.get("s1")?.contract.policy).toBe(meant);
  });

  test("is the only open one", () => {
    const { tell, refused, state } = start();
    tell(stage());
    expect(refused(stage({ name: "next" }))).toBe(
      "wrong_state: s1 (research) is running; complete it before the next stage",
    );
    tell({ type: "stage.complete", assessment: "good" });
    tell(stage({ name: "next" }));
    expect([...state.stages.values()].map(({ id, status }) => `${id} ${status}`)).toEqual([
      "s1 completed",
      "s2 running",
    ]);
  });

  test("needs an open run, and a run has so many", () => {
    const few = start({ stages_per_run: 1 });
    few.tell(stage());
    few.tell({ type: "stage.complete", assessment: "good" });
    expect(few.refused(stage())).toBe("limit_reached: this run has used up its 1 stages");
    few.tell({ type: "run.finish", summary: "s" });
    expect(few.refused(stage())).toMatch(/^wrong_state: chips is completed;/);
    expect(few.refused({ type: "stage.complete", assessment: "x" })).toMatch(/^wrong_state: chips is completed;/);
  });

  test.each([
    [{ policy: "most" }, /^invalid: stage.start: policy: /],
    [{ policy: "__proto__" }, /^invalid: stage.start: policy: /],
    [{ max_turns: 0 }, /^invalid: stage.start: max_turns: /],
    [{ timeout_seconds: 0 }, /^invalid: stage.start: timeout_seconds: /],
    [{ name: "" }, /^invalid: stage.start: name: /],
  ])("refuses %j", (given, said) => {
    expect(start().refused(stage(given))).toMatch(said);
  });

  test("is completed with an assessment, by hand also while it runs", () => {
    const { tell, refused, state } = start();
    expect(refused({ type: "stage.complete", assessment: "x" })).toBe("wrong_state: no stage is open; start one first");
    tell(stage());
    tell({ type: "stage.complete", assessment: "enough" });
    expect(state.stages.get("s1")).toMatchObject({
      status: "completed",
      assessment: "enough",
      ended_at: "2026-01-01T00:00:00.000Z",
    });
    expect(refused({ type: "stage.complete", assessment: "x" })).toBe("wrong_state: no stage is open; start one first");
  });

  test("without nodes does not end by itself", () => {
    const { tell, state } = start();
    tell(stage({ policy: "any" }));
    tell({ type: "message.post", text: "hi" });
    expect(state.stages.get("s1")?.status).toBe("running");
  });

  test("that is completed stays so whatever events follow", () => {
    const { tell, append, state } = start();
    tell(stage());
    tell({ type: "stage.complete", assessment: "good" });
    const before = state.stages.get("s1");
    append({ type: "stage.reconvened", data: { stage: "s1", completed: [], open: [] } });
    append({ type: "stage.completed", data: { stage: "s1", assessment: "bad" } });
    append({ type: "stage.completed", data: { stage: "s9", assessment: "bad" } });
    expect(state.stages.get("s1")).toBe(before);
    expect(state.stages.size).toBe(1);
  });
});

describe("a stage reconvenes", () => {
  test.each([
    ["all", 2, ["done"], false],
    ["all", 2, ["done", "done"], true],
    ["all", 2, ["done", "failed"], true],
    ["all", 2, ["failed", "failed"], true],
    ["majority", 2, ["done"], false],
    ["majority", 2, ["done", "done"], true],
    ["majority", 3, ["done", "done"], true],
    ["majority", 3, ["done", "failed"], false],
    ["majority", 4, ["done", "done"], false],
    ["majority", 3, ["done", "failed", "failed"], true],
    ["any", 3, ["failed"], false],
    ["any", 3, ["failed", "done"], true],
    ["any", 3, ["done"], true],
    ["any", 2, ["failed", "failed"], true],
  ] as const)("with policy %s of %i nodes after %j: %s", (policy, nodes, ends, expected) => {
    const world = staged(policy, nodes);
    ends.forEach((how, index) => {
      world.end(index, how);
    });
    expect(world.state.stages.get("s1")?.status).toBe(expected ? "reconvening" : "running");
  });

  test("says what is completed and what is open, and tells the coordinator", () => {
    const world = staged("any", 3);
    world.end(0, "failed");
    world.end(1, "done");
    expect(world.all("stage.reconvened").map(({ data }) => data)).toEqual([
      { stage: "s1", completed: ["n2-do-it"], open: ["n3-do-it"] },
    ]);
    expect(world.state.stages.get("s1")).toMatchObject({
      status: "reconvening",
      completed: ["n2-do-it"],
      since: "2026-01-01T00:00:00.000Z",
    });
    expect(world.thinker("coordinator").unread.at(-1)).toMatchObject({
      from: "system",
      kind: "stage",
      text: expect.stringMatching(
        /^s1 reconvenes; completed: n2-do-it\n- n1-do-it is failed: .+\n- n2-do-it is completed, claimed by .+\n {2}no files\n- n3-do-it is /,
      ),
    });
  });

  test("once: what ends later changes nothing about it", () => {
    const world = staged("any", 3);
    world.end(0, "done");
    world.end(1, "done");
    expect(world.all("stage.reconvened")).toHaveLength(1);
    expect(world.state.stages.get("s1")).toMatchObject({ completed: ["n1-do-it"] });
    world.append({ type: "stage.reconvened", data: { stage: "s1", completed: [], open: [] } });
    expect(world.state.stages.get("s1")).toMatchObject({ completed: ["n1-do-it"] });
    world.tell({ type: "stage.complete", assessment: "good" });
    expect(world.state.stages.get("s1")?.status).toBe("completed");
  });

  test("by its own nodes only", () => {
    const { tell, node, turn, state, all } = start();
    const before = node({ worker: "alice" });
    tell(stage({ policy: "any" }));
    const mine = node({ worker: "bob" });
    turn("alice", "work");
    tell({ type: "node.publish", node: before, summary: "s", files: [] }, "alice");
    expect(state.stages.get("s1")?.status).toBe("running");
    turn("bob", "work");
    tell({ type: "node.publish", node: mine, summary: "s", files: [] }, "bob");
    expect(all("stage.reconvened").map(({ data }) => data.completed)).toEqual([[mine]]);
  });

  test("when no node can move any more: a failure does not hang it", () => {
    const { tell, node, all, state } = start();
    tell(stage({ policy: "all" }));
    const first = node();
    const second = node({ depends_on: [first] });
    const third = node({ depends_on: [second] });
    tell({ type: "node.fail", node: first, reason });
    expect(state.stages.get("s1")?.status).toBe("reconvening");
    expect(all("stage.reconvened")[0]?.data).toEqual({ stage: "s1", completed: [], open: [second, third] });
  });

  test("not while a node waits for one outside that still can end", () => {
    const { tell, node, state } = start();
    const outside = node();
    tell(stage({ policy: "all" }));
    node({ depends_on: [outside] });
    tell({ type: "message.post", text: "hi" });
    expect(state.stages.get("s1")?.status).toBe("running");
    tell({ type: "node.cancel", node: outside, reason: "no" });
    expect(state.stages.get("s1")?.status).toBe("reconvening");
  });

  test("after a restart if the crash came before it was recorded", () => {
    const world = staged("any", 2);
    world.end(0, "done");
    const after = world.log.length - world.log.findIndex((event) => event.type === "stage.reconvened");
    world.restart(after);
    expect(world.state.stages.get("s1")?.status).toBe("reconvening");
  });
});
