import { expect, test } from "vitest";
import type { Check, CheckResult, Evidence } from "../../schema/evidence.ts";
import { start, t0 } from "../core.test-help.ts";
import {
  checkTitle,
  evidenceFor,
  evidenceOf,
  failureText,
  inputsOf,
  proofOf,
  rejectionOf,
  resultLine,
} from "./check.ts";

const [a, b] = ["a".repeat(64), "b".repeat(64)];
const machine: Check = { run: "true" };
const other: Check = { file: "x" };
const review: Check = { review: true };

const result = (what: Check, check: number, outcome: CheckResult["outcome"], on = a): CheckResult => ({
  ...{ check, on, what, outcome, by: "runtime", output: "out", seconds: 1, at: "2026-01-01T00:00:00.000Z" },
});

test.each<[Evidence, Check[], CheckResult["outcome"][]]>([
  ["claimed", [], []],
  ["verified", [machine], ["passed"]],
  ["claimed", [machine], ["failed"]],
  ["claimed", [machine], ["errored"]],
  ["claimed", [machine, other], ["passed", "errored"]],
  ["claimed", [machine, other], ["passed"]],
  ["verified", [machine, review], ["passed", "passed"]],
  ["claimed", [machine, review], ["passed", "failed"]],
  ["claimed", [machine, review], ["passed", "errored"]],
  ["reviewed", [review], ["passed"]],
  ["reviewed", [machine, review], ["errored", "passed"]],
  ["claimed", [machine, review], ["failed", "passed"]],
])("it is %s with the checks %j that %j", (evidence, checks, outcomes) => {
  const results = outcomes.map((outcome, at) => result(checks[at]!, at + 1, outcome));
  expect(evidenceFor(checks, results, a)).toBe(evidence);
  expect(evidenceFor(checks, results, b)).toBe("claimed");
  expect(evidenceFor(checks, results, undefined)).toBe("claimed");
});

test("a result counts only for the check it is of, not for its number", () => {
  expect(evidenceFor([other], [result(machine, 1, "passed")], a)).toBe("claimed");
});

/** Alice holds a node with these checks. */
function working(checks: Check[], given: object = {}) {
  const world = start({ check_attempts: 2 });
  const node = world.node({ worker: "alice", checks, ...given });
  world.begin("alice");
  const end = (check: number, outcome: CheckResult["outcome"], on = a, more: object = {}) =>
    world.tell(
      { type: "check.end", node, check, on, outcome, by: "runtime", output: "why", seconds: 1, ...more },
      "alice",
    );
  const attempt = (on = a, more: object = {}) => world.tell({ type: "node.attempt", node, on, ...more }, "alice");
  const publish = { type: "node.publish" as const, node, summary: "s", files: [] };
  return { world, node, end, attempt, publish };
}

test("content is rejected while there are attempts, then it is claimed; nobody publishes what would be rejected", () => {
  const { world, node, end, attempt, publish } = working([machine, other]);
  end(1, "passed");
  end(2, "failed");
  expect(world.refused({ ...publish, on: a }, "alice")).toMatch(/does not pass its checks/);
  expect(attempt()[0]).toMatchObject({ type: "node.rejected", data: { failed: [2], attempt: 1, attempts: 2 } });
  expect(world.state.nodes.get(node)).toMatchObject({ rejections: 1, attempts_left: 1 });
  const { text, details } = rejectionOf(world.state, node);
  expect(text).toMatch(
    /^Not published: 1 of 2 checks did not pass, 1 passed\. .* you have one more attempt; .* only claimed/,
  );
  expect(details).toBe("Check 2 failed (x is there; by runtime):\nwhy");
  end(2, "failed", b);
  expect(world.state.nodes.get(node)?.results).toMatchObject([{ check: 2, on: b }]);
  expect(attempt(b)).toEqual([]);
  world.tell({ ...publish, on: b }, "alice");
  expect(world.state.nodes.get(node)).toMatchObject({ status: "completed", evidence: "claimed" });
  expect(world.state.nodes.get(node)).not.toHaveProperty("attempts_left");
});

