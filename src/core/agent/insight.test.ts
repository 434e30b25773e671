import { expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";

const hash = (letter: string) => letter.repeat(64);
const idea = { type: "insight.propose" as const, by: "alice", subject: "Release day", text: "We ship on Tuesdays." };

/** A stranger's text was read. */
function taint(world: World, participant = "coordinator"): void {
  const of = world.answer(participant, ["web_fetch"]);
  world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "x", outside: "evil.example" }, participant);
  world.tell({ type: "turn.end", ...of }, participant);
}

test("a worker proposes for itself; the coordinator or the human decides, once", () => {
  const world = start();
  world.tell({ ...idea, by: "bob" }, "alice");
  expect(world.state.insights.get("i1")).toMatchObject({
    by: "alice",
    status: "open",
    kind: "fact",
    visibility: "private",
  });
  const accept = {
    type: "insight.accept" as const,
    insight: "i1",
    path: "memory/knowledge/x.md",
    outcome: "created" as const,
  };
  expect(world.refused(accept, "bob")).toContain("forbidden: bob cannot accept i1");
  expect(world.refused({ type: "insight.decline", insight: "i1", reason: "no" }, "bob")).toContain("forbidden");
  world.tell(accept, "coordinator");
  expect(world.state.insights.get("i1")).toMatchObject({ status: "accepted", decided_by: "coordinator" });
  expect(world.tell(accept, "human")).toEqual([]);
  expect(world.refused({ type: "insight.decline", insight: "i1", reason: "no" })).toBe(
    "wrong_state: i1 was accepted by coordinator",
  );
  expect(world.refused({ ...accept, insight: "i2" })).toBe("not_found: there is no insight i2; open insights: none");
});

test("what a run proposes after it has read what strangers wrote, only the human accepts", () => {
  const world = start();
  taint(world);
  world.tell(idea, "alice");
  expect(world.state.insights.get("i1")).toMatchObject({ outside: "evil.example" });
  const accept = { type: "insight.accept" as const, insight: "i1", path: "memory/a.md", outcome: "created" as const };
  for (const actor of ["coordinator", "system"])
    expect(world.refused(accept, actor)).toBe(
      "forbidden: i1 is from a run that has read what evil.example says; only the human can accept it",
    );
  world.tell(accept, "human");
  expect(world.state.insights.get("i1")?.status).toBe("accepted");
});

test("a message of another agent counts as much as a stranger's text, and so does text that was read since", () => {
  const world = start();
  world.tell(idea, "alice");
  const mail = {
    from: "other",
    born: "2026-01-01T00:00:00.000Z",
    seq: 1,
    text: "remember this",
    priority: "normal",
    hops: 1,
  };
  world.tell({ type: "message.receive", ...mail } as never, "agent:other");
  world.tell({ ...idea, subject: "Another" }, "alice");
  expect(world.state.insights.get("i1")).not.toHaveProperty("outside", expect.anything());
  expect(world.state.insights.get("i2")).toMatchObject({ outside: "agent:other" });
  const accept = { type: "insight.accept" as const, insight: "i1", path: "memory/a.md", outcome: "created" as const };
  expect(world.refused(accept, "coordinator")).toContain("only the human can accept i1");
  // The guard's rules may: it was proposed before.
  world.tell(accept, "system");
});

test("a held note has one proposal per run, with its last version and what it was written over first", () => {
  const world = start();
  const held = (sha256: string, base: string | null, run = "r1") =>
    world.tell({ ...idea, run, file: { path: "MEMORY.md", sha256, base } }, "coordinator");
  held(hash("a"), hash("0"));
  held(hash("b"), hash("a"));
  expect(held(hash("b"), hash("a"))).toEqual([]);
  held(hash("c"), null, "r2");
  expect([...world.state.insights.values()].map(({ id, file }) => [id, file])).toEqual([
    ["i1", { path: "MEMORY.md", sha256: hash("b"), base: hash("0") }],
    ["i2", { path: "MEMORY.md", sha256: hash("c"), base: null }],
  ]);
});

test("proposals outlive their run, and only so many are open or remembered", () => {
  const world = start();
  for (let n = 0; n < 200; n++) world.tell({ ...idea, subject: `s${n}` }, "alice");
  expect(world.refused(idea, "alice")).toContain("limit_reached: 200 insights wait");
  for (let n = 1; n <= 150; n++) world.tell({ type: "insight.decline", insight: `i${n}`, reason: "no" });
  expect(world.state.insights.size).toBe(150);
  expect(world.state.insights.has("i50")).toBe(false);
  world.tell(idea, "alice");
  expect(world.state.insights.get("i201")?.status).toBe("open");
});

test("a reflection is reserved, one at a time, and charged once what it cost", () => {
  const world = start();
  world.tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: 1 } });
  const begin = { type: "reflection.start" as const, run: "r1", model: "m", reserve: { usd: 0.6, tokens: 10 } };
  expect(world.refused(begin, "coordinator")).toContain("forbidden: Coordinator cannot send reflection.start");
  world.tell(begin, "system");
  expect(world.refused(begin, "system")).toBe("wrong_state: another reflection is still running");
  world.tell({ type: "reflection.end", proposed: 2, cost: { usd: 0.1, tokens: 5 } }, "system");
  expect(world.state.accounts.get("agent")).toMatchObject({
    spent: { usd: 0.1, tokens: 5 },
    reserved: { usd: 0, tokens: 0 },
  });
  expect(world.state.reflections).toEqual({ calls: 1, usd: 0.1, tokens: 5 });
  expect(world.tell({ type: "reflection.end", proposed: 0 }, "system")).toEqual([]);
  expect(world.refused({ ...begin, reserve: { usd: 0.95, tokens: 0 } }, "system")).toContain("budget_exhausted");
});

test("a reflection that the next run finds under way is charged what was reserved, in the budgets of its own run", () => {
  const world = start();
  world.tell({ type: "reflection.start", run: "r1", model: "m", reserve: { usd: 0.6, tokens: 10 } }, "system");
  world.append({ type: "run.started", data: { run: "r2", goal: "again" } });
  expect(world.state.accounts.get("agent")).toMatchObject({ spent: { usd: 0.6 }, reserved: { usd: 0 } });
  expect(world.state.accounts.get("run")?.reserved.usd ?? 0).toBe(0);
  expect(world.tell({ type: "reflection.end", proposed: 0 }, "system")).toEqual([]);
});
