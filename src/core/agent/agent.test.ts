import { describe, expect, test } from "vitest";
import type { CommandInput } from "../../schema/command.ts";
import { commands } from "../../schema/command.ts";
import { events, logVersion } from "../../schema/event.ts";
import { refusal, start } from "../core.test-help.ts";
import { appointments, decide, settle } from "../decide.ts";
import { defaultLimits } from "../limits.ts";
import { reduce } from "../reduce.ts";
import { canonical, emptyState } from "../state.ts";
import { agentStatus } from "./status.ts";

const context = { now: 0, actor: "human", limits: defaultLimits };
const create = {
  type: "agent.create",
  agent: "chips",
  goal: "Know chips",
  mode: "finite",
  model: "scripted/test",
  start: true,
} as const;

/** A log that begins with this command. */
function created(command: object = {}) {
  const world = start();
  Object.assign(world, { state: emptyState(), log: [] });
  world.tell({ ...create, ...command });
  return world;
}

describe("creating an agent", () => {
  const given = { tools: ["bash"], context_window: 20_000, folder: "/srv/project" };

  test("with tools, a window and a folder: it keeps them in every status", () => {
    const world = created(given);
    const kept = () => expect(world.state.agent).toMatchObject(given);
    kept();
    for (const type of ["agent.pause", "agent.resume", "agent.stop", "run.start", "agent.archive"] as const) {
      world.tell({ type });
      kept();
    }
    expect(Object.keys(created().state.agent!)).not.toContain("folder");
  });

  test("and when it is moved into another home it loses the folder, in whatever status, and nothing else", () => {
    for (const type of [undefined, "agent.pause", "agent.stop"] as const) {
      const world = created(given);
      if (type) world.tell({ type });
      const { folder: _, ...rest } = world.state.agent!;
      const envelope = { seq: world.state.seq + 1, id: "chips/x", ts: world.state.at, actor: "human" };
      reduce(world.state, { ...envelope, type: "agent.moved", data: {} });
      expect(world.state.agent).toEqual(rest);
    }
  });

  test.each([
    ["context_window", 15_999],
    ["context_window", 16_000.5],
    ["context_window", 10_000_001],
    ["tools", [""]],
    ["folder", ""],
  ])("is refused with %s %j", (field, value) => {
    expect(commands["agent.create"].safeParse({ ...create, [field]: value }).error?.message).toContain(field);
  });

  test("is one event, and its first run towards its goal follows", () => {
    const { log, state } = created();
    expect(log.map(({ type, data }) => ({ type, data }))).toEqual([
      {
        type: "agent.created",
        data: {
          agent: "chips",
          goal: "Know chips",
          mode: "finite",
          model: "scripted/test",
          version: logVersion,
          start: true,
        },
      },
      { type: "run.started", data: { run: "r1", goal: "Know chips" } },
    ]);
    expect(state.agent).toMatchObject({ id: "chips", status: "active", created_at: "2026-01-01T00:00:00.000Z" });
    expect(state.accounts.size).toBe(0);
  });

  test("sets the agent's budget before anything can be spent", () => {
    const { log, state, refused } = created({ budget: { usd: 5 } });
    expect(log[0]?.data).toMatchObject({ budget: { usd: 5 } });
    expect(state.accounts.get("agent")?.limit).toEqual({ usd: 5 });
    expect(refused({ type: "turn.start", participant: "coordinator", reserve: { usd: 6, tokens: 0 } })).toBe(
      "budget_exhausted: the budget of agent allows 5 usd; 0 are spent, 0 reserved, and this call may need 6",
    );
  });

  test("starts no run if that is not wanted, and only the first by itself", () => {
    const { log, tell, state } = created({ start: false });
    expect(log.map((event) => event.type)).toEqual(["agent.created"]);
    tell({ type: "run.start" });
    expect(state.run?.id).toBe("r1");
    const other = created();
    other.tell({ type: "run.finish", summary: "s" });
    expect(other.all("run.started")).toHaveLength(1);
  });

  test("happens once", () => {
    const { refused } = start();
    expect(refused({ ...create, agent: "other" })).toBe("conflict: chips already exists");
  });
});