test("a node that is to fail unless it is verified fails, also with what is partial; its worker is not held back by what could not be done", () => {
  for (const [outcome, more] of [
    ["failed", { partial: true }],
    ["errored", {}],
    ["failed", { limit: "limit.turns" }],
  ] as const) {
    const { world, node, end, attempt } = working([machine], { if_unverified: "fail" });
    end(1, outcome);
    attempt(a, more);
    const code = "limit" in more ? "limit.turns" : "limit.checks";
    expect(world.state.nodes.get(node)).toMatchObject({ status: "failed", reason: { code } });
  }
  const { end, attempt, world, node, publish } = working([machine]);
  end(1, "errored");
  expect(attempt()).toEqual([]);
  world.tell({ ...publish, on: a }, "alice");
  expect(world.state.nodes.get(node)).toMatchObject({ evidence: "claimed" });
});

test("a check keeps its result on a content, unless it could not be done; and it must be one of the node's", () => {
  const { world, node, end } = working([machine]);
  expect(end(1, "errored")).toHaveLength(1);
  expect(end(1, "passed")).toHaveLength(1);
  expect(end(1, "failed")).toEqual([]);
  expect(end(1, "failed", b)).toHaveLength(1);
  const wrong = { type: "check.end", node, on: a, outcome: "passed", by: "x", output: "", seconds: 0 };
  expect(world.refused({ ...wrong, check: 2 }, "alice")).toMatch(/has 1 checks; there is no check 2/);
  world.tell({ type: "node.cancel", node, reason: "r" });
  expect(world.refused({ ...wrong, check: 1 }, "alice")).toMatch(/is cancelled; only what a running node/);
});

test("while one check is under way the others keep their results", () => {
  const { world, node, end } = working([other, machine]);
  const begun = { type: "check.start" as const, node, check: 2, on: a, by: "runtime", payer: "alice" };
  end(1, "passed");
  world.tell({ ...begun, reserve: { usd: 0, tokens: 0 } }, "alice");
  expect(end(1, "failed")).toEqual([]);
  expect(end(2, "failed")).toHaveLength(1);
  expect(end(2, "passed")).toEqual([]);
  expect(world.state.reviews.size).toBe(0);
});

test("the time in which its result is checked does not count for a node, and meanwhile nothing is too late", () => {
  const { world, node, end } = working([machine, review], { timeout_seconds: 60 });
  const at = () => Date.parse((world.state.nodes.get(node) as { started_at: string }).started_at) - t0;
  const begin = (check: number, by: string) =>
    world.tell({ type: "check.start", node, check, on: a, by, payer: "bob", reserve: { usd: 0, tokens: 0 } }, "alice");
  world.now += 50_000;
  begin(1, "runtime");
  world.now += 100_000;
  expect(world.tick()).toEqual([]);
  end(1, "passed");
  expect(at()).toBe(100_000);
  begin(2, "m");
  world.now += 20_000;
  begin(2, "m"); // asked again
  world.now += 20_000;
  end(2, "passed");
  expect(at()).toBe(140_000);
  world.now += 9_000;
  expect(world.tick()).toEqual([]);
  world.now += 2_000;
  expect(world.tick().map(({ type }) => type)).toContain("node.failed");
  // Of a check that nobody does any more nothing is expected.
  const second = working([machine], { timeout_seconds: 60 });
  const turn = second.world.thinker("alice").turn!.id;
  second.world.tell(
    {
      type: "check.start",
      node: second.node,
      check: 1,
      on: a,
      by: "runtime",
      payer: "bob",
      reserve: { usd: 0, tokens: 0 },
    },
    "alice",
  );
  second.world.append({
    type: "turn.failed",
    data: {
      turn,
      participant: "alice",
      reason: { code: "x", message: "m", next_mover: "nobody" },
      lost: money(0),
    } as never,
  });
  second.world.now += 61_000;
  expect(second.world.tick().map(({ type }) => type)).toContain("node.failed");
});

const money = (usd: number) => ({ usd, tokens: 10 });

