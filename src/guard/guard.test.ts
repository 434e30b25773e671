import { expect, test } from "vitest";
import { start, type World } from "../core/core.test-help.ts";
import type { Thinker } from "../schema/worker.ts";
import { tools as allTools } from "../tool/index.ts";
import type { Tool } from "../toolkit/tool.ts";
import { createGuard, type Shelf } from "./guard.ts";

/** A guard of one participant, with what it read from the shelf since it was last looked at. */
function guarded(world: World, me: () => Thinker | undefined, tools: () => readonly Tool[] = () => noTools) {
  let reads: string[] = [];
  const text = (name: string) => async () => {
    reads.push(name);
    return `the ${name}`;
  };
  const of = (name: string) => async (id: string) => await text(`${name} ${id}`)();
  const shelf: Shelf = {
    soul: text("soul"),
    goal: text("goal"),
    memory: text("memory"),
    skills: text("skills"),
    files: text("files"),
    spec: of("spec"),
    refs: of("refs"),
    outputs: of("outputs"),
    withheld: "",
  };
  const guard = createGuard({ shelf, state: () => world.state, me, tools });
  const load = async () => {
    await guard.load();
    const found = reads;
    reads = [];
    return found;
  };
  return { guard, load, system: () => guard.request(world.now).request.system };
}

const noTools: Tool[] = [];
const someTools: readonly Tool[] = allTools.slice(0, 1);
const always = ["soul", "goal", "memory", "skills"];

test("the files are read once, and again when something may have changed behind our back", async () => {
  const world = start();
  const { guard, load } = guarded(world, () => world.thinker("coordinator"));
  expect(guard.isLoaded()).toBe(false);
  expect(await load()).toEqual(always);
  expect(guard.isLoaded()).toBe(true);
  expect(await load()).toEqual([]);
  guard.stale();
  expect(guard.isLoaded()).toBe(false);
  expect(await load()).toEqual(always);
});

test("another node, another try of it, a shortened conversation and another run are read for", async () => {
  const world = start();
  const { guard, load, system } = guarded(world, () => world.thinker("alice"));
  expect(await load()).toEqual(always);
  const node = world.node({ name: "a", worker: "alice" });
  expect(guard.isLoaded()).toBe(false);
  expect(await load()).toEqual([...always, `spec ${node}`, `refs ${node}`]);
  expect(system()).toContain(`# Your node ${node}\nthe spec ${node}`);
  world.turn("alice", "look");
  expect(await load()).toEqual([]);
  world.append({
    type: "node.retried",
    data: { node, model: "m2", reason: { code: "x", message: "m", next_mover: "n" } },
  });
  world.settle();
  expect(await load()).toEqual([...always, `spec ${node}`, `refs ${node}`]);
  world.append({ type: "context.shortened", data: { participant: "alice", lines: 0, turns: 0 } });
  expect(await load()).toEqual([...always, `spec ${node}`, `refs ${node}`, "files"]);
  expect(system()).toContain("# Your own files\nthe files");
  const run = guarded(world, () => world.thinker("coordinator"));
  await run.load();
  world.tell({ type: "run.finish", summary: "s" }, "coordinator");
  world.tell({ type: "run.start" });
  expect(await run.load()).toEqual(always);
});

test("the coordinator that comes together for a stage is shown what it brought; its workers are not", async () => {
  const world = start();
  const coordinator = guarded(world, () => world.thinker("coordinator"));
  const bob = guarded(world, () => world.thinker("bob"));
  await Promise.all([coordinator.load(), bob.load()]);
  world.tell({ type: "stage.start", name: "one" }, "coordinator");
  const node = world.node({ name: "a", worker: "alice" });
  expect(await coordinator.load()).toEqual([]);
  world.tell({ type: "node.cancel", node, reason: "r" }, "coordinator");
  expect([...world.state.stages.values()].at(-1)?.status).toBe("reconvening");
  expect(await coordinator.load()).toEqual([...always, "outputs s1"]);
  expect(await bob.load()).toEqual([]);
});

test("what is shown stays the same text until the files, the tools or the team change", async () => {
  const world = start();
  let tools: readonly Tool[] = noTools;
  const { guard, load, system } = guarded(
    world,
    () => world.thinker("coordinator"),
    () => tools,
  );
  const shapes = () => guard.request(world.now).request.tools;
  await load();
  const before = shapes();
  world.tell({ type: "message.post", text: "hi" });
  expect(shapes()).toBe(before);
  tools = someTools;
  expect(shapes()).not.toBe(before);
  const again = shapes();
  expect(system()).toContain("- Bob");
  world.tell({ type: "worker.retire", worker: "bob", reason: "-" }, "coordinator");
  expect(shapes()).not.toBe(again);
  expect(system()).not.toContain("- Bob");
  const third = shapes();
  guard.stale();
  await load();
  expect(shapes()).not.toBe(third);
});

test("before anything was read there are no texts, and when nobody is there nothing is shown", async () => {
  const world = start();
  const early = guarded(world, () => world.thinker("coordinator"));
  expect(early.system()).not.toContain("the memory");
  const gone = guarded(world, () => undefined);
  expect(await gone.load()).toEqual(always);
  expect(() => gone.guard.request(world.now)).toThrow("there is no participant to build a context for");
});
