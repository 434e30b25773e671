import { describe, expect, test } from "vitest";
import { start } from "../core.test-help.ts";

describe("a run", () => {
  test("starts with the coordinator and the human, and its goal is the coordinator's first mail", () => {
    const { append, state } = start();
    append({ type: "run.started", data: { run: "r2", goal: "More" } }, "human");
    expect([...state.participants.keys()]).toEqual(["human", "coordinator"]);
    expect(state.participants.get("coordinator")).toEqual({
      kind: "coordinator",
      id: "coordinator",
      name: "Coordinator",
      read: 0,
      unread: [{ seq: state.seq, from: "human", kind: "message", text: "More" }],
      turns: 0,
      next: "rest",
      stall: { alone: 0, nudges: 0, repeats: [], fruitless: 0, fruitful: false, compactions: 0 },
      done: [],
      conversation: [],
      retired: false,
    });
    expect(state.participants.get("human")).toEqual({ kind: "human", id: "human", name: "Human", read: 0, unread: [] });
  });

  test("is started only when none is open", () => {
    const { refused, tell } = start();
    expect(refused({ type: "run.start" })).toMatch(/^wrong_state: r1 is still open;/);
    tell({ type: "agent.pause" });
    expect(refused({ type: "run.start" })).toBe(
      "wrong_state: chips is paused; this command needs it to be active or completed or stopped or failed",
    );
  });

  test("has the agent's goal unless it is given its own", () => {
    const { tell, state } = start();
    tell({ type: "run.finish", summary: "done" });
    tell({ type: "run.start" });
    expect(state.run).toEqual({
      status: "open",
      id: "r2",
      goal: "Know chips",
      started_at: "2026-01-01T00:00:00.000Z",
      first_seq: state.seq,
      answers: 0,
    });
    tell({ type: "run.finish", summary: "done" });
    tell({ type: "run.start", goal: "Other" });
    expect(state.run).toMatchObject({ id: "r3", goal: "Other" });
    expect(state.past.map((run) => run.id)).toEqual(["r1", "r2"]);
  });

  test("begins with an empty board and channel; what outlives a run stays", () => {
    const { tell, node, state } = start();
    node();
    tell({ type: "stage.start", name: "first" });
    tell({ type: "question.ask", by: "coordinator", text: "?" }, "coordinator");
    tell({ type: "message.post", text: "hello" });
    tell({ type: "proposal.create", text: "which?", options: ["a", "b"] });
    tell({
      type: "trigger.create",
      schedule: { type: "delayed", delay_seconds: 60 },
      action: { type: "wake_agent", text: "x" },
    });
    tell({ type: "file.write", path: "GOAL.md", sha256: "0".repeat(64) });
    tell({ type: "run.finish", summary: "done" });
    tell({ type: "run.start" });
    for (const part of ["nodes", "stages", "questions", "proposals", "documents", "resources"] as const)
      expect(state[part].size).toBe(0);
    expect(state.channel).toEqual([]);
    expect(state.triggers.size).toBe(1);
    expect(state.files.size).toBe(1);
    expect(state.counts).toEqual({ messages: 1, messages_before_run: 1, triggers: 1 });
    tell({ type: "message.post", text: "again" });
    expect(state.channel.map((message) => message.id)).toEqual(["m2"]);
  });
});

test("a plan is kept with its run, and only an open run has one", () => {
  const { tell, refused, append, state } = start();
  tell({ type: "run.plan", plan: "first this" });
  tell({ type: "run.plan", plan: "no, that" });
  expect(state.run).toMatchObject({ plan: "no, that" });
  tell({ type: "run.finish", summary: "done" });
  expect(state.run).not.toHaveProperty("plan");
  expect(refused({ type: "run.plan", plan: "late" })).toBe(
    "wrong_state: chips is completed; this command needs it to be active or paused or stopped",
  );
  append({ type: "run.planned", data: { run: "r1", plan: "late" } });
  expect(state.run).not.toHaveProperty("plan");
});

