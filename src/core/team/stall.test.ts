import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { agentStatus } from "../agent/status.ts";
import { start, type World } from "../core.test-help.ts";

interface Did {
  tool?: string;
  input?: unknown;
  outcome?: "ok" | "error";
  result?: string;
  effect?: "reads" | "state" | "outside";
  progress?: "none" | "words" | "work";
}

/** A turn with these calls; gives what the model is shown of their results. */
function act(world: World, who: string, ...did: Did[]): string[] {
  const of = world.begin(who);
  const calls = did.map(({ tool = "look", input = {} }, n) => ({ id: `c${n}`, tool, input }));
  world.tell({ type: "turn.answer", ...of, text: "", calls, cost: { usd: 0, tokens: 0 } }, who);
  for (const [n, { outcome = "ok", result = "same", effect = "reads", progress = "none" }] of did.entries())
    world.tell({ type: "tool.end", ...of, call: `c${n}`, outcome, result, effect, progress }, who);
  const lines = world.thinker(who).conversation.filter((line) => line.role === "tool" && line.turn === of.turn);
  world.tell({ type: "turn.end", ...of }, who);
  return lines.map((line) => (line.role === "tool" ? line.result : ""));
}

const many = (times: number, world: World, who: string, did: Did = {}) =>
  Array.from({ length: times }, () => act(world, who, did)).flat();
const nudge = (times: number) =>
  `same\n\n[You made this same call ${times} times; the result will not change. Do something else: try another way, publish what you have, or ask.]`;

/** Alice holds n1-do-it. */
function withNode(limits: Parameters<typeof start>[0] = {}) {
  const world = start({ turns_without_progress: 100, ...limits });
  const id = world.node({ worker: "alice" });
  return { world, id, node: () => world.state.nodes.get(id)! };
}

