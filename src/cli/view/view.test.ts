import fc from "fast-check";
import { createColors } from "picocolors";
import { expect, test } from "vitest";
import { start, t0 } from "../../core/core.test-help.ts";
import { emptyState } from "../../core/state.ts";
import type { Event, Fact } from "../../schema/event.ts";
import { clean, truncate, widthOf, wrap } from "../terminal/text.ts";
import { newsLines } from "./event-lines.ts";
import { board, endingLines, tree } from "./view.ts";

const look = { width: 80, colors: createColors(false), since: t0, rows: 24 };
const paths = { output: "/h/_output.md", run: "/h/r 1", log: "/h/it's/events.jsonl" };

/** A run in which alice holds n1, n2 waits for it and bob made a node under n1. */
function team() {
  const world = start();
  world.tell({ type: "node.create", name: "Chips", task: "list chips", worker: "alice" }, "coordinator");
  world.tell({ type: "node.create", name: "Report", task: "write", refs: { chips: "n1-chips" } }, "coordinator");
  world.tell({ type: "node.create", name: "Prices", task: "find prices", parent: "n1-chips", worker: "bob" }, "alice");
  world.tell({ type: "turn.start", participant: "alice", reserve: { usd: 0, tokens: 0 } }, "alice");
  return world;
}

const linesOf = (events: readonly Event[], at = look) => newsLines(emptyState(), events, at);

test("nodes are a tree: what a node created stands under it, every status has a glyph and a word", () => {
  expect(tree(team().state, look)).toEqual([
    "├─ ◐ running    n1 Chips      Alice  turn 1/20",
    "│  └─ ◌ assigned   n3 Prices  Bob",
    "└─ ◌ pending    n2 Report            after n1",
  ]);
});

test("a board too small for all nodes keeps those that are alive", () => {
  const world = team();
  for (const node of ["n1-chips", "n3-prices"]) world.tell({ type: "node.cancel", node, reason: "not needed" });
  expect(tree(world.state, { ...look, rows: 2 })).toEqual(["├─ … 2 more", "└─ ◌ pending    n2 Report    after n1"]);
});

test("the board says what it costs, who is at which turn with what, and what waits for the human", () => {
  const world = team();
  world.tell({ type: "question.ask", by: "bob", text: "Which\nprices?" }, "bob");
  const lines = board(world.state, t0 + 5_000, { ...look, rows: 12, hint: "Ctrl-C pauses" });
  expect(lines[0]).toMatch(/^Know chips +\S.*, 5 s$/);
  expect(lines).toContain("├─ ◐ running    n1 Chips      Alice  turn 1/20");
  expect(lines.at(-2)).toMatch(/^Coordinator idle .* Ctrl-C pauses$/);
  expect(lines.at(-1)).toBe("? q1 Bob: Which prices?");
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(80);
});

test("what was completed in part, tried again or suggested is said", () => {
  const world = team();
  const files = [{ path: "a.md", size: 3, sha256: "0".repeat(64) }];
  world.tell({ type: "suggestion.make", by: "alice", text: "look at prices" }, "alice");
  world.tell(
    { type: "node.publish", node: "n1-chips", summary: "Half.", partial: true, limit: "limit.turns", files },
    "alice",
  );
  const lines = linesOf(world.log).join("\n");
  expect(lines).toContain("Alice suggests (sg1): look at prices");
  expect(lines).toContain("● completed  n1 Chips in part (limit.turns), Alice published a.md");
  expect(tree(world.state, look)[0]).toMatch(/^├─ ◑ partial .*limit.turns: a.md$/);
});

test("events become lines: who joins, which node starts, who says what to whom", () => {
  const world = team();
  world.now += 65_000;
  world.tell({ type: "message.post", from: "alice", to: "Bob", text: "Have a look\nat n1." }, "alice");
  const lines = linesOf(world.log).map((line) => line.trim());
  expect(lines).toContain("0 s  Alice joined");
  expect(lines).toContain("0 s  ◐ running    n1 Chips, Alice");
  expect(lines).toContain("0 s  ◌ pending    n2 Report, new");
  expect(lines).toContain("0 s  ◌ pending    n3 Prices, new (created by Alice)");
  expect(lines).toContain("65 s  Alice → Bob: Have a look at n1.");
});

