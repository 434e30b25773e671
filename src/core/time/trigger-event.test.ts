import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Event, type EventType, eventAliases, events } from "../../schema/event.ts";
import type { Schedule } from "../../schema/schedule.ts";
import { start, t0, type World } from "../core.test-help.ts";
import { appointments } from "../decide.ts";
import { reduce } from "../reduce.ts";
import { at, create, day, fires, hour, iso, minute, resume, sample, t1, wake } from "./trigger.test-help.ts";

describe("on events", () => {
  const accepts = (pattern: string): boolean => {
    try {
      create({ type: "on_event", pattern });
      return true;
    } catch {
      return false;
    }
  };

  /** Whether an event of this type brings about a fire of a trigger with this pattern, also of one that no check has seen. */
  function firesOn(pattern: string, type: EventType): boolean {
    const world = start();
    const schedule = { type: "on_event", pattern } as const;
    world.append({ type: "trigger.created", data: { trigger: "t1", schedule, action: wake, missed: "once" } });
    const seq = world.state.seq + 1;
    const data = sample(z.toJSONSchema(events[type], { unrepresentable: "any" }));
    const about = { seq, id: `chips/${seq}`, ts: iso(world.now), run: "r1", actor: "system" };
    reduce(world.state, { ...about, type, data } as Event);
    return world.state.fires.some(([, fire]) => fire === `t1@e${seq}`);
  }

  test.each(Object.keys(events) as EventType[])("%s is accepted as a pattern exactly if it can fire", (type) => {
    const whole = `${type.split(".")[0]}.*`;
    expect(accepts(type)).toBe(firesOn(type, type));
    expect(firesOn(whole, type)).toBe(firesOn(type, type));
    if (accepts(type)) expect(accepts(whole)).toBe(true);
  });

  test("names of the first specification stand for what happens today", () => {
    for (const [alias, { types, from }] of Object.entries(eventAliases)) {
      if (!accepts(alias)) {
        expect([alias, types.some(accepts)]).toEqual([alias, false]);
        continue;
      }
      for (const type of types) expect([alias, firesOn(alias, type)]).toEqual([alias, from === undefined]);
    }
    expect(Object.keys(eventAliases).filter(accepts)).toContain("message.sent");
  });

  test("human.nudge is a message of the human, and of nobody else", () => {
    const world = create({ type: "on_event", pattern: "human.nudge" });
    world.tell({ type: "message.post", from: "alice", to: "bob", text: "hi" }, "alice");
    expect(fires(world)).toEqual([]);
    world.tell({ type: "message.post", to: "bob", text: "hi" });
    expect(fires(world)).toHaveLength(1);
  });
});

test("human.* is what a human says, answers or is asked, and nothing else", () => {
  const world = create({ type: "on_event", pattern: "human.*" });
  world.tell({ type: "message.post", from: "alice", to: "bob", text: "hi" }, "alice");
  expect(fires(world)).toEqual([]);
  world.tell({ type: "message.post", to: "bob", text: "hi" });
  expect(fires(world)).toHaveLength(1);
  world.tell({ type: "question.ask", by: "alice", text: "Which?" } as never, "alice");
  expect(fires(world)).toHaveLength(2);
});

describe("events", () => {
  const post = (world: World, from: string, to: string | string[]) =>
    world.tell({ type: "message.post", from, to, text: "hi" }, from);

  test("a matching event fires once, with the event in its id", () => {
    const world = create({ type: "on_event", pattern: "message.posted" });
    const [posted] = post(world, "alice", "bob");
    expect(fires(world)).toEqual([`t1@e${posted!.seq}`]);
    expect(world.state.fires).toEqual([]);
    expect(t1(world)).toMatchObject({ status: "active", fires: 1, last_fire: `t1@e${posted!.seq}` });
  });

  test("a noun with a star matches all its events, and no others", () => {
    const world = create({ type: "on_event", pattern: "document.*" });
    post(world, "alice", "bob");
    world.tell({ type: "document.write", document: "a.md", sha256: "1".repeat(64), size: 1 }, "alice");
    world.tell({ type: "document.remove", document: "a.md" }, "alice");
    expect(fires(world)).toHaveLength(2);
  });

  test("a filter compares fields as text; in a list one is enough; a missing field never matches", () => {
    const world = create({ type: "on_event", pattern: "message.posted", filter: { to: "bob", from: "alice" } });
    post(world, "alice", "human");
    post(world, "human", "bob");
    expect(fires(world)).toEqual([]);
    post(world, "alice", ["human", "bob"]);
    expect(fires(world)).toHaveLength(1);
    const missing = create({ type: "on_event", pattern: "message.posted", filter: { resource: "undefined" } });
    post(missing, "alice", "bob");
    expect(fires(missing)).toEqual([]);
  });

  test("nobody is woken by their own doing", () => {
    const world = create({ type: "on_event", pattern: "message.posted" });
    post(world, "coordinator", "alice");
    expect(fires(world)).toEqual([]);
    const action = { type: "send_message", to: "Alice", text: "look" } as const;
    world.tell({ type: "trigger.create", schedule: { type: "on_event", pattern: "message.*" }, action });
    post(world, "alice", "human");
    post(world, "coordinator", "human");
    expect(fires(world).map((fire) => fire.split("@")[0])).toEqual(["t1", "t2"]);
  });

  test("a crash between the event and its fire loses nothing and doubles nothing", () => {
    const world = create({ type: "on_event", pattern: "message.posted" });
    post(world, "alice", "bob");
    const before = fires(world);
    world.restart(1);
    expect(fires(world)).toEqual(before);
    world.restart();
    expect(fires(world)).toEqual(before);
  });

  test("what happens while the agent is paused fires when it goes on; a cancelled trigger's does not", () => {
    const world = create({ type: "on_event", pattern: "message.posted" });
    create({ type: "on_event", pattern: "message.posted" }, "once", world);
    world.tell({ type: "agent.pause" });
    post(world, "alice", "bob");
    expect(fires(world)).toEqual([]);
    expect(world.state.fires).toHaveLength(2);
    world.tell({ type: "trigger.cancel", trigger: "t2" });
    expect(world.state.fires).toHaveLength(1);
    resume(world);
    expect(fires(world).map((fire) => fire.split("@")[0])).toEqual(["t1"]);
  });
});