describe("the same call again", () => {
  test("is nudged at the third time and stops the node at the fifth, with a reason the coordinator hears", () => {
    const { world, id, node } = withNode();
    expect(many(4, world, "alice")).toEqual(["same", "same", nudge(3), nudge(4)]);
    expect(node().status).toBe("running");
    many(1, world, "alice");
    expect(node()).toMatchObject({
      status: "failed",
      reason: {
        code: "limit.loop",
        message: "Alice made the same tool call 5 times and nothing changed",
        next_mover: "coordinator",
      },
    });
    expect(world.thinker("coordinator").unread.at(-1)?.text).toContain(`${id} failed: Alice made the same tool call`);
    expect(world.thinker("alice").stall.repeats).toEqual([]);
  });

  test("counts within one turn and in whatever order its fields are given; the turn itself ends first", () => {
    const { world, node } = withNode();
    const inputs = [
      { a: 1, b: { c: 2, d: [3] } },
      { b: { d: [3], c: 2 }, a: 1 },
    ];
    const shown = act(world, "alice", ...[0, 1, 0, 1, 0].map((n) => ({ input: inputs[n] })));
    expect(shown.slice(2)).toEqual([nudge(3), nudge(4), nudge(5)]);
    expect(node().status).toBe("failed");
    expect(world.all("turn.ended").at(-1)!.seq).toBeLessThan(world.all("node.failed")[0]!.seq);
  });

  test("counts also among others, and when it fails", () => {
    const { world, node } = withNode();
    for (let n = 0; n < 5; n++) {
      expect(node().status).not.toBe("failed");
      act(world, "alice", { tool: "a", outcome: "error" }, { tool: "b", input: n });
    }
    expect(node()).toMatchObject({ reason: { code: "limit.loop" } });
  });

  const harmless: [string, (n: number) => Did[]][] = [
    ["another input", (n) => [{ input: { n } }]],
    ["another tool", (n) => [{ tool: `t${n}` }]],
    ["a read whose result changed", (n) => [{ result: `${n}` }]],
    ["an effect outside whose result changed", (n) => [{ effect: "outside", result: `${n}` }]],
    [
      "test, mend, test: something new lasted in between",
      (n) => [
        { tool: "test", effect: "outside", progress: "work" },
        { tool: "edit", input: { n }, effect: "outside", progress: "work" },
      ],
    ],
  ];
  test.each(harmless)("does not count: %s", (_what, did) => {
    const { world, node } = withNode();
    for (let n = 0; n < 12; n++) act(world, "alice", ...did(n));
    expect(node().status).toBe("running");
    expect(world.log.filter((event) => event.type === "tool.ended" && event.data.nudge)).toEqual([]);
  });

  test("counts what changes only the log although its result has a new id each time", () => {
    const { world, node } = withNode();
    for (let n = 0; n < 5; n++) act(world, "alice", { effect: "state", result: `Sent as m${n}.` });
    expect(node()).toMatchObject({ reason: { code: "limit.loop" } });
  });

  test("does not count what parks, nor what an old log says", () => {
    const { world, node } = withNode();
    const other = world.node({ worker: "bob" });
    for (let n = 0; n < 8; n++) {
      world.turn("alice", "wait", { wait: { for: "nodes", nodes: [other], deadline: "2026-01-01T00:00:01.000Z" } });
      world.tell({ type: "worker.unpark", worker: "alice", reason: "over" }, "system");
      world.turn("alice", "look");
    }
    expect(node().status).toBe("running");
  });

  test("begins anew with mail, but not with a nudge", () => {
    const { world, node } = withNode();
    many(4, world, "alice");
    world.tell({ type: "message.post", from: "bob", to: "alice", text: "look again" }, "bob");
    many(4, world, "alice");
    expect(node().status).toBe("running");
    world.turn("alice");
    expect(world.thinker("alice").unread).toMatchObject([{ kind: "nudge" }]);
    many(1, world, "alice");
    expect(node()).toMatchObject({ reason: { code: "limit.loop" } });
  });

  test("makes the coordinator ask the human, parked; the answer begins a new count", () => {
    const world = start();
    many(5, world, "coordinator");
    expect(world.all("question.asked").map(({ data }) => [data.by, data.limit])).toEqual([
      ["coordinator", "limit.loop"],
    ]);
    expect(agentStatus(world.state)).toBe("waiting_for_human");
    world.restart();
    expect(world.all("question.asked")).toHaveLength(1);
    world.tell({ type: "question.answer", answer: "try the other one" });
    expect(many(2, world, "coordinator")).toEqual(["same", "same"]);
    expect(world.all("question.asked")).toHaveLength(1);
  });

  test("halts a worker without a node, and the coordinator hears of it; mail wakes it again", () => {
    const world = start();
    world.tell({ type: "message.post", to: "alice", text: "hi" });
    many(5, world, "alice");
    expect(world.all("worker.halted")).toHaveLength(1);
    expect(world.thinker("alice")).toMatchObject({ next: "rest", unread: [] });
    expect(world.thinker("coordinator").unread.at(-1)?.text).toBe(
      "Stopped: Alice made the same tool call 5 times and nothing changed",
    );
    world.tell({ type: "message.post", to: "alice", text: "hi again" });
    expect(many(1, world, "alice")).toEqual(["same"]);
  });

  test("is counted the same however the log is cut", () => {
    const { world } = withNode();
    many(4, world, "alice");
    world.restart();
    many(1, world, "alice");
    expect(world.all("node.failed")).toHaveLength(1);
    world.restart(1);
    expect(world.all("node.failed").map(({ data }) => data.reason.code)).toEqual(["limit.loop"]);
  });
});