test("before there is an agent nothing else is possible, nothing follows and nothing is due", () => {
  const state = emptyState();
  for (const type of Object.keys(commands).filter((type) => type !== "agent.create")) {
    expect(refusal(() => decide(state, { type } as never, context))).toBe(
      "not_found: there is no agent in this log yet; only agent.create is possible",
    );
  }
  expect(settle(state, context)).toBeUndefined();
  expect(appointments(state)).toEqual([]);
  expect(agentStatus(state)).toBe("idle");
  expect(canonical(state)).toBe(canonical(emptyState()));
});

describe("pausing", () => {
  test("says why, since when and who must act", () => {
    const { tell, state } = start();
    tell({ type: "agent.pause" });
    expect(state.agent).toMatchObject({
      status: "paused",
      reason: { code: "human", message: "paused by the human", next_mover: "human" },
      since: "2026-01-01T00:00:00.000Z",
    });
  });

  test("keeps the reason it was given, and pausing again changes nothing", () => {
    const { tell, state } = start();
    const reason = { code: "provider", message: "quota", next_mover: "provider", until: "2026-01-02T00:00:00.000Z" };
    tell({ type: "agent.pause", reason });
    expect(tell({ type: "agent.pause" })).toEqual([]);
    expect(state.agent).toMatchObject({ status: "paused", reason });
  });

  test("lets no turn start, and a turn under way is recorded to its end", () => {
    const { tell, refused, begin, state, thinker } = start();
    const of = begin("coordinator");
    tell({ type: "message.post", to: "alice", text: "hi" });
    tell({ type: "agent.pause" });
    expect(refused({ type: "turn.start", participant: "alice", reserve: { usd: 0, tokens: 0 } }, "alice")).toBe(
      "wrong_state: chips is paused; this command needs it to be active",
    );
    tell({ type: "turn.answer", ...of, text: "ok", calls: [], cost: { usd: 0, tokens: 0 } }, "coordinator");
    tell({ type: "turn.end", ...of }, "coordinator");
    expect(thinker("coordinator").turn).toBeUndefined();
    expect(state.agent?.status).toBe("paused");
  });

  test("lets nothing be assigned and nobody be nudged; resuming does", () => {
    const { tell, node, all } = start();
    tell({ type: "agent.pause" });
    node();
    expect(all("node.assigned")).toEqual([]);
    tell({ type: "agent.resume" });
    expect(all("node.assigned")).toHaveLength(1);
  });
});

describe("resuming", () => {
  test("an active agent changes nothing", () => {
    const { tell } = start();
    expect(tell({ type: "agent.resume" })).toEqual([]);
  });

  test.each(["agent.pause", "agent.stop"] as const)("makes the agent active again after %s", (type) => {
    const { tell, state } = start();
    tell({ type });
    tell({ type: "agent.resume" });
    expect(state.agent).toEqual({
      status: "active",
      id: "chips",
      goal: "Know chips",
      mode: "finite",
      model: "scripted/test",
      start: false,
      created_at: "2026-01-01T00:00:00.000Z",
    });
  });
});

describe("stopping", () => {
  test("works from active and from paused, and again changes nothing", () => {
    const { tell, state } = start();
    tell({ type: "agent.pause" });
    tell({ type: "agent.stop" });
    expect(state.agent).toMatchObject({ status: "stopped", since: "2026-01-01T00:00:00.000Z" });
    expect(tell({ type: "agent.stop" })).toEqual([]);
    expect(state.run?.status).toBe("open");
  });

  test("gives up the calls under way, gives their reservation back and leaves their mail unread", () => {
    const { tell, begin, thinker, state, all } = start();
    begin("coordinator", { usd: 1, tokens: 10 });
    tell({ type: "agent.stop" });
    expect(all("turn.failed").map(({ data }) => data)).toEqual([
      {
        turn: "coordinator.1",
        participant: "coordinator",
        reason: {
          code: "interrupted",
          message: "the run is stopped",
          next_mover: "nobody",
        },
        lost: { usd: 0, tokens: 0 },
      },
    ]);
    expect(state.accounts.get("agent")).toMatchObject({ spent: { usd: 0 }, reserved: { usd: 0, tokens: 0 } });
    expect(thinker("coordinator")).toMatchObject({ turn: undefined, conversation: [] });
    expect(thinker("coordinator").unread.map(({ from }) => from)).toEqual(["human", "system"]);
    expect(state.agent?.status).toBe("stopped");
  });

  test("lets an answer be acted on to the end of its turn", () => {
    const { tell, answer, thinker } = start();
    const of = answer("coordinator", ["look"]);
    tell({ type: "agent.stop" });
    tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "seen" }, "coordinator");
    tell({ type: "turn.end", ...of }, "coordinator");
    expect(thinker("coordinator").turn).toBeUndefined();
  });
});