test("a check keeps its result also while another one, a review, is asked", () => {
  const { world, node, end } = working([machine, review]);
  end(1, "passed");
  const ask = { type: "check.start" as const, node, check: 2, on: a, by: "m", payer: "bob" };
  world.tell({ ...ask, reserve: { usd: 1, tokens: 1 } }, "alice");
  expect(end(1, "failed")).toEqual([]);
  expect(end(2, "passed", a, { by: "m" })).toMatchObject([{ type: "check.ended" }]);
});

test("a review is reserved before it is asked, settled once, charged when it is lost, and never done by the author", () => {
  const { world, node, end } = working([review]);
  const ask = (usd: number, more: object = {}) =>
    world.tell(
      { type: "check.start", node, check: 1, on: a, by: "m", payer: "bob", reserve: money(usd), ...more },
      "alice",
    );
  const account = (key = `node:${node}`) => world.state.accounts.get(key);
  const of = { type: "check.start", node, check: 1, on: a, payer: "bob", reserve: money(1) };
  expect(world.refused({ ...of, by: "alice" }, "alice")).toMatch(
    /alice is the author of .*; somebody else must review it/,
  );
  ask(1);
  expect(account()).toMatchObject({ spent: { usd: 0 }, reserved: { usd: 1 } });
  expect(ask(2)[0]!.data).toMatchObject({ lost: { usd: 1 } });
  expect(ask(3, { lost: money(0.5) })[0]!.data).toMatchObject({ lost: { usd: 0.5 } });
  expect(account("worker:bob")).toMatchObject({ spent: { usd: 1.5 }, reserved: { usd: 3 } });
  const usage = { model: "m", input: 1, output: 2, cache_read: 0, cache_write: 0, priced: true };
  end(1, "passed", a, { by: "m", cost: money(0.25), usage });
  expect(account()).toMatchObject({ spent: { usd: 1.75 }, reserved: { usd: 0, tokens: 0 } });
  expect(world.state.usage.get("m")).toMatchObject({ calls: 1, usd: 0.25 });
  ask(1);
  world.tell({ type: "node.cancel", node, reason: "r" });
  expect(account()).toMatchObject({ spent: { usd: 2.75 }, reserved: { usd: 0 } });
  expect(world.state.reviews.size).toBe(0);
});

test("what is not a review is not asked of anybody, and a review waits for its budget", () => {
  const { world, node } = working([machine, review]);
  const ask = { type: "check.start", node, on: a, by: "m", payer: "bob", reserve: money(1) };
  const none = { usd: 0, tokens: 0 };
  for (const wrong of [
    {},
    { by: "runtime" },
    { reserve: none },
    { by: "runtime", reserve: { usd: 0, tokens: 1 } },
    { by: "runtime", reserve: { usd: 1, tokens: 0 } },
  ])
    expect(world.refused({ ...ask, check: 1, ...wrong }, "alice")).toMatch(
      /^invalid: check 1 of .* is not a review: the runtime does it, for nothing/,
    );
  world.tell({ ...ask, check: 1, by: "runtime", reserve: none } as never, "alice");
  world.tell({ type: "budget.set", scope: { of: "node", node }, limit: { usd: 0.5 } });
  expect(world.refused({ ...ask, check: 2 }, "alice")).toMatch(/^budget_exhausted/);
});

