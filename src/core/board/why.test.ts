import { describe, expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";
import { defaultLimits } from "../limits.ts";
import { iso } from "../noun.ts";
import { inWords, type Link, why } from "./why.ts";

/** A world in which alice holds n1-a and has read her assignment. */
function begun(given: Parameters<World["node"]>[0] = {}): World {
  const world = start();
  world.node({ name: "a", worker: "alice", ...given });
  world.turn("alice", "look");
  world.now += 5_000;
  return world;
}

const since = "2026-01-01T00:00:00.000Z";
const chain = (world: World, node = "n1-a", running?: string[], concurrency = 4): Link[] =>
  why(world.state, node, {
    limits: { ...defaultLimits, concurrency },
    ...(running ? { running: new Set(running) } : {}),
  });

describe("the chain of a node that is under way", () => {
  test("is nothing for a node that does not exist", () => {
    expect(chain(start())).toEqual([]);
  });

  test("says who works on it, since when", () => {
    const working = [{ what: "n1-a", code: "working", text: "Alice is at work on n1-a", since, next_mover: "alice" }];
    expect(chain(begun())).toEqual(working);
    expect(chain(begun(), "n1-a", ["alice", "bob", "coordinator"], 1)).toEqual(working);
    expect(chain(begun(), "n1-a", ["bob", "coordinator"], 2)).toEqual(working);
  });

  test("says that all places are taken, the coordinator's aside", () => {
    expect(chain(begun(), "n1-a", ["bob", "coordinator"], 1)).toEqual([
      {
        what: "n1-a",
        code: "concurrency",
        text: "Alice waits for a free slot: 1 of 1 are in use",
        since,
        next_mover: "a worker",
      },
    ]);
  });

  test("counts from its creation until it is started", () => {
    const world = start();
    world.node({ name: "a", worker: "alice" });
    expect(chain(world)).toMatchObject([{ code: "working", since }]);
    world.now += 5_000;
    world.begin("alice");
    expect(chain(world)).toMatchObject([{ code: "working", since: iso(world.now) }]);
  });

  test("says that its worker has no work in progress", () => {
    const world = begun();
    ends(world, world.answer("alice"));
    expect(chain(world)).toMatchObject([
      { what: "n1-a", code: "silent", text: "Alice has no work in progress", next_mover: "alice" },
    ]);
  });

  test("says when a failed call is tried again", () => {
    const world = begun();
    const of = world.begin("alice");
    const not_before = iso(world.now + 9_000);
    world.tell({ type: "turn.retry", ...of, error: "503", not_before, lost: none }, "alice");
    expect(chain(world)).toEqual([
      {
        what: "alice",
        code: "retry",
        text: "Alice retries: the last call failed once",
        since: iso(world.now),
        until: not_before,
        next_mover: "nobody",
      },
    ]);
  });

  test("says that it stopped for its stage", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "look" }, "coordinator");
    world.node({ name: "a", worker: "alice" });
    world.turn("alice", "look");
    world.tell({ type: "node.checkpoint", node: "n1-a", summary: "half" }, "alice");
    expect(chain(world)).toMatchObject([
      { what: "n1-a", code: "checkpoint", text: "n1-a has stopped for its stage", next_mover: "coordinator" },
    ]);
  });

  test("leads to the question its worker waits for, in one short line", () => {
    const world = begun();
    const text = `Which?\n${"x".repeat(300)}`;
    world.tell({ type: "question.ask", by: "alice", text, default: "a", deadline_seconds: 60 }, "alice");
    world.turn("alice", "ask", { wait: { for: "question", question: "q1" } });
    expect(chain(world)).toEqual([
      {
        what: "q1",
        code: "question",
        text: "Alice asked the human (q1): Which?",
        since: iso(world.now),
        next_mover: "human",
        until: iso(world.now + 60_000),
      },
    ]);
    const long = begun();
    long.tell({ type: "question.ask", by: "alice", text: "x".repeat(300) }, "alice");
    long.turn("alice", "ask", { wait: { for: "question", question: "q1" } });
    expect(chain(long)[0]).toMatchObject({ text: `Alice asked the human (q1): ${"x".repeat(200)}` });
    expect(chain(long)[0]).not.toHaveProperty("until");
  });

  test("leads to the approval its call waits for", () => {
    const world = begun();
    const of = world.answer("alice", ["bash"]);
    world.tell({ type: "tool.ask", ...of, call: "c1", text: "May it?" }, "alice");
    expect(chain(world)).toMatchObject([{ what: "q1", code: "question", text: "Alice asked the human (q1): May it?" }]);
  });

  test("says that its worker waits for messages, and until when", () => {
    const world = begun();
    const deadline = iso(world.now + 60_000);
    world.turn("alice", "wait", { wait: { for: "mail", deadline } });
    expect(chain(world)).toEqual([
      {
        what: "alice",
        code: "mail",
        text: "Alice waits for messages",
        next_mover: "anyone who has something to say",
        until: deadline,
      },
    ]);
  });

  test("follows the nodes its worker waits for, those that ended aside", () => {
    const world = begun();
    const gone = world.node({ name: "gone" });
    world.tell({ type: "node.cancel", node: gone, reason: "no" }, "coordinator");
    world.node({ name: "b", worker: "bob" });
    world.turn("bob", "look");
    world.turn("alice", "wait", { wait: { for: "nodes", nodes: [gone, "n3-b"] } });
    expect(chain(world)).toMatchObject([
      { what: "alice", code: "nodes", text: "Alice waits for n3-b" },
      { what: "n3-b", code: "working", next_mover: "bob" },
    ]);
    expect(chain(world)[0]).not.toHaveProperty("until");
  });
});