test.each([
  ["agent.pause", "active or paused"],
  ["agent.resume", "active or paused or stopped"],
  ["agent.stop", "active or paused or stopped"],
] as const)("%s of a completed agent says what it would need", (type, allowed) => {
  const { tell, refused } = start();
  tell({ type: "run.finish", summary: "done" }, "coordinator");
  expect(refused({ type })).toBe(`wrong_state: chips is completed; this command needs it to be ${allowed}`);
});

test("a stopped agent is not paused", () => {
  const { tell, refused } = start();
  tell({ type: "agent.stop" });
  expect(refused({ type: "agent.pause" })).toBe(
    "wrong_state: chips is stopped; this command needs it to be active or paused",
  );
});

describe("an archived agent", () => {
  const samples: CommandInput[] = [
    { type: "agent.resume" },
    { type: "agent.archive" },
    { type: "run.start" },
    { type: "node.create", task: "x" },
    { type: "message.post", text: "x" },
    { type: "budget.set", scope: { of: "agent" }, limit: {} },
    { type: "file.write", path: "GOAL.md", sha256: "0".repeat(64) },
    { type: "inbox.ack", participant: "human", upto: 1 },
  ];
  test.each(samples)("takes no $type", (command) => {
    const { tell, refused } = start();
    tell({ type: "agent.archive" });
    expect(refused(command)).toBe("wrong_state: chips is archived and accepts no commands");
  });

  test("is not created again", () => {
    const { tell, refused } = start();
    tell({ type: "agent.archive" });
    expect(refused(create)).toBe("conflict: chips already exists");
  });

  test("can be made of any agent, and gives up its calls", () => {
    for (const before of [undefined, "agent.pause", "agent.stop"] as const) {
      const { tell, begin, state, thinker } = start();
      begin("coordinator", { usd: 1, tokens: 1 });
      if (before) tell({ type: before });
      tell({ type: "agent.archive" });
      expect(state.agent).toMatchObject({ status: "archived", since: "2026-01-01T00:00:00.000Z" });
      expect(thinker("coordinator").turn).toBeUndefined();
      expect(state.accounts.get("agent")?.reserved.usd).toBe(0);
    }
  });

  test("stays archived whatever events follow", () => {
    const { tell, append, state } = start();
    tell({ type: "agent.archive" });
    append({ type: "agent.resumed", data: {} });
    append({ type: "agent.reopened", data: {} });
    append({ type: "agent.failed", data: { reason: { code: "x", message: "x", next_mover: "human" } } });
    expect(state.agent?.status).toBe("archived");
  });
});

test("a failed agent keeps its reason until the next run", () => {
  const { append, tell, refused, state } = start();
  const reason = { code: "x", message: "broken", next_mover: "human" };
  append({ type: "run.completed", data: { run: "r1", summary: "s" } });
  append({ type: "agent.failed", data: { reason } });
  expect(state.agent).toMatchObject({ status: "failed", reason, since: "2026-01-01T00:00:00.000Z" });
  expect(refused({ type: "message.post", text: "hi" })).toBe(
    "wrong_state: chips is failed; this command needs it to be active or paused or stopped or completed",
  );
  tell({ type: "run.start" });
  expect(state.agent).toMatchObject({ status: "active" });
  expect(state.agent).not.toHaveProperty("reason");
});