describe("turns of which nothing lasts", () => {
  const reads = (n: number): Did => ({ input: { n } });

  test("end the node after eight", () => {
    const { world, node } = withNode({ turns_without_progress: 8 });
    for (let n = 0; n < 8; n++) {
      expect(node().status).not.toBe("failed");
      act(world, "alice", reads(n));
    }
    expect(node()).toMatchObject({
      status: "failed",
      reason: { code: "limit.progress", message: expect.stringContaining("Alice took 8 turns on n1-do-it") },
    });
    expect(world.thinker("alice").stall.fruitless).toBe(0);
  });

  const fruitful: [string, Did][] = [
    ["work", { tool: "write_file", effect: "outside", progress: "work" }],
    ["words to someone new", { tool: "send_message", effect: "state", progress: "words" }],
  ];
  test.each(fruitful)("are counted anew after %s", (_what, did) => {
    const { world, node } = withNode({ turns_without_progress: 3 });
    for (let n = 0; n < 9; n++) act(world, "alice", n % 3 === 2 ? { ...did, input: { n } } : reads(n));
    expect(node().status).toBe("running");
    for (let n = 10; n < 13; n++) act(world, "alice", reads(n));
    expect(node().status).toBe("failed");
  });

  test("are not saved by work that failed, or by the same work again", () => {
    const { world, node } = withNode({ turns_without_progress: 3 });
    const write: Did = { tool: "write_file", effect: "outside", progress: "work" };
    act(world, "alice", write);
    act(world, "alice", { ...write, outcome: "error", input: { n: 1 } });
    act(world, "alice", write);
    act(world, "alice", write);
    expect(node()).toMatchObject({ reason: { code: "limit.progress" } });
  });

  test("do not count while it parks, and belong to one node", () => {
    const { world, node } = withNode({ turns_without_progress: 2 });
    act(world, "alice", reads(1));
    for (let n = 0; n < 4; n++) {
      world.turn("alice", "ask", { wait: { for: "mail" } });
      world.tell({ type: "message.post", to: "alice", text: "go on" });
    }
    expect(node().status).toBe("waiting");
    world.tell({ type: "node.cancel", node: node().id, reason: "r" });
    const next = world.node({ worker: "alice" });
    act(world, "alice", reads(2));
    expect(world.state.nodes.get(next)?.status).toBe("running");
  });
});

describe("a worker that has used most of its turns", () => {
  const work = (n: number): Did => ({ input: { n }, effect: "outside", progress: "work" });
  const urges = (world: World) =>
    world
      .thinker("alice")
      .conversation.flatMap((line) =>
        line.role === "inbox" ? line.entries.filter((entry) => entry.text.startsWith("You have used")) : [],
      );

  test("is told once to produce, with the turn it takes anyway", () => {
    const { world, id } = withNode();
    for (let n = 0; n < 14; n++) act(world, "alice", work(n));
    expect(world.all("worker.urged").map(({ data }) => data)).toEqual([
      { worker: "alice", node: id, turns: 14, max_turns: 20 },
    ]);
    expect(urges(world)).toEqual([]);
    for (let n = 14; n < 19; n++) act(world, "alice", work(n));
    expect(world.all("worker.urged")).toHaveLength(1);
    expect(urges(world).map(({ text }) => text)).toEqual([
      `You have used 14 of the 20 turns of ${id}. Stop exploring. Write down what you have and publish it; as partial, with what is missing, if the spec is not fully met.`,
    ]);
  });

  test("is told once whatever is lost in a crash, for any number of turns", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(fc.integer({ min: 0, max: 6 })), (max_turns, losses) => {
        const world = start({ turns_without_progress: 100 });
        const id = world.node({ worker: "alice", max_turns });
        for (let n = 0; world.thinker("alice").node === id && n < 60; n++) {
          act(world, "alice", work(n));
          const lost = losses[n] ?? 0;
          if (lost && world.thinker("alice").turns > 3) world.restart(lost);
          const { turn } = world.thinker("alice");
          if (turn)
            world.tell({
              type: "turn.fail",
              turn: turn.id,
              participant: "alice",
              reason: { code: "interrupted", message: "m", next_mover: "nobody" },
            });
        }
        expect(world.all("worker.urged").length).toBe(Math.ceil(0.7 * max_turns) < max_turns ? 1 : 0);
        // Its last turn may have been the one that was interrupted: then it is still unread.
        const unread = world.thinker("alice").unread.filter(({ text }) => text.startsWith("You have used"));
        expect(urges(world).length + unread.length).toBe(world.all("worker.urged").length);
      }),
      { numRuns: 40 },
    );
  });

  test("is not woken for it while it waits", () => {
    const { world } = withNode();
    const other = world.node({ worker: "bob" });
    for (let n = 0; n < 13; n++) act(world, "alice", work(n));
    world.turn("alice", "wait", { wait: { for: "nodes", nodes: [other] } });
    expect(world.all("worker.urged")).toEqual([]);
    world.tell({ type: "node.cancel", node: other, reason: "r" });
    expect(world.all("worker.urged")).toHaveLength(1);
  });

  test("has no more turns than it was spawned with", () => {
    const world = start();
    world.tell({ type: "worker.spawn", name: "Zoe", max_turns: 3 }, "coordinator");
    const id = world.node({ worker: "zoe" });
    for (let n = 0; n < 3; n++) act(world, "zoe", work(n));
    expect(world.state.nodes.get(id)).toMatchObject({
      status: "failed",
      reason: { code: "limit.turns", message: `${id} used its 3 turns without publishing` },
    });
  });
});

