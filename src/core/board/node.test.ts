import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import type { NodeId } from "../../schema/ids.ts";
import { start, t0, type World } from "../core.test-help.ts";
import { canonical } from "../state.ts";
import { ready } from "./node.ts";

const reason = { code: "x", message: "broken", next_mover: "coordinator" };
const publish = (node: NodeId): CommandInput => ({ type: "node.publish", node, summary: "made it", files: [] });
const fail = (node: NodeId): CommandInput => ({ type: "node.fail", node, reason });
const cancel = (node: NodeId): CommandInput => ({ type: "node.cancel", node, reason: "not needed" });

/** A node that alice is at. */
function running(world: World): NodeId {
  const id = world.node({ worker: "alice" });
  world.turn("alice", "work");
  return id;
}

/** A node in each state that is final. */
const ends: [status: string, end: (world: World) => NodeId][] = [
  [
    "completed",
    (world) => {
      const id = running(world);
      world.tell(publish(id), "alice");
      return id;
    },
  ],
  [
    "failed",
    (world) => {
      const id = running(world);
      world.tell(fail(id), "alice");
      return id;
    },
  ],
  [
    "cancelled",
    (world) => {
      const id = world.node({ depends_on: [world.node({ worker: "bob" })] });
      world.tell(cancel(id), "coordinator");
      return id;
    },
  ],
];

describe("creating a node", () => {
  test("gives it a readable id, the limits of the config and its creator", () => {
    const { tell, state } = start();
    tell({ type: "agent.pause" });
    tell({ type: "node.create", task: "NVIDIA: research!\nin depth" }, "alice");
    expect(state.nodes.get("n1-nvidia-research")).toEqual({
      id: "n1-nvidia-research",
      name: "NVIDIA: research!",
      task: "NVIDIA: research!\nin depth",
      depends_on: [],
      refs: {},
      creator: "alice",
      depth: 0,
      turns: 0,
      max_turns: 20,
      timeout_seconds: 600,
      status: "pending",
      created_at: "2026-01-01T00:00:00.000Z",
    });
  });

  test("takes name, acceptance, parent and its own number of turns", () => {
    const { node, state } = start();
    const parent = node();
    const child = node({ name: "Write-up", acceptance: "two pages", parent, max_turns: 3 });
    expect(child).toBe("n2-write-up");
    expect(state.nodes.get(child)).toMatchObject({ acceptance: "two pages", parent, depth: 1, max_turns: 3 });
  });

  test("makes the sources of its refs dependencies, each once", () => {
    const { node, state } = start();
    const [one, two] = [node(), node()];
    const id = node({ depends_on: [one, one], refs: { a: `${one}/report.md`, b: two } });
    expect(state.nodes.get(id)?.depends_on).toEqual([one, two]);
  });

  test.each([
    [{ depends_on: ["n9"] }, "not_found: there is no node n9; nodes: n1-do-it"],
    [{ refs: { a: "n9/x" } }, "not_found: there is no node n9; nodes: n1-do-it"],
    [{ depends_on: ["n2-do-it"] }, "not_found: there is no node n2-do-it; nodes: n1-do-it"],
    [{ parent: "n9" }, "not_found: there is no node n9; nodes: n1-do-it"],
    [{ worker: "carol" }, 'not_found: there is no participant "carol"; participants: Human, Coordinator, Alice, Bob'],
    [{ worker: "human" }, "invalid: Human is the human, not a worker"],
    [{ worker: "Coordinator" }, "invalid: Coordinator is the coordinator, not a worker"],
  ])("with %j names what is not there", (given, said) => {
    const { node, refused } = start();
    node();
    expect(refused({ type: "node.create", task: "x", ...given })).toBe(said);
  });

  test.each([
    [{ task: "" }, /^invalid: node.create: task: /],
    [{ task: "x".repeat(100_001) }, /^invalid: node.create: task: /],
    [{ task: "x", depends_on: ["../n1"] }, /^invalid: node.create: depends_on.0: /],
    [{ task: "x", depends_on: ["__proto__"] }, /^invalid: node.create: depends_on.0: /],
    [{ task: "x", refs: { a: "n1/../../etc/passwd\0" } }, /^invalid: node.create: refs.a: NODE or NODE\/FILE/],
    [{ task: "x", max_turns: 0 }, /^invalid: node.create: max_turns: /],
    [{}, /^invalid: node.create: task: /],
  ])("refuses bad input and names the field (%#)", (given, said) => {
    expect(start().refused({ type: "node.create", ...given })).toMatch(said);
  });

  test("wants no retired worker", () => {
    const { tell, refused } = start();
    tell({ type: "worker.retire", worker: "bob" });
    expect(refused({ type: "node.create", task: "x", worker: "BOB" })).toBe(
      "wrong_state: Bob is retired; choose another worker or spawn one",
    );
  });

  test("needs an open run", () => {
    const { tell, refused } = start();
    tell({ type: "run.finish", summary: "done" });
    expect(refused({ type: "node.create", task: "x" })).toBe(
      "wrong_state: chips is completed; this command needs it to be active or paused or stopped",
    );
  });

  test("stays within depth, live and total nodes", () => {
    const raise = "finish or cancel nodes, or raise the limit in the config";
    const deep = start({ spawn_depth: 2 });
    const child = deep.node({ parent: deep.node() });
    expect(deep.refused({ type: "node.create", task: "x", parent: child })).toBe(
      `limit_reached: this run may have nodes 2 levels deep (limit 2); ${raise}`,
    );
    const crowded = start({ live_nodes: 2 });
    const first = crowded.node();
    crowded.node();
    expect(crowded.refused({ type: "node.create", task: "x" })).toBe(
      `limit_reached: this run may have 2 live nodes (limit 2); ${raise}`,
    );
    crowded.tell(cancel(first));
    crowded.node();
    const long = start({ nodes_per_run: 2 });
    long.tell(cancel(long.node()));
    long.node();
    expect(long.refused({ type: "node.create", task: "x" })).toBe(
      `limit_reached: this run may have 2 nodes in all (limit 2); ${raise}`,
    );
  });
});

