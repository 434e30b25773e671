import { describe, expect, test } from "vitest";
import { start, type World } from "../core.test-help.ts";
import { appointments } from "../decide.ts";
import { agentStatus } from "./status.ts";

/** Alice runs n1, n2 is ready and waits for bob's hands, n3 waits for n1; bob has published n4; both ask. */
function busy(): World {
  const world = start();
  world.turn("coordinator");
  const done = world.node({ task: "Done", worker: "bob" });
  world.turn("bob", "write");
  world.tell({ type: "node.publish", node: done, summary: "s", files: [] }, "bob");
  const first = world.node({ task: "First", worker: "alice" });
  world.turn("alice", "look");
  world.node({ task: "Second", depends_on: [first] });
  world.tell({ type: "question.ask", by: "alice", text: "Which?", deadline_seconds: 60 }, "alice");
  world.tell({ type: "question.ask", by: "coordinator", text: "Really?" }, "coordinator");
  world.turn("coordinator");
  return world;
}
const statuses = ({ state }: World) => [...state.nodes.values()].map(({ id, status }) => `${id} ${status}`);

describe("a stop", () => {
  test("cancels what is alive, with the reason, and leaves what is over", () => {
    const world = busy();
    world.begin("alice");
    world.node({ task: "Third", worker: "bob" });
    world.tell({ type: "agent.stop" });
    expect([world.thinker("alice").unread, world.thinker("bob").unread]).toEqual([[], []]);
    world.state.nodes.delete("n4-third");
    expect(statuses(world)).toEqual(["n1-done completed", "n2-first cancelled", "n3-second cancelled"]);
    expect(world.state.nodes.get("n2-first")).toMatchObject({
      reason: { code: "stopped", message: "the agent was stopped", next_mover: "coordinator" },
    });
    expect(world.thinker("alice")).toMatchObject({ node: undefined, turn: undefined, wait: undefined });
    expect(world.state.run?.status).toBe("open");
  });

  test("leaves the coordinator one entry that sums up the board, and its conversation", () => {
    const world = busy();
    const { conversation } = world.thinker("coordinator");
    const before = conversation.length;
    world.tell({ type: "agent.stop" });
    expect(world.thinker("coordinator").conversation).toHaveLength(before);
    expect(world.thinker("coordinator").unread).toMatchObject([{ from: "system", kind: "message" }]);
    expect(world.thinker("coordinator").unread[0]?.text.split("\n").slice(1)).toEqual([
      "The board:",
      "- n2-first: was running by alice and is cancelled",
      "- n3-second: was pending and is cancelled",
      "- n1-done: completed by bob",
      "Workers, all idle now: Alice, Bob.",
      "Still open are your questions q2.",
      "What was cancelled is begun again only if you create it anew.",
    ]);
    expect(world.thinker("alice").unread).toEqual([]);
  });

  test("tells the coordinator that the stage was cut short, so that it is not taken for done", () => {
    const world = start();
    world.tell({ type: "stage.start", name: "Research" }, "coordinator");
    world.node({ task: "First", worker: "alice" });
    world.turn("coordinator");
    world.tell({ type: "agent.stop" });
    expect(world.all("agent.stopped")[0]?.data.summary).toContain(
      "The stage Research (s1) was cut short by this and is not done.",
    );
    world.tell({ type: "agent.resume" });
    world.tell({ type: "agent.stop" });
    expect(world.all("agent.stopped")[1]?.data.summary).not.toContain("cut short");
  });

  test("closes the questions of workers and keeps the coordinator's", () => {
    const world = busy();
    world.tell({ type: "agent.stop" });
    expect(world.state.questions.get("q1")).toMatchObject({ status: "expired" });
    expect(world.all("question.expired")[0]?.data.over).toBe("the agent was stopped");
    expect(world.state.questions.get("q2")).toMatchObject({ status: "open" });
    expect(appointments(world.state)).toEqual([]);
  });

  test("gives up a call that waits for a word, and its question", () => {
    const world = start();
    const of = world.answer("coordinator", ["bash"]);
    world.tell({ type: "tool.ask", ...of, call: "c1", text: "May I?" }, "coordinator");
    world.tell({ type: "agent.stop" });
    expect(world.thinker("coordinator").turn).toBeUndefined();
    expect(world.state.questions.get("q1")?.status).toBe("expired");
  });

  test("lets nothing be put on the board until it goes on", () => {
    const world = busy();
    world.tell({ type: "agent.stop" });
    expect(world.refused({ type: "node.create", task: "x" })).toBe(
      "wrong_state: chips is stopped; this command needs it to be active or paused",
    );
  });

  test.each([
    ["a word to the coordinator", { type: "message.post", text: "go on" }],
    ["a word to a worker", { type: "message.post", to: "alice", text: "go on" }],
    ["an answer", { type: "question.answer", question: "q2", answer: "yes" }],
    ["resuming", { type: "agent.resume" }],
  ] as const)("is ended by %s, in the same run", (_what, command) => {
    const world = busy();
    world.tell({ type: "agent.stop" });
    world.tell(command);
    expect(world.state.agent).toMatchObject({ status: "active" });
    expect(world.state.agent).not.toHaveProperty("heard");
    expect(world.state.run).toMatchObject({ id: "r1", status: "open" });
    expect(agentStatus(world.state)).toBe("working");
    world.node({ task: "Anew", worker: "alice" });
    expect(world.thinker("alice").node).toBe("n4-anew");
  });

  test("is not ended by what was said before it, nor by what others say", () => {
    const world = busy();
    world.tell({ type: "message.post", text: "an old word" });
    world.tell({ type: "agent.stop" });
    world.tell({ type: "message.post", from: "bob", to: "coordinator", text: "hi" }, "bob");
    expect(world.state.agent?.status).toBe("stopped");
  });

  test("is made good wherever a crash cut it off", () => {
    for (let lost = 0; lost < 6; lost++) {
      const world = busy();
      const events = world.tell({ type: "agent.stop" });
      if (lost >= events.length) break;
      world.restart(lost);
      expect(statuses(world)).toEqual(["n1-done completed", "n2-first cancelled", "n3-second cancelled"]);
      expect(world.thinker("coordinator").unread).toHaveLength(1);
      world.tell({ type: "message.post", text: "go on" });
      expect(world.state.agent?.status).toBe("active");
    }
  });
});