describe("while the agent is paused", () => {
  /** The last turn before the limit is under way when the agent is paused, and ends. */
  function paused(turns: number, did: (n: number) => Did, limits: Parameters<typeof start>[0] = {}, who = "alice") {
    const world = start({ turns_without_progress: 100, ...limits });
    if (who === "alice") world.node({ worker: "alice" });
    else world.tell({ type: "message.post", text: "hi" });
    for (let n = 0; n < turns - 1; n++) act(world, who, did(n));
    const of = world.begin(who);
    world.tell({ type: "agent.pause" });
    const { tool = "look", input = {}, ...end } = did(turns - 1);
    const calls = [{ id: "c0", tool, input }];
    world.tell({ type: "turn.answer", ...of, text: "", calls, cost: { usd: 0, tokens: 0 } }, who);
    const ok = { outcome: "ok", result: "same", effect: "reads", progress: "none" } as const;
    world.tell({ type: "tool.end", ...of, call: "c0", ...ok, ...end }, who);
    const before = world.log.length;
    world.tell({ type: "turn.end", ...of }, who);
    const after = world.log.slice(before).map(({ type }) => type);
    const resumed = world.tell({ type: "agent.resume" }).map(({ type }) => type);
    return { after, resumed };
  }

  const limits: [string, string, ReturnType<typeof paused>][] = [
    ["a loop of a worker", "node.failed", paused(5, () => ({}))],
    ["a loop of the coordinator", "question.asked", paused(5, () => ({}), {}, "coordinator")],
    ["turns without progress", "node.failed", paused(3, (n) => ({ input: { n } }), { turns_without_progress: 3 })],
    ["most of the turns", "worker.urged", paused(14, (n) => ({ input: { n }, effect: "outside", progress: "work" }))],
  ];
  test.each(limits)("%s leads to nothing; %s follows when it is resumed", (_what, follows, { after, resumed }) => {
    expect(after).toEqual(["turn.ended"]);
    expect(resumed).toContain(follows);
  });
});

test("a worker that is no longer on a node is not told to produce", () => {
  const { world, id } = withNode({ turns_per_node: 10 });
  for (let n = 0; n < 6; n++) act(world, "alice", { input: { n }, effect: "outside", progress: "work" });
  world.tell({ type: "node.cancel", node: id, reason: "r" });
  many(1, world, "alice");
  world.tell({ type: "message.post", to: "alice", text: "hi" });
  many(1, world, "alice");
  expect(world.all("worker.urged")).toEqual([]);
});

test("a program that makes the same call again and again is stopped in the middle of its turn, which may have no end", () => {
  const world = start({ turns_without_progress: 100 });
  world.tell({ type: "worker.spawn", name: "Prog", kind: "autonomous", agent_command: "run it" }, "coordinator");
  const id = world.node({ worker: "prog" });
  const of = world.begin("prog");
  for (let n = 1; n <= 5; n++) {
    expect(world.state.nodes.get(id)?.status).toBe("running");
    world.tell({ type: "tool.call", ...of, tool: "look", input: {} }, "prog");
    const ended = { outcome: "ok", result: "same", effect: "reads", progress: "none" } as const;
    world.tell({ type: "tool.end", ...of, call: `own${n}`, ...ended }, "prog");
  }
  expect(world.state.nodes.get(id)).toMatchObject({ status: "failed", reason: { code: "limit.loop" } });
  expect(world.all("turn.failed").map(({ data }) => data.reason.code)).toEqual(["interrupted"]);
});