describe("a node is ready", () => {
  test("once everything it depends on is completed", () => {
    const world = start();
    const first = running(world);
    const second = world.node({ depends_on: [first] });
    expect(ready(world.state)).toEqual([]);
    world.tell({ type: "agent.pause" });
    world.tell(publish(first), "alice");
    expect(ready(world.state).map((node) => node.id)).toEqual([second]);
  });

  test("never, behind a failed or cancelled one", () => {
    for (const end of [fail, cancel]) {
      const world = start();
      const first = running(world);
      const second = world.node({ depends_on: [first] });
      world.tell(end(first));
      expect(ready(world.state)).toEqual([]);
      expect(world.state.nodes.get(second)?.status).toBe("pending");
    }
  });
});

describe("assigning", () => {
  test("gives ready nodes to idle workers by itself, oldest first, one each", () => {
    const { tell, node, state, all } = start();
    tell({ type: "agent.pause" });
    const ids = [node(), node(), node()];
    tell({ type: "agent.resume" });
    expect(all("node.assigned").map(({ data }) => data)).toEqual([
      { node: ids[0], worker: "alice" },
      { node: ids[1], worker: "bob" },
    ]);
    expect(state.nodes.get(ids[2]!)?.status).toBe("pending");
    expect(state.nodes.get(ids[0]!)).toMatchObject({ status: "assigned", worker: "alice" });
  });

  test("leaves a node to the worker it wants", () => {
    const { node, state } = start();
    const first = node({ worker: "Bob" });
    const second = node({ worker: "bob" });
    expect(state.nodes.get(first)).toMatchObject({ status: "assigned", worker: "bob" });
    expect(state.nodes.get(second)?.status).toBe("pending");
    expect(state.participants.get("alice")).toMatchObject({ node: undefined });
  });

  test("does not wait for a worker that was retired meanwhile", () => {
    const { tell, node, state } = start();
    tell({ type: "agent.pause" });
    const id = node({ worker: "bob" });
    tell({ type: "worker.retire", worker: "bob" });
    tell({ type: "agent.resume" });
    expect(state.nodes.get(id)).toMatchObject({ status: "assigned", worker: "alice" });
  });

  test("passes over who is in a turn, waits or is retired", () => {
    const world = start();
    const { tell, begin, turn, node, state } = world;
    tell({ type: "message.post", to: ["alice", "bob"], text: "hi" });
    begin("alice");
    turn("bob", "wait", { wait: { for: "mail" } });
    tell({ type: "worker.spawn", name: "Carol" });
    tell({ type: "worker.retire", worker: "carol" });
    const id = node();
    expect(state.nodes.get(id)?.status).toBe("pending");
    tell({ type: "message.post", to: "bob", text: "wake up" });
    expect(state.nodes.get(id)).toMatchObject({ status: "assigned", worker: "bob" });
  });

  test("can be done by hand, and doing it again changes nothing", () => {
    const { tell, node, state } = start();
    tell({ type: "agent.pause" });
    const id = node();
    expect(tell({ type: "node.assign", node: id, worker: "@BOB" })).toHaveLength(1);
    expect(state.nodes.get(id)).toMatchObject({ status: "assigned", worker: "bob" });
    expect(tell({ type: "node.assign", node: id, worker: "Bob" })).toEqual([]);
  });

  test("says why it is not possible", () => {
    const world = start();
    const { tell, node, refused } = world;
    tell({ type: "agent.pause" });
    const [first, second] = [node(), node()];
    const third = node({ depends_on: [first, second] });
    tell({ type: "node.assign", node: first, worker: "alice" });
    const assign = (id: string, worker: string) => refused({ type: "node.assign", node: id, worker });
    expect(assign("n9", "bob")).toBe(`not_found: there is no node n9; nodes: ${first}, ${second}, ${third}`);
    expect(assign(second, "carol")).toMatch(/^not_found: there is no participant "carol"/);
    expect(assign(second, "coordinator")).toBe("invalid: Coordinator is the coordinator, not a worker");
    expect(assign(first, "bob")).toBe(`wrong_state: ${first} is assigned; only a pending node can be assigned`);
    expect(assign(second, "alice")).toBe(`wrong_state: Alice is busy with ${first}; a worker holds one node at a time`);
    expect(assign(third, "bob")).toBe(
      `wrong_state: ${third} waits for ${first}, ${second}; it can be assigned when they are completed`,
    );
    tell({ type: "worker.retire", worker: "bob" });
    expect(assign(second, "bob")).toBe("wrong_state: Bob is retired and cannot take a node");
  });

  test("reaches the worker also when it created the node itself", () => {
    const { node, thinker, turn } = start();
    const id = node({ worker: "alice" }, "alice");
    expect(thinker("alice").unread.map(({ kind, text }) => ({ kind, text }))).toEqual([
      { kind: "assigned", text: `${id}: Do it` },
    ]);
    turn("alice", "work");
  });
});

