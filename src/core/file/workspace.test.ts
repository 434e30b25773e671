import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { start, type World } from "../core.test-help.ts";
import { isSettled, isUnsaved, savedOf } from "./workspace.ts";

const [base, one, two] = ["a", "b", "c"].map((letter) => letter.repeat(40)) as [string, string, string];
const kept = { files: 1, added: 1, removed: 0, left_out: [], more_left_out: 0 };

function based() {
  const world = start();
  world.tell({ type: "workspace.base", kind: "repository", base, branch: "main" });
  const node = world.node();
  return { ...world, world, node };
}

test("a run has one base, whoever finds it first", () => {
  const { world } = based();
  expect(world.tell({ type: "workspace.base", kind: "folder", base: one, branch: null })).toEqual([]);
  expect(world.state.workspace).toEqual({ kind: "repository", base, branch: "main", integration: null, handovers: [] });
});

test("a checkout is opened once, and what is saved of it is told when it is another version", () => {
  const { world, node } = based();
  world.tell({ type: "workspace.open", workspace: node, from: base });
  expect(world.tell({ type: "workspace.open", workspace: node, from: one })).toEqual([]);
  expect(world.tell({ type: "workspace.keep", workspace: node, version: one, ...kept })).toHaveLength(1);
  expect(world.tell({ type: "workspace.keep", workspace: node, version: one, ...kept })).toEqual([]);
  const left_out = [{ path: "huge", why: "it is too large" }];
  expect(world.tell({ type: "workspace.keep", workspace: node, version: one, ...kept, left_out })).toHaveLength(1);
  expect(world.state.workspaces.get(node)).toMatchObject({ from: base, kept: { version: one, left_out } });
});

test("nothing is opened, saved or merged before there is something to work on", () => {
  const world = start();
  const node = world.node();
  expect(world.refused({ type: "workspace.open", workspace: node, from: base })).toContain("works on no repository");
  world.tell({ type: "workspace.base", kind: "repository", base, branch: null });
  expect(world.refused({ type: "workspace.keep", workspace: node, version: one, ...kept })).toContain(
    "has not worked on",
  );
  const merge = { type: "workspace.merge" as const, workspace: node, commit: one, integration: one, onto: base };
  expect(world.refused(merge)).toContain("has not worked on");
});

test("the integration branch moves only from where whoever merges has seen it", () => {
  const { world, node } = based();
  world.tell({ type: "workspace.open", workspace: node, from: base });
  const merge = { type: "workspace.merge" as const, workspace: node, commit: one, integration: one, onto: base };
  world.tell(merge);
  expect(world.state.workspace?.integration).toBe(one);
  expect(world.state.workspaces.get(node)?.merged).toEqual({ commit: one, integration: one });
  expect(world.refused({ ...merge, integration: two })).toMatch(/^stale: /);
  world.tell({ ...merge, integration: two, onto: one });
  expect(world.state.workspace?.integration).toBe(two);
});

test("a node that continues or resolves another waits for it", () => {
  const { world, node } = based();
  const next = world.node({ base: node });
  const solver = world.node({ resolves: node });
  const fresh = world.node({ base: "base", workspace: "scratch" });
  const needs = (id: string) => world.state.nodes.get(id)?.depends_on;
  expect([needs(next), needs(solver), needs(fresh)]).toEqual([[node], [node], []]);
});

test("what a node changed is told with its result, and the next run starts without any of it", () => {
  const { world, node } = based();
  const change = { base, commit: one, branch: "agiraph/x/n1", files: [], added: 0, removed: 0 };
  world.tell({ type: "node.assign", node, worker: "alice" });
  world.begin("alice");
  world.tell({ type: "node.publish", node, summary: "s", files: [], change }, "alice");
  expect(world.state.nodes.get(node)).toMatchObject({ status: "completed", change });
  world.tell({ type: "workspace.hand_over", as: "branch", commit: one, into: "work" });
  expect(world.state.workspace?.handovers).toMatchObject([{ as: "branch", into: "work" }]);
  world.append({ type: "run.started", data: { run: "r2", goal: "Again" } });
  expect([world.state.workspace, world.state.workspaces.size]).toEqual([null, 0]);
});