test("events about an agent that was never created change nothing", () => {
  for (const type of Object.keys(events).filter((type) => type.startsWith("agent.") && type !== "agent.created")) {
    const state = emptyState();
    reduce(state, {
      seq: 1,
      id: "x/1",
      ts: "2026-01-01T00:00:00.000Z",
      actor: "human",
      type,
      data: { reason: {} },
    } as never);
    expect(state.agent).toBeNull();
  }
});

describe("what people are shown", () => {
  test("an agent is working while someone can run, waits for the human when asked, and is idle otherwise", () => {
    const { tell, turn, state } = start();
    expect(agentStatus(state)).toBe("working");
    tell({ type: "question.ask", by: "coordinator", text: "Which?" }, "coordinator");
    expect(agentStatus(state)).toBe("working");
    turn("coordinator", "ask", { wait: { for: "question", question: "q1" } });
    expect(agentStatus(state)).toBe("waiting_for_human");
    tell({ type: "question.answer", answer: "this" });
    expect(agentStatus(state)).toBe("working");
    turn("coordinator");
    expect(agentStatus(state)).toBe("idle");
    tell({ type: "proposal.create", text: "Which?", options: ["a", "b"], voters: ["human"] }, "coordinator");
    expect(agentStatus(state)).toBe("waiting_for_human");
    tell({ type: "proposal.vote", proposal: "p1", voter: "human", option: "a" });
    expect(agentStatus(state)).toBe("idle");
  });

  test("every other state is shown as it is", () => {
    const { tell, state } = start();
    tell({ type: "agent.pause" });
    expect(agentStatus(state)).toBe("paused");
    tell({ type: "agent.stop" });
    expect(agentStatus(state)).toBe("stopped");
    tell({ type: "run.finish", summary: "done" });
    expect(agentStatus(state)).toBe("completed");
  });
});

test("an agent that a provider parked until a time goes on by itself then; any other pause waits for someone", () => {
  const world = start();
  const pause = (code: string) =>
    world.tell({
      type: "agent.pause",
      reason: { code, message: "no quota", next_mover: "human", until: "2026-01-01T01:00:00.000Z" },
    });
  pause("provider");
  expect(appointments(world.state)).toEqual([{ at: "2026-01-01T01:00:00.000Z", command: { type: "agent.resume" } }]);
  world.tell({ type: "agent.resume" });
  pause("human");
  expect(appointments(world.state)).toEqual([]);
});

test("a pause of a provider without an end, and one of anybody else with one, wait for someone", () => {
  const until = "2026-01-01T01:00:00.000Z";
  for (const reason of [{ code: "provider" }, { code: "budget", until }]) {
    const world = start();
    world.tell({ type: "agent.pause", reason: { message: "m", next_mover: "human", ...reason } }, "system");
    expect(appointments(world.state)).toEqual([]);
  }
});

test("what an agent was not given is not in its state, in whatever status", () => {
  const world = start();
  const fields = ["created_at", "goal", "id", "mode", "model", "start", "status"];
  const names = () => Object.keys(world.state.agent!).sort();
  expect(names()).toEqual(fields);
  world.tell({ type: "message.post", text: "hi" });
  expect(names()).toEqual(fields);
  world.tell({ type: "agent.pause" });
  expect(names()).toEqual([...fields, "reason", "since"].sort());
  world.tell({ type: "agent.stop" });
  expect(names()).toEqual([...fields, "since"].sort());
});

test("a run may be started with another model, which the agent then has", () => {
  const world = start();
  world.tell({ type: "run.finish", summary: "s" }, "coordinator");
  world.tell({ type: "run.start", model: "scripted/other" });
  expect(world.state.agent).toMatchObject({ status: "active", model: "scripted/other" });
  world.tell({ type: "run.finish", summary: "s" }, "coordinator");
  world.tell({ type: "run.start" });
  expect(world.state.agent?.model).toBe("scripted/other");
});