test("a node starts with the first turn of its worker, and each turn is counted", () => {
  const { node, begin, state, all, log } = start();
  const id = node({ worker: "alice" });
  const before = log.length;
  begin("alice");
  expect(log.slice(before).map((event) => event.type)).toEqual(["node.started", "turn.started"]);
  expect(state.nodes.get(id)).toMatchObject({ status: "running", worker: "alice", turns: 1 });
  expect(state.nodes.get(id)).toMatchObject({ started_at: "2026-01-01T00:00:00.000Z" });
  expect(all("turn.started").at(-1)?.data.node).toBe(id);
  expect(all("node.started")).toHaveLength(1);
});

describe("publishing", () => {
  test("is final: worker, files and summary are kept and the worker is free", () => {
    const world = start();
    const id = running(world);
    const files = [{ path: "report.md", size: 3, sha256: "a".repeat(64) }];
    world.tell({ ...publish(id), files, partial: true } as CommandInput, "alice");
    expect(world.state.nodes.get(id)).toMatchObject({
      status: "completed",
      worker: "alice",
      summary: "made it",
      partial: true,
      files,
      started_at: "2026-01-01T00:00:00.000Z",
      ended_at: "2026-01-01T00:00:00.000Z",
    });
    expect(world.thinker("alice")).toMatchObject({ node: undefined, done: [id], next: "rest" });
  });

  test("is for the worker that holds the node, while it runs", () => {
    const { node, turn, refused } = start();
    const id = node({ worker: "alice" });
    expect(refused(publish("n9"), "alice")).toBe(`not_found: there is no node n9; nodes: ${id}`);
    expect(refused(publish(id), "alice")).toBe(`wrong_state: ${id} is assigned; only a running node can be published`);
    turn("alice", "work");
    for (const actor of ["bob", "coordinator", "human"])
      expect(refused(publish(id), actor)).toBe(`forbidden: ${id} belongs to alice; ${actor} cannot publish it`);
  });

  test("a waiting node is not published", () => {
    const { node, turn, refused } = start();
    const id = node({ worker: "alice" });
    turn("alice", "wait", { wait: { for: "mail" } });
    expect(refused(publish(id), "alice")).toBe(`wrong_state: ${id} is waiting; only a running node can be published`);
  });
});

