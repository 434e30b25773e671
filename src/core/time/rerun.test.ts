import { describe, expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";

/** A trigger that brings up the node in a second. */
function timed(world: World, node: string): void {
  world.tell({
    type: "trigger.create",
    schedule: { type: "delayed", delay_seconds: 1 },
    action: { type: "run_node", node },
  });
}
function fire(world: World, node: string) {
  timed(world, node);
  world.now += 1_000;
  return world.tick();
}
const told = (world: World) => world.thinker("coordinator").unread.slice(1);

function published(world: World, given: object = {}): string {
  const id = world.node({ task: "Count it\nall", acceptance: "a number", max_turns: 7, worker: "alice", ...given });
  world.turn("alice", "work");
  world.tell({ type: "node.publish", node: id, summary: "s", files: [] }, "alice");
  world.tell({ type: "inbox.ack", participant: "coordinator", upto: world.state.seq });
  return id;
}

describe("it is time for a node", () => {
  test("that is completed: it is created again from its spec and begins, and the coordinator is not woken", () => {
    const world = start();
    const first = published(world);
    const events = fire(world, first);
    expect(events.map(({ type }) => type)).toEqual([
      "trigger.fired",
      "trigger.expired",
      "node.created",
      "node.assigned",
    ]);
    expect(world.state.nodes.get("n2-count-it")).toMatchObject({
      status: "assigned",
      worker: "alice",
      task: "Count it\nall",
      acceptance: "a number",
      max_turns: 7,
      again: first,
      creator: "coordinator",
    });
    expect(world.thinker("coordinator").unread).toEqual([]);
    expect(world.state.reruns).toEqual([]);
  });

  test.each(["node.fail", "node.cancel"] as const)("that ended with %s: it is created again", (type) => {
    const world = start();
    const first = world.node();
    const reason = { code: "x", message: "x", next_mover: "coordinator" };
    world.tell(type === "node.fail" ? { type, node: first, reason } : { type, node: first, reason: "x" });
    fire(world, first);
    expect(world.state.nodes.get("n2-do-it")).toMatchObject({ status: "assigned", again: first });
  });

  test("that is under way, or whose repetition is: it is left alone", () => {
    const world = start();
    const first = published(world);
    fire(world, first);
    fire(world, first);
    expect(world.state.nodes.size).toBe(2);
    fire(world, "n2-count-it");
    expect(world.state.nodes.size).toBe(2);
    world.turn("alice", "work");
    world.tell({ type: "node.publish", node: "n2-count-it", summary: "s", files: [] }, "alice");
    fire(world, first);
    expect(world.state.nodes.get("n3-count-it")).toMatchObject({ again: first });
  });

  test("that is pending and ready: it is begun as soon as someone is free, and nobody is told", () => {
    const world = start();
    world.node({ worker: "alice" });
    const wanted = world.node({ worker: "alice" });
    fire(world, wanted);
    expect(told(world)).toEqual([]);
    expect(world.state.nodes.size).toBe(2);
  });

  test.each([
    [
      "waits for others",
      (world: World) => world.node({ depends_on: [world.node()] }),
      /^It is time for n2-.*, but it waits for n1-/,
    ],
    [
      "has nobody to do it",
      (world: World) => {
        for (const worker of ["alice", "bob"]) world.tell({ type: "worker.retire", worker });
        return world.node();
      },
      /there is no worker who could do it\. Spawn one\.$/,
    ],
  ])("that %s: the coordinator is told", (_what, make, said) => {
    const world = start();
    fire(world, make(world));
    expect(told(world).at(-1)).toMatchObject({ kind: "fire", from: "system" });
    expect(told(world).at(-1)?.text).toMatch(said);
  });

  test("of an earlier run: the coordinator is told", () => {
    const world = start();
    timed(world, published(world));
    world.tell({ type: "run.finish", summary: "s" });
    world.tell({ type: "run.start" });
    world.now += 1_000;
    world.tick();
    expect(told(world).at(-1)?.text).toMatch(/^It is time for n1-count-it, which is not on the board of this run\./);
  });

  test("that finds the board full: the coordinator is told, once, and nothing is tried for ever", () => {
    const world = start({ nodes_per_run: 1 });
    fire(world, published(world));
    expect(world.all("trigger.failed")).toHaveLength(1);
    expect(world.thinker("coordinator").unread.at(-1)?.text).toMatch(
      /^It is time for n1-count-it again, but this run may/,
    );
    expect(world.state.reruns).toEqual([]);
  });

  test("is made good if a crash kept only the fire, and done once", () => {
    const world = start();
    const first = published(world);
    const events = fire(world, first);
    world.restart(events.length - 1);
    expect(world.all("node.created")).toHaveLength(2);
    world.restart();
    expect(world.all("node.created")).toHaveLength(2);
  });
});

test("a fire while the agent is paused brings its node up when it is resumed, with the parent that is still alive", () => {
  const world = start();
  const parent = world.node({ name: "whole" });
  const part = world.node({ name: "part", parent, worker: "bob" });
  world.tell({ type: "node.cancel", node: part, reason: "r" });
  timed(world, part);
  world.tell({ type: "agent.pause" });
  world.now += 1_000;
  expect(world.tick()).toEqual([]);
  world.append({ type: "trigger.fired", data: { trigger: "t1", fire: "t1@now" } });
  world.settle();
  expect(world.state.nodes.size).toBe(2);
  world.tell({ type: "agent.resume" });
  expect([...world.state.nodes.values()].at(-1)).toMatchObject({ again: part, parent });
  const again = [...world.state.nodes.keys()].at(-1)!;
  world.tell({ type: "node.cancel", node: again, reason: "r" });
  world.tell({ type: "node.cancel", node: parent, reason: "r" });
  fire(world, part);
  expect([...world.state.nodes.values()].at(-1)).toMatchObject({ again: part });
  expect([...world.state.nodes.values()].at(-1)).not.toHaveProperty("parent", parent);
});