describe("silence", () => {
  const idle: Schedule = { type: "on_idle", idle_seconds: 3600 };
  const post = (world: World) => world.tell({ type: "message.post", from: "alice", to: "bob", text: "hi" }, "alice");

  test("it fires once per silence, counted from the last activity", () => {
    const world = create(idle);
    world.now = t0 + minute;
    post(world);
    expect(at(world, t0 + hour)).toEqual([]);
    at(world, t0 + hour + minute);
    at(world, t0 + 5 * hour);
    expect(fires(world)).toEqual([`t1@${iso(t0 + hour + minute)}`]);
    post(world);
    at(world, t0 + 6 * hour);
    expect(fires(world)).toHaveLength(2);
  });

  test("before any activity it counts from the trigger's creation", () => {
    const world = start();
    world.now = t0 + day;
    create(idle, "skip", world);
    expect(appointments(world.state)[0]?.at).toBe(iso(t0 + day + hour));
    at(world, t0 + 9 * day);
    expect(fires(world)).toEqual([`t1@${iso(t0 + day + hour)}`]);
  });

  test("nobody is idle while a turn is under way", () => {
    const world = create(idle);
    const coordinator = world.state.participants.get("coordinator")!;
    const turn = {
      id: "coordinator.1",
      upto: 0,
      reserved: { usd: 0, tokens: 0 },
      reserved_at: iso(t0),
      resumed: 0,
      orderly: false,
      retried: 0,
    };
    if (coordinator.kind !== "human") {
      world.state.participants.set("coordinator", { ...coordinator, turn: { ...turn, status: "calling" } });
    }
    world.now = t0 + day;
    expect(world.decide({ type: "trigger.fire", trigger: "t1" })).toEqual([]);
    expect(appointments(world.state).filter(({ command }) => command?.type === "trigger.fire")).toEqual([]);
  });
});

test("more fires on events than an hour may have are recorded as missed, and the next hour has its own", () => {
  const world = start({ event_fires_per_hour: 2 });
  create({ type: "on_event", pattern: "message.posted" }, "once", world);
  const post = () => world.tell({ type: "message.post", from: "alice", to: "human", text: "hi" }, "alice");
  for (let n = 0; n < 5; n++) post();
  expect(fires(world)).toHaveLength(2);
  expect(world.all("trigger.missed").map(({ data }) => data.count)).toEqual([1, 1, 1]);
  expect(world.state.fires).toEqual([]);
  world.now += hour;
  post();
  expect(fires(world)).toHaveLength(3);
  world.now -= 10 * hour;
  post();
  expect(fires(world)).toHaveLength(4);
});

test("events that come too often are missed for their trigger alone, however many others wait", () => {
  const world = start({ event_fires_per_hour: 1 });
  const on = (pattern: string, text: string) =>
    world.tell({
      type: "trigger.create",
      schedule: { type: "on_event", pattern },
      action: { type: "wake_agent", text },
    });
  on("node.created", "often");
  on("node.cancelled", "seldom");
  world.tell({ type: "agent.pause" });
  const [a, b] = [world.node({}, "human"), world.node({}, "human")];
  world.tell({ type: "node.cancel", node: a, reason: "r" });
  expect(world.state.fires).toHaveLength(3);
  world.tell({ type: "agent.resume" });
  expect(world.all("trigger.fired").map(({ data }) => data.trigger)).toEqual(["t1", "t2"]);
  expect(world.all("trigger.missed").map(({ data }) => [data.trigger, data.count])).toEqual([["t1", 1]]);
  expect(world.state.fires).toEqual([]);
  expect(b).toBe("n2-do-it");
});