describe.each(ends)("a node that is %s", (status, end) => {
  test("stays so whatever is wanted", () => {
    const world = start();
    const id = end(world);
    expect(world.state.nodes.get(id)?.status).toBe(status);
    expect(world.refused(publish(id), "alice")).toBe(
      `wrong_state: ${id} is ${status}; only a running node can be published`,
    );
    expect(world.refused(fail(id), "alice")).toBe(`wrong_state: ${id} is already ${status}`);
    expect(world.refused({ type: "node.assign", node: id, worker: "bob" })).toBe(
      `wrong_state: ${id} is ${status}; only a pending node can be assigned`,
    );
    if (status === "cancelled") expect(world.tell(cancel(id))).toEqual([]);
    else expect(world.refused(cancel(id))).toBe(`wrong_state: ${id} is already ${status}`);
  });

  test("stays so whatever events follow", () => {
    const world = start();
    const id = end(world);
    const node = world.state.nodes.get(id);
    const nobody = { node: id, worker: "nobody" };
    world.append({ type: "node.assigned", data: nobody });
    world.append({ type: "node.started", data: nobody });
    world.append({ type: "node.completed", data: { ...nobody, summary: "again", partial: false, files: [] } });
    world.append({ type: "node.failed", data: { node: id, reason } });
    world.append({ type: "node.cancelled", data: { node: id, reason } });
    expect(world.state.nodes.get(id)).toBe(node);
  });
});

test("an event that does not fit a node's state changes nothing on the board", () => {
  const { node, append, state } = start();
  const id = node({ worker: "alice" });
  const before = state.nodes.get(id);
  append({ type: "node.assigned", data: { node: id, worker: "nobody" } });
  append({ type: "node.completed", data: { node: id, worker: "alice", summary: "s", partial: false, files: [] } });
  expect(state.nodes.get(id)).toBe(before);
  append({ type: "node.started", data: { node: "n9", worker: "alice" } });
  expect(state.nodes.size).toBe(1);
});

test("a node that was not assigned, or runs already, is not started by an event", () => {
  const world = start();
  const id = running(world);
  const pending = world.node({ depends_on: [id] });
  const before = [world.state.nodes.get(id), world.state.nodes.get(pending)];
  world.now += 1_000;
  for (const node of [id, pending]) world.append({ type: "node.started", data: { node, worker: "alice" } });
  expect([world.state.nodes.get(id), world.state.nodes.get(pending)]).toEqual(before);
});

describe("failing and cancelling", () => {
  test("frees the worker, keeps the reason and adds nothing to what it has done", () => {
    for (const [end, status] of [
      [fail, "failed"],
      [cancel, "cancelled"],
    ] as const) {
      const world = start();
      const id = running(world);
      world.tell(end(id), "coordinator");
      expect(world.state.nodes.get(id)).toMatchObject({ status, worker: "alice", turns: 1 });
      expect(world.thinker("alice")).toMatchObject({ node: undefined, done: [], next: "rest", wait: undefined });
    }
  });

  test("a node is cancelled by its creator, the coordinator or the human", () => {
    const { tell, node, refused, state } = start();
    const id = node({}, "alice");
    expect(refused(cancel(id), "bob")).toBe(
      `forbidden: ${id} was created by alice; only its creator, the coordinator or the human can cancel it`,
    );
    tell(cancel(id), "alice");
    expect(state.nodes.get(id)).toMatchObject({
      status: "cancelled",
      reason: { code: "cancelled", message: "not needed", next_mover: "coordinator" },
    });
    for (const actor of ["coordinator", "human"]) tell(cancel(node({}, "alice")), actor);
    expect([...state.nodes.values()].map((one) => one.status)).toEqual(["cancelled", "cancelled", "cancelled"]);
  });

  test("an unknown node is named", () => {
    const { refused } = start();
    expect(refused(fail("n1"))).toBe("not_found: there is no node n1; nodes: none");
    expect(refused(cancel("n1"))).toBe("not_found: there is no node n1; nodes: none");
  });

  test("gives up the call of the worker that was at it", () => {
    const { tell, node, begin, thinker, all } = start();
    const id = node({ worker: "alice" });
    begin("alice", { usd: 1, tokens: 1 });
    tell(cancel(id));
    expect(thinker("alice").turn).toBeUndefined();
    expect(all("turn.failed")[0]?.data.reason.message).toBe(`${id} is cancelled`);
  });

  test("leaves a call alone that is for something else", () => {
    const { tell, node, begin, thinker } = start();
    tell({ type: "message.post", to: "alice", text: "hi" });
    begin("alice");
    tell(cancel(node({ worker: "bob" })));
    expect(thinker("alice").turn?.id).toBe("alice.1");
  });
});