describe("the next run", () => {
  const triggers = {
    type: "trigger.create",
    schedule: { type: "scheduled", cron: "0 9 * * *" },
    action: { type: "wake_agent", text: "x" },
  } as const;

  test.each(["finished", "stopped"])("after one that was %s begins anew, and what is the agent's stays", (how) => {
    const world = busy();
    world.tell(triggers);
    world.tell({ type: "budget.set", scope: { of: "agent" }, limit: { usd: 5 } });
    world.tell({ type: "budget.set", scope: { of: "run" }, limit: { usd: 3 } });
    world.tell({ type: "proposal.create", text: "?", options: ["a", "b"], voters: ["alice"] });
    world.tell({ type: "message.post", text: "hi" });
    world.answer("coordinator", [], { usd: 1, tokens: 10 });
    world.tell(how === "finished" ? { type: "run.finish", summary: "s" } : { type: "agent.stop" });
    const events = world.tell({ type: "run.start", goal: "More", budget: { usd: 2 }, model: "scripted/other" });
    const { state } = world;
    expect(events.at(-1)).toMatchObject({ type: "run.started", run: "r2", data: { run: "r2", goal: "More" } });
    expect(state.agent).toMatchObject({ status: "active", goal: "Know chips", model: "scripted/other" });
    expect(state.past).toMatchObject([{ id: "r1", status: how === "finished" ? "completed" : "stopped" }]);
    expect(state.past[0]).not.toHaveProperty("next");
    expect([...state.participants.keys()]).toEqual(["human", "coordinator"]);
    expect([state.nodes.size, state.questions.size, state.proposals.size]).toEqual([0, 0, 0]);
    expect(state.triggers.get("t1")?.status).toBe("active");
    expect(state.accounts.get("agent")).toMatchObject({ limit: { usd: 5 }, spent: { usd: 1 } });
    expect(state.accounts.get("run")).toMatchObject({ limit: { usd: 2 }, spent: { usd: 0 } });
    const closed = world.log.filter(({ type }) => type === "question.expired" || type === "proposal.withdrawn");
    expect(closed.map(({ data }) => Object.values(data)[0]).sort()).toEqual(["p1", "q1", "q2"]);
  });

  test("of a stopped agent starts even if a crash kept only its first event", () => {
    const world = busy();
    world.tell({ type: "agent.stop" });
    const events = world.tell({ type: "run.start", goal: "More" });
    expect(events[0]).toMatchObject({ type: "run.stopped", data: { run: "r1", next: { run: "r2" } } });
    world.restart(events.length - 1);
    expect(world.state.run).toMatchObject({ id: "r2", goal: "More", status: "open" });
  });

  test("is refused while one is under way, with what to do first", () => {
    const world = busy();
    expect(world.refused({ type: "run.start" })).toBe("wrong_state: r1 is still open; finish it or stop chips first");
  });
});