describe("finishing", () => {
  test("completes run and agent with the answer", () => {
    const { tell, state } = start();
    tell({ type: "run.finish", summary: "42" }, "coordinator");
    expect(state.run).toEqual({
      status: "completed",
      id: "r1",
      goal: "Know chips",
      started_at: "2026-01-01T00:00:00.000Z",
      first_seq: 2,
      answers: 1,
      evidence: "claimed",
      summary: "42",
      ended_at: "2026-01-01T00:00:00.000Z",
      last_seq: 5,
    });
    expect(state.agent).toMatchObject({ status: "completed", summary: "42", since: "2026-01-01T00:00:00.000Z" });
  });

  test("cancels what is still alive, and leaves what has ended as it is", () => {
    const { tell, node, state } = start();
    const [done, pending] = [node(), node({ depends_on: ["n1-do-it"] })];
    tell({ type: "node.fail", node: done, reason: { code: "x", message: "x", next_mover: "coordinator" } });
    tell({ type: "run.finish", summary: "s" }, "coordinator");
    expect(state.nodes.get(done)?.status).toBe("failed");
    expect(state.nodes.get(pending)).toMatchObject({
      status: "cancelled",
      reason: { code: "run.completed", message: "the run was finished", next_mover: "nobody" },
    });
  });

  test("gives up the calls under way", () => {
    const { tell, begin, thinker, all } = start();
    begin("coordinator");
    tell({ type: "run.finish", summary: "s" });
    expect(thinker("coordinator").turn).toBeUndefined();
    expect(all("turn.failed")[0]?.data.reason.message).toBe("the run is completed");
  });

  test("happens once", () => {
    const { tell, refused, append, state } = start();
    tell({ type: "run.finish", summary: "first" });
    expect(refused({ type: "run.finish", summary: "second" })).toBe(
      "wrong_state: chips is completed; this command needs it to be active or paused or stopped",
    );
    append({ type: "run.completed", data: { run: "r1", summary: "second" } });
    append({ type: "run.stopped", data: { run: "r1" } });
    expect(state.run).toMatchObject({ status: "completed", summary: "first" });
  });

  test("is made good after a crash that kept only its first events", () => {
    const world = start();
    world.node();
    const events = world.tell({ type: "run.finish", summary: "42" }, "coordinator");
    const kept = events.findIndex((event) => event.type === "run.completed") + 1;
    world.restart(events.length - kept);
    expect(world.state.agent).toMatchObject({ status: "completed", summary: "42" });
    expect(world.all("agent.completed")).toHaveLength(1);
  });
});

test("a vote that a run left open is withdrawn with it", () => {
  const { tell, state } = start();
  tell({ type: "proposal.create", text: "?", options: ["a", "b"], voters: ["alice", "bob"] });
  tell({ type: "proposal.vote", proposal: "p1", voter: "alice", option: "a" }, "alice");
  tell({ type: "run.finish", summary: "s" });
  expect(state.proposals.get("p1")).toMatchObject({ status: "withdrawn", votes: { alice: "a" } });
});

test("a stopped run is over without an answer", () => {
  const { append, state, refused } = start();
  append({ type: "run.stopped", data: { run: "r1" } });
  expect(state.run).toMatchObject({ status: "stopped", ended_at: "2026-01-01T00:00:00.000Z", last_seq: state.seq });
  expect(refused({ type: "run.plan", plan: "x" })).toBe("wrong_state: r1 is stopped; start a new run first");
});

test("without a run, what belongs to a run is refused", () => {
  const world = start();
  world.log = world.log.slice(0, 1);
  world.restart();
  const { refused } = world;
  expect(refused({ type: "run.plan", plan: "x" })).toBe("wrong_state: no run has been started yet");
  expect(refused({ type: "node.create", task: "x" })).toBe("wrong_state: no run has been started yet");
  expect(refused({ type: "message.post", text: "x" })).toBe("wrong_state: chips has no run yet; start one first");
  expect(refused({ type: "worker.retire", worker: "alice" })).toBe(
    'not_found: there is no participant "alice"; participants: none before a run starts',
  );
});

test("writing to a completed agent opens the same run again", () => {
  const { tell, state, thinker } = start();
  tell({ type: "run.plan", plan: "x" });
  tell({ type: "run.finish", summary: "42" }, "coordinator");
  const events = tell({ type: "message.post", text: "and now?" });
  expect(events.map((event) => event.type)).toEqual(["message.posted", "agent.reopened"]);
  expect(state.agent?.status).toBe("active");
  expect(state.run).toEqual({
    status: "open",
    id: "r1",
    goal: "Know chips",
    started_at: "2026-01-01T00:00:00.000Z",
    first_seq: 2,
    answers: 1,
  });
  expect(thinker("coordinator").unread.at(-1)?.text).toBe("and now?");
  expect(tell({ type: "message.post", text: "and then?" }).map((event) => event.type)).toEqual(["message.posted"]);
});

test("an agent that is reopened while its run is open changes nothing in it", () => {
  const { tell, append, state } = start();
  tell({ type: "run.plan", plan: "x" });
  append({ type: "agent.reopened", data: {} });
  expect(state.run).toMatchObject({ status: "open", plan: "x" });
});