test("what was published is named, with its summary", () => {
  const world = team();
  const files = [{ path: "chips.md", size: 3, sha256: "0".repeat(64) }];
  world.tell({ type: "node.publish", node: "n1-chips", summary: "Three chips.", files }, "alice");
  expect(linesOf(world.log).slice(-2)).toEqual([
    "   0 s  ● completed  n1 Chips, Alice published chips.md",
    "          ○ claimed  Three chips.",
  ]);
});

test("what stands behind a result is said beside it, and a check that failed while its worker mends it", () => {
  const world = team();
  const what = { run: "npm test" };
  const on = "0".repeat(64);
  world.state.nodes.set("n1-chips", { ...world.state.nodes.get("n1-chips")!, checks: [what] });
  const result = { node: "n1-chips", check: 1, on, what, by: "runtime", output: "", seconds: 1 };
  world.append({ type: "check.ended", data: { ...result, outcome: "failed" } }, "system");
  expect(tree(world.state, look)[0]).toMatch(/^├─ ◐ running .*check failed, being mended: run npm test$/);
  world.append({ type: "check.ended", data: { ...result, outcome: "passed" } }, "system");
  world.tell({ type: "node.publish", node: "n1-chips", summary: "s", files: [], on } as never, "alice");
  expect(tree(world.state, look)[0]).toMatch(/^├─ ● completed .*■ verified$/);
});

test("a run that is over ends with the answer, whole paths and the next thing to look at", () => {
  const world = team();
  world.tell({ type: "run.finish", summary: "Buy three.\n\n- one\n- two" }, "coordinator");
  expect(endingLines(world.state, paths, t0 + 9_000, look)).toEqual([
    "",
    "The answer",
    "",
    "  Buy three.",
    "",
    "  - one",
    "  - two",
    "",
    "answer  /h/_output.md",
    "run     /h/r 1",
    "proof   ○ claimed",
    `took    9 s, 3 nodes, 2 workers, ${world.state.seq} events`,
    "next    every event, one per line:",
    "        cat '/h/it'\\''s/events.jsonl'",
  ]);
});

test("a run that changed the user's files ends with how to see it and take it over", () => {
  const world = team();
  const [base, made] = ["a".repeat(40), "b".repeat(40)];
  world.append({ type: "workspace.based", data: { kind: "repository", base, branch: "main" } }, "system");
  const workspace = world.state.run!.id;
  world.append({ type: "workspace.opened", data: { workspace, from: base } }, "system");
  world.append({ type: "workspace.merged", data: { workspace, commit: made, integration: made } }, "system");
  world.tell({ type: "run.finish", summary: "Done." }, "coordinator");
  const id = world.state.agent!.id;
  const ending = () => endingLines(world.state, paths, t0, look).slice(-3);
  expect(ending()).toEqual([
    "next    your files are as they were; see what was changed, and take it over:",
    `        agiraph diff ${id}`,
    `        agiraph merge ${id}`,
  ]);
  world.append({ type: "workspace.handed_over", data: { as: "merge", commit: made, into: "main" } }, "human");
  expect(ending().slice(1)).toEqual(["next    it is in main; see what was changed:", `        agiraph diff ${id}`]);
});

test("a run that leaves published work unmerged ends with the names of its nodes", () => {
  const world = team();
  const [base, made] = ["a".repeat(40), "b".repeat(40)];
  world.append({ type: "workspace.based", data: { kind: "repository", base, branch: "main" } }, "system");
  world.append({ type: "workspace.opened", data: { workspace: "n1-chips", from: base } }, "system");
  const files = [{ path: "a.txt", status: "added", binary: false, added: 1, removed: 0 }];
  const change = { base, commit: made, files, added: 1, removed: 0 };
  world.tell({ type: "node.publish", node: "n1-chips", summary: "s", files: [], change } as never, "alice");
  world.tell({ type: "run.finish", summary: "Done." }, "coordinator");
  expect(endingLines(world.state, paths, t0, look)).toContain("merge   not merged: n1-chips");
});