test("archiving ends everything and everyone is told so by the log", () => {
  const world = busy();
  world.tell({
    type: "trigger.create",
    schedule: { type: "heartbeat", interval_seconds: 60 },
    action: { type: "wake_agent", text: "x" },
  });
  world.tell({ type: "proposal.create", text: "?", options: ["a", "b"], voters: ["alice"] });
  const events = world.tell({ type: "agent.archive" });
  world.restart(events.length - 1);
  const { state } = world;
  expect(statuses(world).filter((line) => !/completed|cancelled/.test(line))).toEqual([]);
  expect([...state.questions.values()].map(({ status }) => status)).toEqual(["expired", "expired"]);
  expect(state.proposals.get("p1")?.status).toBe("withdrawn");
  expect(state.triggers.get("t1")?.status).toBe("cancelled");
  expect(state.run?.status).toBe("stopped");
  expect(appointments(state)).toEqual([]);
  expect(world.refused({ type: "run.start" })).toBe("wrong_state: chips is archived and accepts no commands");
});

describe("an agent without end", () => {
  const infinite = () => {
    const world = start();
    world.state.agent = { ...world.state.agent!, mode: "infinite" };
    return world;
  };

  test("does not finish by itself and is told what to do instead", () => {
    const world = infinite();
    expect(world.refused({ type: "run.finish", summary: "s" }, "coordinator")).toMatch(
      /^wrong_state: chips is an infinite agent .* call checkpoint .* rest: the next cycle wakes you\. Only the human can stop it\.$/,
    );
  });

  test("has as many nodes and stages a day as others have in all", () => {
    const world = start({ nodes_per_run: 2, stages_per_run: 1 });
    world.state.agent = { ...world.state.agent!, mode: "infinite" };
    const stage = { type: "stage.start", name: "Look", policy: "all" } as const;
    for (let day = 0; day < 3; day++) {
      world.tell(stage);
      world.tell({ type: "stage.complete", assessment: "seen" });
      expect(world.refused(stage)).toBe("limit_reached: this run has used up its 1 stages of a day");
      for (let n = 0; n < 2; n++) world.tell({ type: "node.cancel", node: world.node(), reason: "enough" });
      expect(world.refused({ type: "node.create", task: "x" })).toMatch(
        /^limit_reached: this run may have 2 nodes a day \(limit 2\);/,
      );
      world.now += 86_400_000;
    }
    expect(world.all("node.created").map(({ data }) => data.node.split("-")[0])).toEqual([
      "n1",
      "n2",
      "n3",
      "n4",
      "n5",
      "n6",
    ]);
  });

  test("is finished by the human", () => {
    const world = infinite();
    world.tell({ type: "run.finish", summary: "enough" });
    expect(world.state.agent?.status).toBe("completed");
  });
});

test("the summary of a large board names sixty nodes, those that were alive first, and how many more there are", () => {
  const board = (nodes: number) => {
    const world = start({ live_nodes: 100 });
    const done = world.node({ name: "done" });
    world.tell({ type: "node.cancel", node: done, reason: "r" });
    for (let n = 1; n < nodes; n++) world.node({ name: "x", worker: "alice" });
    world.tell({ type: "agent.stop" });
    const lines = world.all("agent.stopped")[0]!.data.summary!.split("\n");
    return lines.filter((line) => line.startsWith("- "));
  };
  expect(board(60)).toHaveLength(60);
  expect(board(60).at(-1)).toBe("- n1-done: cancelled by alice");
  expect(board(63)).toHaveLength(61);
  expect(board(63)[0]).toBe("- n2-x: was assigned by alice and is cancelled");
  expect(board(63)[1]).toBe("- n3-x: was pending and is cancelled");
  expect(board(63).at(-1)).toBe("- and 3 more");
});