test("the answer of a run is as good as the weakest node that nothing has replaced, and better only by checks on the whole", () => {
  const world = start();
  expect(proofOf(world.state, [], a)).toEqual({ evidence: "claimed", claimed: [] });
  // Nobody else has claimed anything: its own files are all there is.
  world.state.run = { ...world.state.run!, results: [result(other, 1, "passed")] };
  expect(proofOf(world.state, [other], a)).toEqual({ evidence: "verified", claimed: [] });
  const done = (evidence: Evidence, more: object = {}) => {
    const node = world.node({ worker: "alice" });
    const at = world.state.nodes.get(node)!;
    const ended = { status: "completed", worker: "alice", started_at: at.created_at, ended_at: at.created_at };
    world.state.nodes.set(node, {
      ...at,
      ...ended,
      summary: "s",
      partial: true,
      files: [],
      evidence,
      ...more,
    } as never);
    return node;
  };
  const first = done("verified");
  expect(proofOf(world.state, [], a)).toEqual({ evidence: "verified", claimed: [] });
  done("reviewed");
  expect(proofOf(world.state, [], a).evidence).toBe("reviewed");
  const third = done("claimed");
  expect(proofOf(world.state, [], a)).toEqual({ evidence: "claimed", claimed: [third] });
  world.state.run = { ...world.state.run!, results: [result(machine, 1, "passed")] };
  expect(proofOf(world.state, [machine], a)).toEqual({ evidence: "verified", claimed: [third] });
  expect(proofOf(world.state, [machine], b).evidence).toBe("claimed");
  const whole = (...passed: Check[]) => {
    const results = passed.map((check, at) => result(check, at + 1, "passed"));
    world.state.run = { ...world.state.run!, results };
    return proofOf(world.state, passed, a).evidence;
  };
  // Only what runs the whole, or a review of it, speaks for what others claim.
  const tests: Check = { tests: true };
  const shape: Check = { file: "x", schema: {}, matches: "y", min_bytes: 1 };
  expect([other, shape, { links: true } as Check].map((check) => whole(check))).toEqual(Array(3).fill("claimed"));
  expect([whole(tests), whole(other, tests), whole(machine, review)]).toEqual(Array(3).fill("verified"));
  expect([whole(review), whole(other, review), whole(other, shape)]).toEqual(["reviewed", "reviewed", "claimed"]);
  world.state.run = { ...world.state.run!, results: [result(machine, 1, "passed"), result(other, 2, "errored")] };
  expect(proofOf(world.state, [machine, other], a).evidence).toBe("claimed");
  done("verified", { retry_of: third });
  expect(whole(other)).toBe("reviewed");
  expect(proofOf(world.state, [], a)).toEqual({ evidence: "reviewed", claimed: [] });
  world.state.run = { ...world.state.run!, results: [result(machine, 1, "failed")] };
  expect(proofOf(world.state, [machine], a).evidence).toBe("claimed");
  expect(first).toBe("n1-do-it");
});

test("checks and results are said in a line", () => {
  expect(
    [
      { run: "npm test\nx" },
      { tests: true as const },
      { tests: "make" },
      { links: true as const },
      { links: "a.md" },
      review,
      { review: "why?" },
      { file: "a" },
      { file: "a", schema: {}, matches: "b", min_bytes: 1, max_bytes: 2 },
    ].map(checkTitle),
  ).toEqual([
    "run npm test x",
    "the project's tests",
    "tests: make",
    "every link resolves",
    "every link in a.md resolves",
    "review",
    "review: why?",
    "a is there",
    "a: its JSON schema, /b/, at least 1 bytes, at most 2 bytes",
  ]);
  expect(resultLine(result(other, 2, "passed"))).toBe("- 2. passed: x is there (by runtime)");
  expect(failureText(result(other, 2, "errored"))).toBe("Check 2 could not be done (x is there; by runtime):\nout");
});

test("results of a node are listed by number, with their time, whatever the order they came in", () => {
  const { world, node, end } = working([machine, other, review]);
  end(3, "passed", a, { by: "m" });
  world.now += 1_000;
  end(1, "passed");
  end(2, "failed");
  const at = (ms: number) => new Date(t0 + ms).toISOString();
  expect(world.state.nodes.get(node)?.results?.map((one) => [one.check, one.at])).toEqual([
    [1, at(1_000)],
    [2, at(1_000)],
    [3, at(0)],
  ]);
});

test("two checks of the same text have a result each", () => {
  const { world, node, end } = working([machine, machine]);
  expect(end(1, "passed")).toHaveLength(1);
  expect(end(2, "failed")).toHaveLength(1);
  expect(world.state.nodes.get(node)?.results).toMatchObject([{ outcome: "passed" }, { outcome: "failed" }]);
});

test("the author's name under a review is refused, under another check it is not; a node without checks has none", () => {
  const { world, node, end } = working([machine, review]);
  expect(end(1, "passed", a, { by: "alice" })).toHaveLength(1);
  const reviewed = { type: "check.end", node, check: 2, on: a, outcome: "passed", by: "alice", output: "", seconds: 0 };
  expect(world.refused(reviewed, "alice")).toMatch(/^forbidden: alice is the author of/);
  const bare = world.node({ worker: "bob" });
  world.begin("bob");
  expect(world.refused({ ...reviewed, node: bare, check: 1, by: "m" }, "bob")).toMatch(
    /^not_found: .* has 0 checks; there is no check 1/,
  );
});