test("no escape sequence, control character or turn of direction in what was written reaches the terminal", () => {
  const evil = "\x1b[2J\x1b]0;owned\x07\x9b31m\x00\r\x08a\u202eb\u2028\u2066c\ud800";
  const hostile = [
    ...[..."-/.:;? "].map((c) => c),
    "\x1b",
    "\x07",
    "\x9b",
    "\x9d",
    "\r",
    "\n",
    "\t",
    "\u202e",
    "\u200f",
    "\ud800",
    "界",
    "é",
    "👩‍🔬",
    "[31m",
    "]8;;http://x",
    evil,
    "word",
  ];
  const text = fc.array(fc.constantFrom(...hostile), { minLength: 1, maxLength: 60 }).map((parts) => parts.join(""));
  const forbidden = /[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029\u200e\u200f]|[\ud800-\udbff](?![\udc00-\udfff])/u;
  fc.assert(
    fc.property(text, fc.integer({ min: 60, max: 100 }), (given, width) => {
      const world = team();
      const at = { ...look, width };
      for (const { type, data } of world.log) {
        if (type === "run.started") Object.assign(data, { goal: given });
        if (type === "worker.spawned") Object.assign(data, { name: given, role: given });
        if (type === "node.created") Object.assign(data, { name: given });
      }
      const reason = { code: "x", message: given, next_mover: "human" };
      const of = { turn: "alice.1", participant: "alice" };
      const nothing = { usd: 0, tokens: 0 };
      const files = [{ path: given, size: 1, sha256: "0".repeat(64) }];
      const facts: Fact[] = [
        {
          type: "message.posted",
          data: { message: "m1", from: "alice", to: ["bob"], text: given, priority: "normal" },
        },
        { type: "turn.retried", data: { ...of, error: given, not_before: new Date(t0).toISOString(), lost: nothing } },
        { type: "turn.answered", data: { ...of, text: given, calls: [], cost: nothing } },
        { type: "tool.ended", data: { ...of, call: "c1", tool: given, outcome: "error", result: given, final: false } },
        { type: "question.asked", data: { question: "q1", by: "alice", text: given } },
        {
          type: "setup.ended",
          data: { run: "r2", step: 1, shell: given, outcome: "failed", code: 1, output: given, size: 1, seconds: 1 },
        },
        { type: "node.failed", data: { node: "n3-prices", reason } },
        { type: "node.completed", data: { node: "n1-chips", worker: "alice", summary: given, partial: false, files } },
        { type: "worker.retired", data: { worker: "bob", reason: given } },
        { type: "agent.paused", data: { reason } },
        { type: "run.completed", data: { run: "r1", summary: given } },
      ];
      for (const fact of facts) world.append(fact);
      const state = emptyState();
      const lines = [...newsLines(state, world.log, at), ...board(state, t0, at), ...endingLines(state, paths, t0, at)];
      expect(lines.join("\n").replaceAll("\n", "")).not.toMatch(forbidden);
      for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
    }),
  );
});

test("text is cleaned, cut and broken by columns, not by characters", () => {
  expect(clean(" a\x1b[31mb\n\tc\x07 ")).toBe("a<U+001B>[31mb c<U+0007>");
  expect(truncate("世界世界", 5)).toBe("世界…");
  expect(truncate("short", 5)).toBe("short");
  expect(widthOf("e\u0301")).toBe(1);
  expect(wrap("one two three\n- four five six\n| a  |  b |", 9)).toEqual([
    "one two",
    "three",
    "- four",
    "  five",
    "  six",
    "| a  |…",
  ]);
});