describe("the chain of a node that has not begun", () => {
  test("follows what it depends on, what failed first, to its end", () => {
    const world = begun();
    world.node({ name: "b", depends_on: ["n1-a"] });
    expect(chain(world, "n2-b")).toMatchObject([
      { what: "n2-b", code: "depends_on", text: "n2-b waits for n1-a", since: iso(world.now) },
      { what: "n1-a", code: "working" },
    ]);
    world.node({ name: "c", worker: "bob" });
    world.node({ name: "d", depends_on: ["n1-a", "n3-c"] });
    const reason = { code: "limit.time", message: "too late", next_mover: "coordinator" };
    world.tell({ type: "node.fail", node: "n3-c", reason }, "system");
    expect(chain(world, "n4-d")).toEqual([
      { what: "n4-d", code: "behind_failed", text: "n4-d waits for n3-c and 1 more", since: iso(world.now) },
      {
        what: "n3-c",
        code: "limit.time",
        text: "n3-c failed: too late",
        since: iso(world.now),
        next_mover: "coordinator",
      },
    ]);
    expect(inWords(chain(world, "n4-d"))).toBe("n4-d waits for n3-c and 1 more ← n3-c failed: too late");
  });

  test("follows the node of the worker that it is for", () => {
    const world = begun();
    world.node({ name: "b", worker: "alice" });
    expect(chain(world, "n2-b")).toMatchObject([
      { what: "n2-b", code: "worker_busy", text: "n2-b waits for Alice", since: iso(world.now) },
      { what: "n1-a", code: "working" },
    ]);
  });

  test("follows the worker that it is for, also when that is busy without a node", () => {
    const world = begun();
    world.tell({ type: "message.post", to: "bob", text: "Look" });
    const of = world.answer("bob", ["bash"]);
    world.tell({ type: "tool.ask", ...of, call: "c1", text: "May Bob call bash?\nls" }, "bob");
    world.node({ name: "b", worker: "bob" });
    expect(chain(world, "n2-b")).toMatchObject([
      { what: "n2-b", code: "worker_busy", text: "n2-b waits for Bob" },
      { what: "q1", code: "question", text: "Bob asked the human (q1): May Bob call bash?", next_mover: "human" },
    ]);
    world.tell({ type: "question.answer", question: "q1", answer: "allow" });
    expect(chain(world, "n2-b").at(-1)).toMatchObject({ code: "working", text: "Bob is at work", next_mover: "bob" });
  });

  test("follows a worker when none is free and none can go on, and the coordinator when that cannot decide", () => {
    const world = start();
    for (const [worker, question] of [
      ["alice", "q1"],
      ["bob", "q2"],
    ] as const) {
      world.node({ worker });
      world.tell({ type: "question.ask", by: worker, text: "Which?" }, worker);
      world.turn(worker, "ask", { wait: { for: "question", question } });
    }
    world.node({ name: "c" });
    expect(chain(world, "n3-c").map(({ code }) => code)).toEqual(["no_worker", "question"]);
    world.node({ name: "d", depends_on: ["n3-c"] });
    world.tell({ type: "node.cancel", node: "n3-c", reason: "no" }, "coordinator");
    world.tell({ type: "question.ask", by: "coordinator", text: "Now what?" }, "coordinator");
    world.turn("coordinator", "ask", { wait: { for: "question", question: "q3" } });
    expect(chain(world, "n4-d").at(-1)).toMatchObject({ what: "q3", next_mover: "human" });
    world.tell({ type: "question.answer", question: "q3", answer: "Leave it" });
    world.turn("coordinator");
    expect(chain(world, "n4-d").at(-1)).toMatchObject({ what: "coordinator", code: "rests", next_mover: "human" });
  });

  test("says that every worker is busy, or that there is none", () => {
    const world = begun();
    world.node({ name: "b", worker: "bob" });
    world.node({ name: "c" });
    expect(chain(world, "n3-c")).toEqual([
      {
        what: "n3-c",
        code: "no_worker",
        text: "n3-c waits for one of 2 workers to be free",
        since: iso(world.now),
        next_mover: "a worker",
      },
    ]);
    const alone = start();
    for (const worker of ["alice", "bob"]) alone.tell({ type: "worker.retire", worker, reason: "-" }, "coordinator");
    alone.node({ name: "a" });
    expect(chain(alone)).toMatchObject([
      { code: "no_worker", text: "n1-a has no worker: this run has none", next_mover: "coordinator" },
    ]);
  });
});

