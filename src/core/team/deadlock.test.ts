import { expect, test } from "vitest";
import { inWords, why } from "../board/why.ts";
import { start } from "../core.test-help.ts";
import { defaultLimits } from "../limits.ts";
import { deadlocked } from "./deadlock.ts";

const limits = { limits: defaultLimits };
const waits = (nodes: string[]) => ({ wait: { for: "nodes" as const, nodes } });

/** Alice and Bob hold a node each; nothing is parked yet. */
function two() {
  const world = start();
  world.turn("coordinator", "look");
  const a = world.node({ name: "a", worker: "alice" });
  const b = world.node({ name: "b", worker: "bob" });
  return { ...world, a, b };
}

test("two workers that wait for each other's nodes are found and named, and woken as far as it needs", () => {
  const { turn, a, b, all, thinker } = two();
  turn("alice", "wait_for_nodes", waits([b]));
  expect(all("worker.unparked")).toEqual([]);
  turn("coordinator", "wait_for_nodes", waits([a]));
  turn("bob", "wait_for_nodes", waits([a]));
  const [woken] = all("worker.unparked");
  expect(woken?.data).toEqual({
    worker: "coordinator",
    reason: `Nobody can continue: Coordinator waits for ${a}; Alice (holds ${a}) waits for ${b}; Bob (holds ${b}) waits for ${a}. You are woken so that somebody decides.`,
  });
  expect(thinker("coordinator").wait).toBeUndefined();
  // The two are still in each other's way, whoever else can run: one of them is woken as well, and that is enough.
  expect(all("worker.unparked").map(({ data }) => data.worker)).toEqual(["coordinator", "alice"]);
});

test("who waits for a node whose worker waits for messages that nobody can send is told", () => {
  const { turn, a, b, tell, all } = two();
  tell({ type: "node.cancel", node: b, reason: "no" }, "coordinator");
  turn("bob");
  turn("coordinator", "wait_for_nodes", waits([a]));
  turn("alice", "check_messages", { wait: { for: "mail" } } as never);
  expect(all("worker.unparked").map(({ data }) => data.worker)).toEqual(["coordinator"]);
});

test("nobody is deadlocked while someone works, the human is asked, or a trigger may come", () => {
  const working = two();
  working.turn("coordinator", "wait_for_nodes", waits([working.a]));
  working.turn("alice", "wait_for_nodes", waits([working.b]));
  expect(deadlocked(working.state)).toEqual([]);

  const asking = two();
  asking.turn("alice", "wait_for_nodes", waits([asking.b]));
  asking.turn("coordinator", "wait_for_nodes", waits([asking.a]));
  asking.tell({ type: "question.ask", by: "bob", text: "which?" }, "bob");
  asking.turn("bob", "ask_human", { wait: { for: "question", question: "q1" } });
  expect(asking.all("worker.unparked")).toEqual([]);
});

test("the reason chain leads from a node to whoever must act", () => {
  const { turn, a, b, node, tell, state } = two();
  const c = node({ name: "c", depends_on: [a] });
  turn("alice", "wait_for_nodes", waits([b]));
  tell({ type: "question.ask", by: "bob", text: "Which colours?\nRed or blue" }, "bob");
  turn("bob", "ask_human", { wait: { for: "question", question: "q1" } });
  const chain = why(state, c, limits);
  expect(inWords(chain)).toBe(`${c} waits for ${a} ← Alice waits for ${b} ← Bob asked the human (q1): Which colours?`);
  expect(chain.at(-1)).toMatchObject({ code: "question", next_mover: "human", since: "2026-01-01T00:00:00.000Z" });
});

test("the chain names what stops a node: a failed one before it, a busy or missing worker, the cap, a pause, a retry", () => {
  const { tell, node, a, b, begin, state } = two();
  const c = node({ name: "c", depends_on: [b] });
  expect(inWords(why(state, c, limits))).toBe(`${c} waits for ${b} ← Bob is at work on ${b}`);
  const busy = node({ name: "d", worker: "alice" });
  expect(inWords(why(state, busy, limits))).toBe(`${busy} waits for Alice ← Alice is at work on ${a}`);
  const full = { limits: { ...defaultLimits, concurrency: 1 }, running: new Set(["bob"]) };
  expect(why(state, a, full)).toMatchObject([
    { code: "concurrency", text: "Alice waits for a free slot: 1 of 1 are in use" },
  ]);
  const of = begin("alice");
  tell({ type: "turn.retry", ...of, error: "503", not_before: "2026-01-01T00:05:00.000Z" }, "alice");
  expect(why(state, a, limits)).toMatchObject([{ code: "retry", until: "2026-01-01T00:05:00.000Z" }]);
  tell({
    type: "node.fail",
    node: b,
    reason: { code: "limit.turns", message: "too many turns", next_mover: "coordinator" },
  });
  expect(inWords(why(state, c, limits))).toBe(`${c} waits for ${b} ← ${b} failed: too many turns`);
  tell({ type: "agent.pause" });
  expect(why(state, c, limits)).toMatchObject([{ code: "paused", next_mover: "human" }]);
});

test("a run without workers says that nobody is there to do it", () => {
  const { tell, node, state } = start();
  for (const worker of ["alice", "bob"]) tell({ type: "worker.retire", worker });
  const lone = node({ name: "lone" });
  expect(why(state, lone, limits)).toMatchObject([{ code: "no_worker", next_mover: "coordinator" }]);
});

test("a node that waits for a worker who waits for it is in its way, however many others are free", () => {
  const world = start();
  world.turn("coordinator", "look");
  world.node({ name: "a", worker: "alice" });
  const b = world.node({ name: "b", worker: "alice" });
  world.turn("coordinator", "wait_for_nodes", waits([b]));
  world.turn("alice", "wait_for_nodes", waits([b]));
  expect(world.all("worker.unparked").map(({ data }) => data.worker)).toContain("coordinator");
});

test("nobody is deadlocked who waits for a node that a free worker will take up", () => {
  const world = start();
  world.turn("coordinator", "look");
  const a = world.node({ name: "a", worker: "alice" });
  const b = world.node({ name: "b", depends_on: [a] });
  world.turn("coordinator", "wait_for_nodes", waits([b]));
  expect(world.all("worker.unparked")).toEqual([]);
  expect(deadlocked(world.state)).toEqual([]);
});

test("whoever is woken is told why nobody has what is waited for", () => {
  const { turn, node, a, b, all } = two();
  const [c, d] = [node({ name: "c" }), node({ name: "d", worker: "bob" })];
  turn("coordinator", "wait_for_nodes", waits([a]));
  turn("alice", "wait_for_nodes", waits([c]));
  turn("bob", "wait_for_nodes", waits([d]));
  expect(all("worker.unparked")[0]?.data.reason).toBe(
    `Nobody can continue: Coordinator waits for ${a}; Alice (holds ${a}) waits for ${c} (${c} waits for one of 2 workers to be free); ` +
      `Bob (holds ${b}) waits for ${d} (${d} waits for Bob). You are woken so that somebody decides.`,
  );
});
