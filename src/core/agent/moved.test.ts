import { describe, expect, test } from "vitest";
import type { BudgetLimit } from "../../schema/budget.ts";
import { start, type World } from "../core.test-help.ts";
import { decisionOn } from "../human/question.ts";
import { factsOfMove } from "./moved.ts";

function move(world: World, most: BudgetLimit = {}): void {
  for (const fact of factsOfMove(world.state, most)) world.append(fact);
}

/** The coordinator, in a turn whose call waits for a word. */
function asking(world: World) {
  world.tell({ type: "message.post", text: "go" });
  const of = world.answer("coordinator", ["bash"]);
  world.tell({ type: "tool.ask", ...of, call: "c1", text: "May I?" }, "coordinator");
  return of;
}

describe("an agent that comes into another home", () => {
  test("is not held to have any approval: neither for a call nor remembered", () => {
    const world = start();
    const { turn } = asking(world);
    world.tell({ type: "question.answer", question: "q1", answer: "allow", remember: true });
    const word = () => decisionOn(world.state, "coordinator", { turn, call: "c1", tool: "bash" });
    const later = () => decisionOn(world.state, "coordinator", { turn: "coordinator.9", call: "c9", tool: "bash" });
    expect([word()?.status, later()?.status]).toEqual(["answered", "answered"]);
    move(world);
    expect([word()?.status, later()]).toEqual(["expired", undefined]);
    expect(world.state.questions.get("q1")).not.toHaveProperty("answer");
    expect(world.thinker("coordinator").turn).toBeUndefined();
  });

  test("keeps what else was asked and answered; an approval that waits is over", () => {
    const world = start();
    world.tell({ type: "question.ask", by: "alice", text: "Which?" }, "alice");
    world.tell({ type: "question.answer", question: "q1", answer: "this" });
    world.tell({ type: "question.ask", by: "bob", text: "And?" }, "bob");
    world.tell({ type: "message.post", text: "go" });
    const of = world.answer("coordinator", ["bash"]);
    world.tell({ type: "tool.ask", ...of, call: "c1", text: "May I?" }, "coordinator");
    move(world);
    expect([...world.state.questions.values()].map(({ status }) => status)).toEqual(["answered", "open", "expired"]);
  });

  test("goes on with a new turn, in which the old call has no result but that it was given up", () => {
    const world = start();
    const { turn } = asking(world);
    move(world);
    const last = world.thinker("coordinator").conversation.at(-1);
    expect(last).toMatchObject({ role: "tool", turn, call: "c1", outcome: "error" });
    expect(world.thinker("coordinator").next).toBe("continue");
  });

  test("has its triggers disarmed: none fires, only the human arms one, and its times begin anew", () => {
    const world = start();
    const action = { type: "wake_agent", text: "Look" } as const;
    world.tell({ type: "trigger.create", schedule: { type: "delayed", delay_seconds: 60 }, action }, "coordinator");
    world.tell({ type: "trigger.create", schedule: { type: "on_event", pattern: "message.*" }, action }, "human");
    move(world);
    expect([...world.state.triggers.values()].map(({ status }) => status)).toEqual(["disarmed", "disarmed"]);
    world.now += 3_600_000;
    world.tell({ type: "message.post", text: "Hello", from: "alice", to: "bob" }, "alice");
    world.tick();
    expect(world.all("trigger.fired")).toEqual([]);
    expect(world.refused({ type: "trigger.arm", trigger: "t1" }, "coordinator")).toMatch(/^forbidden: t1 came from/);
    world.tell({ type: "trigger.arm", trigger: "t1" });
    expect(world.state.triggers.get("t1")).toMatchObject({ status: "active", next_at: "2026-01-01T01:01:00.000Z" });
    expect(world.tell({ type: "trigger.arm", trigger: "t1" })).toEqual([]);
    world.tell({ type: "trigger.cancel", trigger: "t2" });
    expect(world.state.triggers.get("t2")?.status).toBe("cancelled");
    expect(world.refused({ type: "trigger.arm", trigger: "t2" })).toMatch(/^wrong_state: t2 is already cancelled/);
    world.restart();
    expect([...world.state.triggers.values()].map(({ status }) => status)).toEqual(["active", "cancelled"]);
  });

  test("gives way to the config's trigger of the same key", () => {
    const world = start();
    const wish = {
      type: "trigger.create",
      schedule: { type: "heartbeat", interval_seconds: 600 },
      action: { type: "wake_agent", text: "Look" },
      key: "config:look",
    } as const;
    world.tell(wish, "human");
    move(world);
    world.tell(wish, "human");
    expect([...world.state.triggers.values()].map(({ status }) => status)).toEqual(["cancelled", "active"]);
  });

  test.each<[BudgetLimit, BudgetLimit, BudgetLimit]>([
    [{ usd: 100 }, { usd: 5 }, { usd: 5 }],
    [{ usd: 2 }, { usd: 5 }, { usd: 2 }],
    [{}, { usd: 5, turns: 10 }, { usd: 5, turns: 10 }],
    [
      { tokens: 7, turns: 3 },
      { usd: 5, turns: 10 },
      { tokens: 7, turns: 3, usd: 5 },
    ],
    [{ usd: 100 }, {}, { usd: 100 }],
  ])("with a budget of %j comes where %j is usual and has %j", (before, most, after) => {
    const world = start();
    world.tell({ type: "budget.set", scope: { of: "agent" }, limit: before });
    move(world, most);
    expect(world.state.accounts.get("agent")?.limit).toEqual(after);
  });

  test("has heard no word of the human that would let it go on, and tells no channel what waited in the old home", () => {
    const world = start();
    world.tell({ type: "delivery.route", channels: { slack: { kind: "slack", for: ["questions"] } } });
    world.tell({ type: "question.ask", by: "coordinator", text: "Which?" }, "coordinator");
    expect(world.state.deliveries.size).toBe(1);
    world.append({ type: "agent.stopped", data: {} });
    world.append({ type: "question.answered", data: { question: "q1", answer: "this" } }, "human");
    expect(world.state.agent).toMatchObject({ heard: true });
    move(world);
    expect(world.state.agent).not.toHaveProperty("heard");
    expect([world.state.deliveries.size, world.state.channels.size]).toEqual([0, 0]);
    world.settle();
    expect(world.state.agent?.status).toBe("stopped");
  });

  test.each(["active", "paused"])("stands still if it was %s, for a reason that does not end by itself", (status) => {
    const world = start();
    const until = "2026-01-01T00:00:01.000Z";
    const parked = { code: "provider", message: "quota", next_mover: "human", until };
    if (status === "paused") world.tell({ type: "agent.pause", reason: parked });
    const reason = { code: "imported", message: "it came from another home", next_mover: "human" };
    world.tell({ type: "agent.move", most: { usd: 5 }, reason });
    expect(world.state.agent).toMatchObject({ status: "paused", reason });
    expect(world.state.accounts.get("agent")?.limit).toEqual({ usd: 5 });
    world.now += 60_000;
    expect(world.tick()).toEqual([]);
  });
});