test("a rejection says how many attempts are left and that the node fails, if it is to fail", () => {
  const { world, node, end, attempt } = working([machine], { if_unverified: "fail" });
  end(1, "failed");
  attempt();
  expect(rejectionOf(world.state, node).text).toBe(
    `Not published: 1 of 1 checks did not pass. ${node} is still yours. Fix it and publish again: you have one more attempt; ` +
      "if they do not pass either, the node fails. If a check cannot be met, publish with partial and say why.",
  );
});

test("a review that is asked again on the same content is settled, although its result is known", () => {
  const { world, node, end } = working([review]);
  const ask = { type: "check.start" as const, node, check: 1, on: a, by: "m", payer: "bob" };
  const account = () => world.state.accounts.get(`node:${node}`);
  end(1, "passed", a, { by: "m" });
  expect(end(1, "failed", a, { by: "m" })).toEqual([]);
  world.tell({ ...ask, reserve: money(1) }, "alice");
  expect(end(1, "failed", a, { by: "m", cost: money(0.5) })).toMatchObject([{ type: "check.ended" }]);
  expect(world.state.reviews.size).toBe(0);
  expect(account()).toMatchObject({ spent: { usd: 0.5 }, reserved: { usd: 0 } });
});

test("the end of another check leaves the review that is under way, and what is reserved for it", () => {
  const { world, node, end } = working([machine, review]);
  world.tell({ type: "check.start", node, check: 2, on: a, by: "m", payer: "bob", reserve: money(1) }, "alice");
  end(1, "passed");
  expect(world.state.reviews.get(node)).toMatchObject({ check: 2 });
  expect(world.state.accounts.get(`node:${node}`)).toMatchObject({ spent: { usd: 0 }, reserved: { usd: 1 } });
});

test("what a lost review used is counted for its model, at its cost; nothing is if none was under way", () => {
  const { world, node } = working([review]);
  const usage = { model: "m", input: 1, output: 2, cache_read: 0, cache_write: 0, priced: true };
  const ask = (more: object = {}) =>
    world.tell(
      { type: "check.start", node, check: 1, on: a, by: "m", payer: "bob", reserve: money(1), ...more },
      "alice",
    )[0]!.data;
  expect(ask({ usage, lost: money(0.5) })).not.toHaveProperty("lost");
  expect(world.state.usage.size).toBe(0);
  const known = ask({ usage, lost: money(0.5) });
  expect(known).toMatchObject({ lost: { usd: 0.5 }, usage: { model: "m" } });
  expect(world.state.usage.get("m")).toMatchObject({ calls: 1, usd: 0.5, output: 2 });
  expect(ask()).not.toHaveProperty("usage");
  expect(world.state.usage.get("m")).toMatchObject({ calls: 1 });
  // One without a price costs nothing that is known; its tokens count all the same.
  const end = { type: "check.end" as const, node, check: 1, on: a, outcome: "passed" as const, by: "m" };
  world.tell({ ...end, output: "", seconds: 0, usage: { ...usage, priced: false } }, "alice");
  expect(world.state.usage.get("m")).toMatchObject({ calls: 2, usd: 0.5, unpriced: 1 });
});

test.each([
  ["is published", (node: string) => ({ type: "node.publish", node, summary: "s", files: [], on: b })],
  [
    "fails",
    (node: string) => ({ type: "node.fail", node, reason: { code: "x", message: "m", next_mover: "coordinator" } }),
  ],
  ["is cancelled", (node: string) => ({ type: "node.cancel", node, reason: "r" })],
])("a review that is under way when its node %s is charged as reserved", (how, command) => {
  const { world, node } = working([review]);
  world.tell({ type: "check.start", node, check: 1, on: a, by: "m", payer: "bob", reserve: money(1) }, "alice");
  world.tell(command(node) as never, how === "is published" ? "alice" : "coordinator");
  expect(world.state.reviews.size).toBe(0);
  expect(world.state.accounts.get(`node:${node}`)).toMatchObject({ spent: { usd: 1 }, reserved: { usd: 0 } });
});

