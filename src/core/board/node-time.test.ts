import { describe, expect, test } from "vitest";
import type { NodeId } from "../../schema/ids.ts";
import { start, type World } from "../core.test-help.ts";
import { appointments } from "../decide.ts";

/** A node that alice is at. */
function running(world: World): NodeId {
  const id = world.node({ worker: "alice" });
  world.turn("alice", "work");
  return id;
}

describe("the turns of a node", () => {
  test("are limited: it fails once the last one has ended without publishing", () => {
    const { node, turn, answer, tell, state } = start();
    const id = node({ worker: "alice", max_turns: 2 });
    turn("alice", "work");
    const of = answer("alice", ["work"]);
    tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "done" }, "alice");
    expect(state.nodes.get(id)?.status).toBe("running");
    tell({ type: "turn.end", ...of }, "alice");
    expect(state.nodes.get(id)).toMatchObject({
      status: "failed",
      turns: 2,
      reason: {
        code: "limit.turns",
        message: `${id} used its 2 turns without publishing`,
        next_mover: "coordinator",
      },
    });
  });

  test("also hold for a node that waits", () => {
    const { node, turn, state } = start();
    const id = node({ worker: "alice", max_turns: 1 });
    turn("alice", "wait", { wait: { for: "mail" } });
    expect(state.nodes.get(id)).toMatchObject({ status: "failed", reason: { code: "limit.turns" } });
  });
});

describe("the time of a node", () => {
  test("runs out after its start, with the worker named in the reason", () => {
    const world = start({ seconds_per_node: 60 });
    const id = running(world);
    expect(appointments(world.state)).toEqual([
      {
        at: "2026-01-01T00:01:00.000Z",
        command: {
          type: "node.fail",
          node: id,
          reason: { code: "limit.time", message: `${id} ran longer than 60 s`, next_mover: "coordinator" },
        },
      },
    ]);
    world.now += 60_000;
    world.tick();
    expect(world.state.nodes.get(id)).toMatchObject({ status: "failed", reason: { code: "limit.time" } });
  });

  test("does not run before the node starts", () => {
    const world = start();
    world.node();
    expect(appointments(world.state)).toEqual([]);
  });

  test("stands still while the node waits: a late answer finds it alive", () => {
    const world = start({ seconds_per_node: 60 });
    const { tell, node, turn, state, tick } = world;
    const id = node({ worker: "alice" });
    world.now += 10_000;
    tell({ type: "question.ask", by: "alice", text: "Which?" }, "alice");
    turn("alice", "ask", { wait: { for: "question", question: "q1" } });
    expect(state.nodes.get(id)).toMatchObject({
      status: "waiting",
      on: { for: "question", question: "q1" },
      since: "2026-01-01T00:00:10.000Z",
    });
    world.now += 3_600_000;
    expect(tick()).toEqual([]);
    tell({ type: "question.answer", answer: "this" });
    turn("alice", "work");
    expect(tick()).toEqual([]);
    expect(state.nodes.get(id)).toMatchObject({ status: "running" });
    world.now += 59_999;
    expect(tick()).toEqual([]);
    world.now += 1;
    tick();
    expect(state.nodes.get(id)).toMatchObject({ status: "failed", reason: { code: "limit.time" } });
  });

  test("stands still while the agent is paused, except for a turn under way", () => {
    const paused = start({ seconds_per_node: 60 });
    const late = running(paused);
    paused.now += 10_000;
    paused.tell({ type: "agent.pause" });
    paused.now += 3_600_000;
    expect(paused.tick()).toEqual([]);
    paused.tell({ type: "agent.resume" });
    expect(paused.tick()).toEqual([]);
    paused.now += 49_999;
    expect(paused.tick()).toEqual([]);
    paused.now += 1;
    paused.tick();
    expect(paused.state.nodes.get(late)).toMatchObject({ status: "failed", reason: { code: "limit.time" } });
    const world = start({ seconds_per_node: 60 });
    const id = world.node({ worker: "alice" });
    world.answer("alice", ["work"]);
    world.tell({ type: "agent.pause" });
    world.now += 60_000;
    world.tick();
    expect(world.state.nodes.get(id)).toMatchObject({ status: "failed", reason: { code: "limit.time" } });
  });

  test("counts a turn that goes on over a pause", () => {
    const world = start({ seconds_per_node: 60 });
    world.node({ worker: "alice" });
    world.answer("alice", ["work"]);
    world.tell({ type: "agent.pause" });
    world.now += 30_000;
    world.tell({ type: "agent.resume" });
    expect(appointments(world.state)[0]?.at).toBe("2026-01-01T00:01:00.000Z");
  });

  test("never moves back with a clock that does", () => {
    const world = start({ seconds_per_node: 60 });
    const id = world.node({ worker: "alice" });
    world.turn("alice", "wait", { wait: { for: "mail" } });
    world.now -= 3_600_000;
    world.tell({ type: "message.post", to: "alice", text: "hi" });
    world.turn("alice", "work");
    expect(world.state.nodes.get(id)).toMatchObject({ started_at: "2026-01-01T00:00:00.000Z" });
  });

  test("may be longer than any calendar", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "for ever", timeout_seconds: 1e300 });
    running(world);
    expect(appointments(world.state)[0]?.at).toBe("9999-12-31T23:59:59.999Z");
  });
});