test("a node waits with its worker and runs again with the worker's next turn", () => {
  const { tell, node, turn, begin, state } = start();
  const id = node({ worker: "alice" });
  turn("alice", "wait", { wait: { for: "mail" } });
  expect(state.nodes.get(id)?.status).toBe("waiting");
  tell({ type: "message.post", to: "alice", text: "hi" });
  expect(state.nodes.get(id)?.status).toBe("waiting");
  begin("alice");
  expect(state.nodes.get(id)).toMatchObject({ status: "running", turns: 2 });
  expect(state.nodes.get(id)).not.toHaveProperty("on");
  expect(state.nodes.get(id)).not.toHaveProperty("since");
});

test("what was handed out stays true: nodes are replaced, never edited", () => {
  const world = start();
  const id = world.node({ worker: "alice" });
  const before = world.state.nodes.get(id);
  const text = JSON.stringify(before);
  world.turn("alice", "work");
  expect(JSON.stringify(before)).toBe(text);
  expect(world.state.nodes.get(id)).not.toBe(before);
});

test("a board of many layers is folded and settled at once", () => {
  const world = start({ nodes_per_run: 400, live_nodes: 400 });
  let layer: string[] = [];
  for (let depth = 0; depth < 100; depth++) layer = [0, 1].map(() => world.node({ depends_on: layer }));
  world.tell({ type: "message.post", to: "bob", text: "hi" });
  world.turn("coordinator", "wait", { wait: { for: "nodes", nodes: layer } });
  expect(world.thinker("coordinator").wait).toBeDefined();
  world.tell(cancel("n1-do-it"));
  expect(world.thinker("coordinator")).toMatchObject({ wait: undefined, next: "continue" });
  expect(canonical(world.state).length).toBeGreaterThan(1000);
  expect(t0).toBe(world.now);
});

test("a node that waits is not given to who is retired, and once it is given to someone not to another", () => {
  const world = start();
  for (const worker of ["alice", "bob"]) world.node({ name: worker, worker });
  const node = world.node({ name: "x" });
  world.tell({ type: "worker.spawn", name: "Carol" }, "coordinator");
  world.tell({ type: "agent.pause" });
  const next = world.node({ name: "y" });
  world.tell({ type: "worker.spawn", name: "Dave" }, "coordinator");
  world.tell({ type: "worker.retire", worker: "dave", reason: "-" }, "coordinator");
  const want = (id: string, worker: string) => ({ type: "node.want", node: id, worker }) as const;
  expect(world.refused(want(next, "dave"), "coordinator")).toBe("wrong_state: Dave is retired and cannot take a node");
  expect(world.refused(want(node, "bob"), "coordinator")).toMatch(/^wrong_state: n3-x is assigned; only a pending/);
  expect(world.tell(want(next, "bob"), "coordinator").map(({ type }) => type)).toEqual(["node.wanted"]);
  expect(world.tell(want(next, "bob"), "coordinator")).toEqual([]);
  expect(world.state.nodes.get(next)).toMatchObject({ wanted_worker: "bob" });
});

test("a hundred suggestions may be open; one more is refused until one is decided", () => {
  const world = start();
  const make = { type: "suggestion.make", by: "alice", text: "Look there" } as const;
  for (let n = 0; n < 100; n++) world.tell(make, "alice");
  expect(world.refused(make, "alice")).toMatch(/^limit_reached: 100 suggestions are open/);
  world.tell({ type: "suggestion.dismiss", suggestion: "sg7", reason: "no" }, "coordinator");
  world.tell(make, "alice");
  expect(world.state.suggestions.size).toBe(101);
});