test("nodes that wait for each other make a chain that ends", () => {
  const world = begun();
  world.node({ name: "b", worker: "bob" });
  world.turn("bob", "wait", { wait: { for: "nodes", nodes: ["n1-a"] } });
  const of = world.answer("alice", ["wait"]);
  const ok = { call: "c1", outcome: "ok", result: "" } as const;
  world.tell({ type: "tool.end", ...of, ...ok, wait: { for: "nodes", nodes: ["n2-b"] } }, "alice");
  ends(world, of);
  expect(chain(world).map(({ code }) => code)).toEqual(["nodes", "nodes", "circle"]);
  expect(chain(world).at(-1)).toEqual({
    what: "n1-a",
    code: "circle",
    text: "n1-a waits for itself",
    next_mover: "coordinator",
  });
});

test("a node that ended says how", () => {
  const world = begun();
  world.node({ name: "b", worker: "bob" });
  world.node({ name: "c" });
  world.turn("bob", "look");
  world.tell({ type: "node.publish", node: "n1-a", summary: "s", files: [] }, "alice");
  world.tell({ type: "node.publish", node: "n2-b", summary: "s", partial: true, files: [] }, "bob");
  world.tell({ type: "node.cancel", node: "n3-c", reason: "not needed" }, "coordinator");
  expect(chain(world)).toEqual([{ what: "n1-a", code: "completed", text: "n1-a is completed, claimed" }]);
  expect(chain(world, "n2-b")).toMatchObject([{ text: "n2-b is completed in part, claimed" }]);
  expect(chain(world, "n3-c")).toMatchObject([{ text: "n3-c was cancelled: not needed", since: iso(world.now) }]);
  // Whatever stops everyone does not matter to it any more.
  world.tell({ type: "agent.pause" });
  expect(chain(world)).toMatchObject([{ code: "completed" }]);
});

test("an agent that stands still stops every node that has not ended", () => {
  const world = begun();
  const until = iso(world.now + 60_000);
  const reason = { code: "provider", message: "no quota", next_mover: "nobody", until };
  world.tell({ type: "agent.pause", reason }, "system");
  const paused = { what: "chips", code: "paused", since: iso(world.now) };
  expect(chain(world)).toEqual([{ ...paused, text: "chips is paused: no quota", next_mover: "nobody", until }]);
  world.tell({ type: "agent.resume" });
  world.tell({ type: "agent.pause" });
  expect(chain(world)[0]).not.toHaveProperty("until");
  world.tell({ type: "agent.resume" });
  world.append({ type: "agent.stopped", data: {} } as never);
  expect(chain(world)).toEqual([{ what: "chips", code: "over", text: "chips is stopped", next_mover: "human" }]);
  world.append({ type: "agent.resumed", data: {} } as never);
  world.append({ type: "run.stopped", data: { run: "r1" } });
  expect(chain(world)).toMatchObject([{ code: "over", text: "r1 is stopped" }]);
});

const none = { usd: 0, tokens: 0 };

/** The turn ends, and nothing follows from it yet. */
function ends(world: World, of: { turn: string; participant: string }): void {
  for (const fact of world.decide({ type: "turn.end", ...of }, "alice")) world.append(fact, "alice");
}