describe("what was done in a workspace, and what is saved of it", () => {
  const saved = (workspace: string, version: string, upto: number): CommandInput & { type: "workspace.keep" } => ({
    ...{ type: "workspace.keep", workspace, version, upto },
    ...{ files: 1, left_out: [], more_left_out: 0, scratch: true },
  });
  const call = (world: World, more: object = {}) => {
    const of = world.answer("alice", ["bash"]);
    world.tell({ type: "tool.start", ...of, call: "c1" }, "alice");
    const during = world.state.seq;
    const ended = { type: "tool.end" as const, ...of, call: "c1", outcome: "ok" as const, result: "done", ...more };
    return { during, end: () => world.tell(ended, "alice") };
  };
  function working() {
    const world = start();
    const node = world.node();
    world.tell({ type: "node.assign", node, worker: "alice" });
    return { world, node };
  }

  test("a plain scratch is saved without a base, beside the checkouts, and not twice as the same", () => {
    const { world, node } = working();
    expect(world.tell(saved(node, one, 1))).toHaveLength(1);
    expect(world.tell(saved(node, one, 2))).toEqual([]);
    expect(world.tell(saved("r1", two, 2))).toHaveLength(1);
    expect([...world.state.scratches.keys()]).toEqual([node, "r1"]);
    expect(world.state.workspaces.size).toBe(0);
    expect(savedOf(world.state, node)).toMatchObject({ version: one, upto: 1 });
    expect(world.refused(saved("n9", one, 1))).toContain("n9");
    world.append({ type: "run.started", data: { run: "r2", goal: "Again" } });
    expect([world.state.scratches.size, world.state.worked.size]).toEqual([0, 0]);
  });

  test("a worker without a node works in its own scratch, also with a call that is under way when it is given a node", () => {
    const world = start();
    const write = () => world.tell({ type: "message.post", to: "alice", text: "Look." });
    write();
    call(world, { touched: true }).end();
    expect(isUnsaved(world.state, "worker-alice")).toBe(true);
    expect(world.tell(saved("worker-alice", one, world.state.seq))).toHaveLength(1);
    expect(isUnsaved(world.state, "worker-alice")).toBe(false);
    expect([...world.state.scratches.keys()]).toEqual(["worker-alice"]);
    expect(world.refused(saved("worker-nobody", one, 1))).toContain("nobody");

    world.tell({ type: "turn.end", turn: "alice.1", participant: "alice" }, "alice");
    write();
    const { end } = call(world, { touched: true });
    expect(isSettled(world.state, "worker-alice", world.state.seq)).toBe(false);
    const node = world.node({ worker: "alice" });
    world.tell({ type: "node.assign", node, worker: "alice" });
    end();
    expect([isUnsaved(world.state, "worker-alice"), isUnsaved(world.state, node)]).toEqual([true, true]);
  });

  test("what a worker without a node did when it was retired is looked at once more", () => {
    const world = start();
    world.tell({ type: "message.post", to: "alice", text: "Look." });
    call(world);
    world.tell({ type: "worker.retire", worker: "alice", reason: "done" });
    expect(isUnsaved(world.state, "worker-alice")).toBe(true);
  });

  test("a call that touched it leaves it unsaved until a version has what it did; others do not", () => {
    const { world, node } = working();
    call(world).end();
    expect(isUnsaved(world.state, node)).toBe(false);
    world.tell({ type: "turn.end", turn: "alice.1", participant: "alice" }, "alice");
    call(world, { touched: true }).end();
    expect(isUnsaved(world.state, node)).toBe(true);
    world.tell(saved(node, one, world.state.seq - 1));
    expect(isUnsaved(world.state, node)).toBe(true);
    world.tell(saved(node, two, world.state.seq));
    expect(isUnsaved(world.state, node)).toBe(false);
  });

  test("a call whose outcome nobody knows may have touched it, and so may whoever was interrupted", () => {
    const { world, node } = working();
    call(world, { outcome: "unknown" }).end();
    expect(isUnsaved(world.state, node)).toBe(true);
    world.tell(saved(node, one, world.state.seq));
    world.tell({ type: "node.cancel", node, reason: "no more" });
    expect(isUnsaved(world.state, node)).toBe(true);
  });

  test("what a call did counts for the node that it was made for, also if that ended meanwhile", () => {
    const { world, node } = working();
    const { end } = call(world, { touched: true });
    world.tell({ type: "node.cancel", node, reason: "no more" });
    world.tell(saved(node, one, world.state.seq));
    expect(isUnsaved(world.state, node)).toBe(false);
    end();
    expect(isUnsaved(world.state, node)).toBe(true);
  });

  test("what was done when the agent was archived is saved", () => {
    const world = start();
    const node = world.node({ worker: "alice" });
    world.begin("alice");
    world.tell({ type: "agent.archive" });
    expect(isUnsaved(world.state, node)).toBe(true);
    world.tell({
      type: "workspace.keep",
      workspace: node,
      version: one,
      ...kept,
      scratch: true,
      upto: world.state.seq,
    });
    expect(isUnsaved(world.state, node)).toBe(false);
  });

  test("what is published is looked at once more: the runtime may have written something for it", () => {
    const { world, node } = working();
    call(world).end();
    world.tell({ type: "node.publish", node, summary: "s", files: [] }, "alice");
    expect(isUnsaved(world.state, node)).toBe(true);
  });

  test("it is settled if nobody has worked in it since, and nobody does", () => {
    const { world, node } = working();
    const { during, end } = call(world, { touched: true });
    expect(isSettled(world.state, node, during)).toBe(false);
    end();
    expect(isSettled(world.state, node, during)).toBe(false);
    expect(isSettled(world.state, node, world.state.seq)).toBe(true);
    expect(isSettled(world.state, "r1", 0)).toBe(true);
  });

  test("a turn of a program counts as work from its beginning to its end", () => {
    const { world } = working();
    const spawn = { type: "worker.spawn", name: "Pia", role: "", kind: "autonomous", model: "command:make" } as const;
    world.tell(spawn, "coordinator");
    const node = world.node({ worker: "pia" });
    expect(isSettled(world.state, node, world.state.seq)).toBe(true);
    const of = world.begin("pia");
    expect(isSettled(world.state, node, world.state.seq)).toBe(true);
    world.tell({ type: "turn.resume", ...of }, "system");
    expect(isSettled(world.state, node, world.state.seq)).toBe(false);
    world.tell({ type: "turn.answer", ...of, text: "ok", calls: [], cost: { usd: 0, tokens: 0 } }, "pia");
    expect(isUnsaved(world.state, node)).toBe(true);
  });

  test("whoever works in it is told that it was restored, and it counts as that copy from then on", () => {
    const { world, node } = working();
    world.tell({ ...saved(node, one, 1), copy: "c1" });
    const restored = { workspace: node, version: one, files: 22, paths: ["a.md", "b.md"] };
    world.tell({ type: "workspace.restore", ...restored, why: "elsewhere", copy: "c2" }, "system");
    expect(savedOf(world.state, node)).toMatchObject({ version: one, copy: "c2" });
    const mail = world.thinker("alice").unread.at(-1);
    expect(mail).toMatchObject({ from: "system", kind: "nudge" });
    expect(mail?.text).toContain("as they were saved last: a.md, b.md and 20 more.");
    expect(world.thinker("bob").unread).toEqual([]);
  });
});