test.each([["run.finish"], ["agent.stop"]])(
  "the reviews of a run, of its answer and of its nodes, end with it: %s",
  (type) => {
    const { world, node } = working([review]);
    const ask = { type: "check.start" as const, check: 1, on: a, by: "m", reserve: money(1) };
    world.tell({ ...ask, payer: "coordinator" }, "coordinator");
    world.tell({ ...ask, node, payer: "bob" }, "alice");
    expect([...world.state.reviews.keys()]).toEqual(["run", node]);
    expect(world.state.accounts.get("run")).toMatchObject({ spent: { usd: 0 }, reserved: { usd: 2 } });
    world.tell((type === "run.finish" ? { type, summary: "s" } : { type }) as never);
    if (type === "agent.stop") world.tell({ type: "run.start" });
    expect(world.state.reviews.size).toBe(0);
    const closed = world.state.accounts.get("agent");
    expect(closed).toMatchObject({ spent: { usd: 2 }, reserved: { usd: 0 } });
  },
);

test("a check of the answer says what it is; its number may mean another one in the next attempt", () => {
  const world = start();
  const end = (what?: Check, outcome = "passed") =>
    world.tell(
      { type: "check.end", check: 1, on: a, what, outcome, by: "runtime", output: "", seconds: 1 } as never,
      "coordinator",
    );
  expect(() => end()).toThrow(/check 1 of the run: it must be said what it is/);
  expect(end(machine)).toHaveLength(1);
  expect(end(machine, "failed")).toEqual([]);
  expect(end(other, "failed")).toHaveLength(1);
  expect(world.state.run?.results).toMatchObject([{ what: other, outcome: "failed" }]);
});

test("a result that comes after the end of its node or run changes nothing", () => {
  const { world, node } = working([machine]);
  const late = { check: 1, on: a, what: machine, outcome: "passed", by: "runtime", output: "", seconds: 1 } as const;
  world.tell({ type: "node.cancel", node, reason: "r" });
  world.append({ type: "check.ended", data: { ...late, node } });
  world.append({ type: "check.ended", data: { ...late, node: "n99-gone" } });
  expect(world.state.nodes.get(node)).not.toHaveProperty("results");
  expect(world.state.nodes.has("n99-gone")).toBe(false);
  world.tell({ type: "run.finish", summary: "s" });
  world.append({ type: "check.ended", data: late });
  expect(world.state.run).not.toHaveProperty("results");
});

test("only what is completed has evidence; an older log that does not say means claimed; only what is completed is part of the answer", () => {
  const { world, node, end, publish } = working([machine]);
  const at = () => world.state.nodes.get(node)!;
  end(1, "passed");
  expect(evidenceOf(at())).toBeUndefined();
  expect(inputsOf(world.state)).toEqual([]);
  world.tell({ ...publish, on: a, partial: true }, "alice");
  const again = world.node({ worker: "bob", retry_of: node });
  expect(evidenceOf(at())).toBe("verified");
  const { evidence: _, ...older } = at() as { evidence?: Evidence };
  expect(evidenceOf(older as never)).toBe("claimed");
  // What is tried again stays part of it until the new attempt is completed.
  expect(world.state.nodes.get(again)).toMatchObject({ retry_of: node });
  expect(inputsOf(world.state).map(({ id }) => id)).toEqual([node]);
});

test("a review of the whole does not speak for the parts if something else could not be done", () => {
  const { world, publish } = working([]);
  world.tell({ ...publish, on: a }, "alice");
  const results = (...outcomes: CheckResult["outcome"][]) =>
    outcomes.map((outcome, at) => result([machine, review][at]!, at + 1, outcome));
  world.state.run = { ...world.state.run!, results: results("passed", "errored") };
  expect(proofOf(world.state, [machine, review], a).evidence).toBe("claimed");
  world.state.run = { ...world.state.run!, results: results("errored", "passed") };
  expect(proofOf(world.state, [machine, review], a).evidence).toBe("reviewed");
});
