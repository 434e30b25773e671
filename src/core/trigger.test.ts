import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Event, type EventType, eventAliases, events } from "../schema/event.ts";
import type { Schedule, Trigger } from "../schema/trigger.ts";
import { refusal, start, t0, type World } from "./core.test-help.ts";
import { cronTimes } from "./cron.ts";
import { appointments } from "./decide.ts";
import { nextLook } from "./rate.ts";
import { reduce } from "./reduce.ts";
import { freezeState } from "./state.ts";

const wake = { type: "wake_agent", text: "look" } as const;
const tellPeople = { type: "send_message", to: "human", text: "look" } as const;
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

function create(schedule: Schedule, missed: Trigger["missed"] = "once", world = start()) {
  // A heartbeat that tells people something fires at every time; one that wakes someone only if there is news.
  const action = schedule.type === "heartbeat" ? tellPeople : wake;
  world.tell({ type: "trigger.create", schedule, action, missed }, "coordinator");
  return world;
}

function resume(world: World) {
  world.append({ type: "agent.resumed", data: {} });
  world.settle();
}

const iso = (at: number) => new Date(at).toISOString();
const t1 = (world: World) => world.state.triggers.get("t1")!;
const nextAt = (world: World) => {
  const trigger = t1(world);
  return trigger.status === "active" ? trigger.next_at : undefined;
};
const at = (world: World, now: number) => {
  world.now = now;
  return world.tick();
};
const fires = (world: World) => world.all("trigger.fired").map(({ data }) => data.fire);
const facts = (world: World) =>
  world.log.filter(({ type }) => type === "trigger.fired" || type === "trigger.missed").map(({ data }) => data);
const heartbeat = (interval_seconds: number): Schedule => ({ type: "heartbeat", interval_seconds });

/** Some data of an event, made from its schema. */
function sample(schema: unknown): unknown {
  const { type, properties = {}, required = [], anyOf, oneOf, ...more } = schema as JsonSchema;
  if (more.const !== undefined) return more.const;
  if (more.enum) return more.enum[0];
  const choice = anyOf ?? oneOf;
  if (choice) return sample(choice[0]);
  if (type === "object") return Object.fromEntries(required.map((name) => [name, sample(properties[name])]));
  return { array: [], string: "x1", integer: 1, number: 1, boolean: true }[type as "string"];
}

interface JsonSchema {
  type?: string;
  properties?: Record<string, unknown>;
  required?: string[];
  anyOf?: unknown[];
  oneOf?: unknown[];
  const?: unknown;
  enum?: unknown[];
}

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

test("a heartbeat that is set while the goal is read has nothing new to show for it", () => {
  const world = start();
  world.begin("coordinator"); // it has the goal before it, which is unread until the turn ends
  world.tell({ type: "trigger.create", schedule: heartbeat(60), action: wake }, "coordinator");
  expect(appointments(world.state)).toEqual([]);
  world.tell({ type: "message.post", text: "new" });
  expect(appointments(world.state)).toMatchObject([{ at: iso(t0 + minute) }]);
});

describe("creating", () => {
  test.each([
    [{ type: "delayed", delay_seconds: 90 }, "2026-01-01T00:01:30.000Z"],
    [{ type: "at_time", at: "2026-01-05T09:00:00+02:00" }, "2026-01-05T07:00:00.000Z"],
    [{ type: "scheduled", cron: "30 9 * * *", zone: "Europe/Berlin" }, "2026-01-01T08:30:00.000Z"],
    [{ type: "scheduled", cron: "30 9 * * *" }, "2026-01-01T09:30:00.000Z"],
    [{ type: "heartbeat", interval_seconds: 1800 }, "2026-01-01T00:30:00.000Z"],
    [{ type: "heartbeat", interval_seconds: 10 }, "2026-01-01T00:00:10.000Z"],
    [{ type: "scheduled", cron: "*/10 * * * * *" }, "2026-01-01T00:00:10.000Z"],
    [{ type: "on_event", pattern: "node.completed" }, undefined],
    [{ type: "on_idle", idle_seconds: 10 }, undefined],
  ] satisfies [Schedule, string | undefined][])("%j is first due at %s", (schedule, next_at) => {
    expect(t1(create(schedule))).toMatchObject({ status: "active", by: "coordinator", fires: 0 });
    expect(nextAt(create(schedule))).toBe(next_at);
  });

  test.each([
    [{ type: "at_time", at: "2026-01-01T00:00:00Z" }, "is not in the future; it is 2026-01-01T00:00:00.000Z now"],
    [{ type: "at_time", at: "2999-12-31T23:59:59Z" }, "is more than a hundred years away"],
    [{ type: "heartbeat", interval_seconds: 9 }, "every 9 s is too often; the minimum interval is 10 s"],
    [{ type: "on_idle", idle_seconds: 1 }, "the minimum interval is 10 s"],
    [{ type: "scheduled", cron: "*/5 * * * * *" }, '"*/5 * * * * *" runs twice within 5 s; the minimum'],
    [{ type: "scheduled", cron: "0,59 0,20,21 * * * *" }, "runs twice within 1 s"],
    [{ type: "scheduled", cron: "0 0 30 2 *" }, "never fires in the next four years"],
    [{ type: "scheduled", cron: "61 * * * *" }, "Invalid value for minute: 61; allowed are 5 fields"],
    [{ type: "scheduled", cron: "0 0 * * *", zone: "Mars/X" }, '"Mars/X" is not a known time zone'],
    [
      { type: "on_event", pattern: "node.exploded" },
      'no event type matches "node.exploded"; use a pattern such as node.*, or one of agent.moved',
    ],
    [{ type: "on_event", pattern: "turn.*" }, 'no event type matches "turn.*"'],
    [{ type: "on_event", pattern: "trigger.fired" }, "no event type matches"],
    [{ type: "on_event", pattern: "cycle.*" }, "no event type matches"],
    [{ type: "on_event", pattern: "*" }, "no event type matches"],
  ] satisfies [Schedule, string][])("%j is refused", (schedule, why) => {
    const answer = refusal(() => create(schedule));
    expect(answer).toMatch(/^invalid: /);
    expect(answer).toContain(why);
  });

  test("a configured shortest interval holds for cron too", () => {
    expect(
      refusal(() =>
        create({ type: "scheduled", cron: "*/2 * * * *" }, "once", start({ shortest_interval_seconds: 300 })),
      ),
    ).toContain("runs twice within 120 s; the minimum interval is 300 s");
  });

  test("there are at most so many active triggers; ended ones do not count", () => {
    const world = start({ triggers: 2 });
    create(heartbeat(60), "once", world);
    create(heartbeat(60), "once", world);
    expect(refusal(() => create(heartbeat(60), "once", world))).toBe(
      "limit_reached: there are 2 active triggers (t1, t2), the maximum is 2; cancel one first",
    );
    world.tell({ type: "trigger.cancel", trigger: "t1" });
    create(heartbeat(60), "once", world);
    expect(world.state.triggers.get("t3")?.status).toBe("active");
  });

  test("a message to nobody and a node that is not there are refused", () => {
    const world = start();
    const schedule = heartbeat(60);
    const action = { type: "send_message", to: "carol", text: "x" } as const;
    expect(refusal(() => world.tell({ type: "trigger.create", schedule, action }))).toMatch(
      /^not_found: there is no participant "carol"/,
    );
    expect(
      refusal(() => world.tell({ type: "trigger.create", schedule, action: { type: "run_node", node: "n9-x" } })),
    ).toMatch(/^not_found/);
  });
});

describe("one fire", () => {
  test.each([{ type: "delayed", delay_seconds: 60 } as const, { type: "at_time", at: iso(t0 + minute) } as const])(
    "%j fires once and is over",
    (schedule) => {
      const world = create(schedule);
      expect(at(world, t0 + minute - 1)).toEqual([]);
      at(world, t0 + minute);
      expect(fires(world)).toEqual([`t1@${iso(t0 + minute)}`]);
      expect(t1(world)).toMatchObject({ status: "expired", fires: 1, ended_at: iso(t0 + minute) });
      expect(at(world, t0 + day)).toEqual([]);
      expect(world.tell({ type: "trigger.fire", trigger: "t1" })).toEqual([]);
    },
  );

  test("one that was missed is fired late, or with skip recorded and over", () => {
    const schedule: Schedule = { type: "delayed", delay_seconds: 60 };
    const late = create(schedule);
    at(late, t0 + day);
    expect(fires(late)).toHaveLength(1);
    const skipped = create(schedule, "skip");
    at(skipped, t0 + day);
    expect(facts(skipped)).toEqual([{ trigger: "t1", count: 1, first: iso(t0 + minute), last: iso(t0 + minute) }]);
    expect(t1(skipped).status).toBe("expired");
  });

  test("a fire whose end was lost in a crash is not fired again", () => {
    const world = create({ type: "delayed", delay_seconds: 60 });
    at(world, t0 + minute);
    expect(world.log.at(-1)?.type).toBe("trigger.expired");
    world.restart(1);
    expect(at(world, t0 + day)).toEqual([]);
    expect(fires(world)).toHaveLength(1);
    expect(t1(world).status).toBe("expired");
  });

  test("the coordinator finds it in its inbox", () => {
    const world = create({ type: "delayed", delay_seconds: 60 });
    at(world, t0 + minute);
    expect(world.state.participants.get("coordinator")?.unread.at(-1)).toMatchObject({ kind: "fire", text: "look" });
  });
});

test("what a worker has a trigger say comes from that worker, not from the runtime", () => {
  const world = start();
  const action = { type: "send_message" as const, to: "coordinator", text: "The human wants it so." };
  world.tell({ type: "trigger.create", schedule: { type: "delayed", delay_seconds: 60 }, action }, "alice");
  at(world, t0 + minute);
  const { unread = [] } = world.state.participants.get("coordinator") ?? {};
  expect(unread.at(-1)).toMatchObject({ from: "alice", kind: "fire", text: "The human wants it so." });
});

test("what somebody has a trigger say to itself still wakes it", () => {
  const world = start();
  const action = { type: "send_message" as const, to: "alice", text: "look again" };
  world.tell({ type: "trigger.create", schedule: { type: "delayed", delay_seconds: 60 }, action }, "alice");
  at(world, t0 + minute);
  expect(world.state.participants.get("alice")?.unread.at(-1)).toMatchObject({ from: "system", text: "look again" });
});

describe("many fires", () => {
  test("a heartbeat keeps its rhythm when it is served a little late", () => {
    const world = create(heartbeat(60));
    at(world, t0 + minute + 20_000);
    at(world, t0 + 2 * minute);
    expect(fires(world)).toEqual([`t1@${iso(t0 + minute)}`, `t1@${iso(t0 + 2 * minute)}`]);
  });

  const range = (from: number, to: number) => ({
    trigger: "t1",
    count: to - from + 1,
    first: iso(t0 + from * hour),
    last: iso(t0 + to * hour),
  });
  const fire = (number: number) => ({
    trigger: "t1",
    fire: `t1@${iso(t0 + number * hour)}`,
    next_at: iso(t0 + (number + 1) * hour),
  });

  test.each([
    ["skip", 5.5, [{ ...range(1, 5), next_at: iso(t0 + 6 * hour) }]],
    ["skip", 5, [{ ...range(1, 4), next_at: iso(t0 + 5 * hour) }, fire(5)]],
    ["once", 1.5, [fire(1)]],
    ["once", 5.5, [{ ...range(1, 4), next_at: iso(t0 + 5 * hour) }, fire(5)]],
    ["all", 3.5, [fire(1), fire(2), fire(3)]],
  ] as const)("with %s after %d hours away", (missed, hours, expected) => {
    const world = create(heartbeat(3600), missed);
    at(world, t0 + hours * hour);
    expect(facts(world)).toEqual(expected);
    expect(t1(world)).toMatchObject({ next_at: iso(t0 + (Math.floor(hours) + 1) * hour) });
  });

  test("all fires at most the last hundred", () => {
    const world = create(heartbeat(3600), "all");
    at(world, t0 + 150 * hour);
    expect(facts(world)[0]).toMatchObject({ count: 50, first: iso(t0 + hour), last: iso(t0 + 50 * hour) });
    expect(fires(world)).toHaveLength(100);
    expect(fires(world).at(-1)).toBe(`t1@${iso(t0 + 150 * hour)}`);
  });

  test("a year away is worked off in steps without a burst", () => {
    const world = create(heartbeat(1800), "all");
    at(world, t0 + 365 * day);
    const missed = world.all("trigger.missed").reduce((sum, { data }) => sum + data.count, 0);
    expect(missed + fires(world).length).toBe(365 * 48);
    expect(fires(world).length).toBe(100);
  });

  test("a clock that jumps back fires nothing early and nothing twice", () => {
    const world = create(heartbeat(60));
    at(world, t0 + 10 * minute);
    expect(at(world, t0)).toEqual([]);
    expect(world.tell({ type: "trigger.fire", trigger: "t1" })).toEqual([]);
    expect(at(world, t0 + 10 * minute)).toEqual([]);
    at(world, t0 + 11 * minute);
    expect(fires(world)).toEqual([`t1@${iso(t0 + 10 * minute)}`, `t1@${iso(t0 + 11 * minute)}`]);
  });

  test("a pattern without a further time in four years is over", () => {
    const world = create({ type: "scheduled", cron: "0 0 29 2 *" });
    at(world, Date.parse("2096-02-29T00:00:30Z"));
    expect(t1(world).status).toBe("expired");
  });
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

describe("ending", () => {
  test("triggers rest while the agent is not active", () => {
    const world = create(heartbeat(3600));
    world.tell({ type: "agent.pause" });
    world.now = t0 + 3 * hour;
    expect(appointments(world.state)).toEqual([]);
    expect(world.tell({ type: "trigger.fire", trigger: "t1" })).toEqual([]);
    resume(world);
    world.tick();
    expect(facts(world)).toHaveLength(2);
  });

  test("a trigger is cancelled by its creator, the coordinator or the human,", () => {
    const world = start();
    world.tell({ type: "trigger.create", schedule: heartbeat(60), action: wake }, "alice");
    expect(refusal(() => world.tell({ type: "trigger.cancel", trigger: "t1" }, "bob"))).toBe(
      "forbidden: t1 was created by alice; only its creator, the coordinator or the human can cancel it",
    );
    world.tell({ type: "trigger.cancel", trigger: "t1" }, "alice");
    expect(t1(world)).toMatchObject({ status: "cancelled", ended_at: iso(t0) });
    expect(world.tell({ type: "trigger.cancel", trigger: "t1" }, "alice")).toEqual([]);
    expect(at(world, t0 + day)).toEqual([]);
    const before = t1(world);
    world.append({ type: "trigger.fired", data: { trigger: "t1", fire: "t1@x", next_at: iso(t0) } });
    world.append({ type: "trigger.expired", data: { trigger: "t1" } });
    expect(t1(world)).toBe(before);
  });

  test("an expired trigger cannot be cancelled, and a missing one is named", () => {
    const world = create({ type: "delayed", delay_seconds: 1 });
    at(world, t0 + minute);
    expect(refusal(() => world.tell({ type: "trigger.cancel", trigger: "t1" }))).toBe(
      "wrong_state: t1 has already expired; active triggers: none",
    );
    expect(refusal(() => world.tell({ type: "trigger.cancel", trigger: "t7" }))).toBe(
      "not_found: there is no trigger t7; triggers: t1",
    );
    expect(refusal(() => world.tell({ type: "trigger.fire", trigger: "t7" }))).toMatch(/^not_found/);
  });

  test("triggers outlive their run, and only the newest ended ones are kept", () => {
    const world = create(heartbeat(60));
    world.tell({ type: "run.finish", summary: "done" }, "coordinator");
    world.tell({ type: "run.start" });
    expect(t1(world).status).toBe("active");
    for (let number = 0; number < 60; number++) {
      create({ type: "delayed", delay_seconds: 1 }, "once", world);
      at(world, world.now + 1000);
    }
    expect(world.state.triggers.size).toBe(51);
    expect(t1(world).status).toBe("active");
    expect(world.state.triggers.has("t61")).toBe(true);
  });
});

describe("a heartbeat that wakes someone", () => {
  /** The coordinator has nothing to read, and a heartbeat of an hour. */
  function quiet(action: Trigger["action"] = wake, missed: Trigger["missed"] = "once") {
    const world = start();
    world.turn("coordinator");
    world.tell({ type: "trigger.create", schedule: heartbeat(3600), action, missed }, "human");
    return world;
  }
  const news = (world: World) =>
    world.tell({ type: "file.edit", path: "GOAL.md", sha256: iso(world.now).replace(/\D/g, "").padStart(64, "0") });

  test("does nothing at all while nothing is new: no event, no appointment, no call", () => {
    const world = quiet();
    expect(appointments(world.state)).toEqual([]);
    expect(at(world, t0 + 30 * day)).toEqual([]);
    expect(world.tell({ type: "trigger.fire", trigger: "t1" })).toEqual([]);
    expect(nextLook(world.state, world.now)).toBe(t0 + 30 * day + hour);
  });

  test.each([
    ["a file that people edited", (world: World) => void news(world)],
    ["something on the board", (world: World) => void world.node({ depends_on: [] }, "bob")],
    ["a word to the one it wakes", (world: World) => void world.tell({ type: "message.post", text: "hi" })],
  ])("fires at its next time after %s, once, and counts the times it spared", (_what, change) => {
    const world = quiet();
    world.now = t0 + 5.5 * hour;
    change(world);
    expect(at(world, t0 + 6 * hour - 1).filter(({ type }) => type === "trigger.fired")).toEqual([]);
    at(world, t0 + 6 * hour);
    expect(world.all("trigger.fired").map(({ data }) => data)).toEqual([
      { trigger: "t1", fire: `t1@${iso(t0 + 6 * hour)}`, skipped: 5, next_at: iso(t0 + 7 * hour) },
    ]);
    expect(t1(world)).toMatchObject({ saved: 5, fires: 1 });
  });

  test("is not woken by a word to somebody else, nor by its own words", () => {
    const world = quiet();
    world.tell({ type: "message.post", from: "alice", to: "bob", text: "hi" }, "alice");
    world.tell({ type: "message.post", from: "coordinator", to: "human", text: "hi" }, "coordinator");
    expect(at(world, t0 + day)).toEqual([]);
  });

  test("fires the first time if there was something to read when it was set", () => {
    const world = start();
    world.tell({ type: "trigger.create", schedule: heartbeat(3600), action: wake }, "coordinator");
    at(world, t0 + hour);
    expect(fires(world)).toHaveLength(1);
  });

  test.each([
    ["skip", 3 * day + 30 * minute, [{ count: 67, skipped: 5 }]],
    ["once", 3 * day + 30 * minute, [{ count: 66, skipped: 5 }, { fire: `t1@${iso(t0 + 3 * day)}` }]],
    ["all", 8.5 * hour, [{ fire: `t1@${iso(t0 + 6 * hour)}`, skipped: 5 }, {}, {}]],
  ] as const)("with %s: times before the news were spared, those after it were missed", (missed, away, expected) => {
    const world = quiet(wake, missed);
    world.now = t0 + 5.5 * hour;
    news(world);
    at(world, t0 + away);
    expect(facts(world)).toMatchObject(expected as never);
    expect(facts(world)).toHaveLength(expected.length);
    expect(t1(world).saved).toBe(5);
  });

  test("whatever happens: every time is fired, missed or spared, none twice, none early, and no call without news", () => {
    const step = fc.record({
      do: fc.constantFrom("wait", "wait", "news", "pause", "crash" as const),
      ms: fc.integer({ min: -hour, max: 9 * hour }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom("skip", "once" as const),
        fc.integer({ min: 10, max: 20_000 }),
        fc.array(step, { maxLength: 30 }),
        (missed, seconds, steps) => {
          const world = start();
          world.turn("coordinator");
          world.tell({ type: "trigger.create", schedule: heartbeat(seconds), action: wake, missed }, "human");
          for (const [n, one] of steps.entries()) {
            world.now += one.ms;
            const before = world.log.length;
            world.tick();
            if (one.do === "news") world.tell({ type: "file.edit", path: `${n}.md`, sha256: "1".repeat(64) });
            if (one.do === "pause") {
              if (world.state.agent?.status === "active") world.tell({ type: "agent.pause" });
              else resume(world);
            }
            if (one.do === "crash") world.restart(Math.min(1, world.log.length - before));
          }
          expect(new Set(fires(world)).size).toBe(fires(world).length);
          let told = 0;
          let [spared, lost] = [0, 0];
          for (const { type, ts, data } of world.log) {
            if (type === "file.edited") told = 1;
            if (type === "trigger.missed" || type === "trigger.fired") spared += data.skipped ?? 0;
            if (type === "trigger.missed") lost += data.count;
            if (type !== "trigger.fired") continue;
            expect(told--, "a fire without news").toBe(1);
            expect(data.fire.slice(3) <= ts).toBe(true);
          }
          const times = (Date.parse(nextAt(world)!) - t0) / (seconds * 1000) - 1;
          expect(fires(world).length + lost + spared).toBe(times);
          expect(t1(world).saved ?? 0).toBe(spared);
        },
      ),
      { numRuns: 150 },
    );
  });

  test("that only tells people, or brings up a node, is not passed over", () => {
    const people = quiet(tellPeople);
    at(people, t0 + hour);
    expect(fires(people)).toHaveLength(1);
    const world = quiet();
    const node = world.node();
    world.tell({ type: "trigger.create", schedule: heartbeat(3600), action: { type: "run_node", node } });
    expect(appointments(world.state).filter(({ command }) => command.type === "trigger.fire")).toHaveLength(2);
  });
});

describe("three days of sleep", () => {
  test.each([
    ["skip", { fired: 0, missed: 3 }],
    ["once", { fired: 1, missed: 2 }],
    ["all", { fired: 3, missed: 0 }],
  ] as const)("with %s over a night in which the clocks change", (missed, expected) => {
    for (const [from, zone] of [
      ["2026-03-06T15:00:00Z", "America/New_York"],
      ["2026-10-30T15:00:00Z", "America/New_York"],
      ["2026-03-27T15:00:00Z", "Europe/Berlin"],
      ["2026-10-23T15:00:00Z", "Europe/Berlin"],
    ] as const) {
      const world = start();
      world.now = Date.parse(from);
      create({ type: "scheduled", cron: "30 2 * * *", zone }, missed, world);
      at(world, Date.parse(from) + 3 * day);
      const count = world.all("trigger.missed").reduce((sum, { data }) => sum + data.count, 0);
      expect({ fired: fires(world).length, missed: count }, `${zone} ${from}`).toEqual(expected);
    }
  });
});

describe("a trigger with a key", () => {
  const keyed = (world: World, seconds: number) =>
    world.tell({ type: "trigger.create", schedule: heartbeat(seconds), action: tellPeople, key: "config:a" }, "system");
  const all = (world: World) => [...world.state.triggers.values()].map(({ id, status }) => `${id} ${status}`);

  test("is there once, however often it is set", () => {
    const world = start({ triggers: 1 });
    for (let n = 0; n < 3; n++) keyed(world, 60);
    expect(all(world)).toEqual(["t1 active"]);
  });

  test("is replaced by another one with the same key", () => {
    const world = start({ triggers: 1 });
    keyed(world, 60);
    const events = keyed(world, 90);
    expect(all(world)).toEqual(["t1 cancelled", "t2 active"]);
    world.restart(events.length - 1);
    keyed(world, 90);
    expect(all(world)).toEqual(["t1 cancelled", "t2 active"]);
  });

  test("stays cancelled if somebody cancelled it, and comes back if it was taken away by the system", () => {
    const world = start();
    keyed(world, 60);
    world.tell({ type: "trigger.cancel", trigger: "t1" }, "coordinator");
    keyed(world, 60);
    expect(all(world)).toEqual(["t1 cancelled"]);
    keyed(world, 90);
    world.tell({ type: "trigger.cancel", trigger: "t2" }, "system");
    keyed(world, 90);
    expect(all(world)).toEqual(["t1 cancelled", "t2 cancelled", "t3 active"]);
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

describe("whatever the clock does", () => {
  const schedule: fc.Arbitrary<Schedule> = fc.oneof(
    fc.integer({ min: 600, max: 90_000 }).map(heartbeat),
    fc.integer({ min: 1, max: 90_000 }).map((delay_seconds) => ({ type: "delayed" as const, delay_seconds })),
    fc.record({
      type: fc.constant("scheduled" as const),
      cron: fc.constantFrom("30 1 * * *", "30 2 * * *", "0 */2 * * *", "*/20 * * * *", "0 9 * * 1-5", "15 0 1 * *"),
      zone: fc.constantFrom("UTC", "America/New_York", "Europe/London", "America/Santiago"),
    }),
  );
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ jump: fc.integer({ min: -2 * hour, max: 12 * hour }) }) },
    { weight: 1, arbitrary: fc.record({ jump: fc.integer({ min: -40 * day, max: 120 * day }) }) },
    { weight: 2, arbitrary: fc.record({ lost: fc.nat(6) }) },
    { weight: 1, arbitrary: fc.constant({ pause: true }) },
    { weight: 1, arbitrary: fc.constant({ twice: true }) },
  );
  const begin = fc.constantFrom("2026-01-01T00:00:00Z", "2026-03-07T20:00:00Z", "2026-10-31T20:00:00Z");

  test("a fire id happens at most once and never early, and every scheduled time is fired or recorded as missed", () => {
    fc.assert(
      fc.property(
        schedule,
        fc.constantFrom("skip", "once", "all"),
        begin,
        fc.array(step, { maxLength: 25 }),
        (given, missed, from, steps) => {
          const world = start();
          world.now = Date.parse(from);
          create(given, missed as Trigger["missed"], world);
          const created = world.log.length;
          const first = nextAt(world)!;
          for (const one of steps) {
            if ("jump" in one) {
              world.now += one.jump;
              world.tick();
            } else if ("lost" in one) {
              /* The process dies while it writes: of what it decided, only a beginning is in the log. */
              const before = world.log.length;
              world.tick();
              world.restart(Math.min(one.lost, world.log.length - before));
            } else if ("pause" in one) {
              if (world.state.agent?.status === "active") world.tell({ type: "agent.pause" });
              else resume(world);
            } else {
              world.tell({ type: "trigger.fire", trigger: "t1" });
              world.tell({ type: "trigger.fire", trigger: "t1" });
            }
          }
          const frozen = JSON.stringify(freezeState(world.state));
          world.restart();
          expect(JSON.stringify(freezeState(world.state))).toBe(frozen);

          expect(new Set(fires(world)).size).toBe(fires(world).length);
          const seen: number[] = [];
          const end = t1(world).status === "active" ? Date.parse(nextAt(world)!) : Number.POSITIVE_INFINITY;
          const scheduled = timesUntil(given, Date.parse(first), end);
          for (const { type, ts, data } of world.log.slice(created)) {
            if (type === "trigger.fired") {
              const time = Date.parse(data.fire.slice(3));
              expect(time).toBeLessThanOrEqual(Date.parse(ts));
              seen.push(time);
            }
            if (type === "trigger.missed") {
              const inside = scheduled.filter(
                (time) => time >= Date.parse(data.first) && time <= Date.parse(data.last),
              );
              expect(inside.length).toBe(data.count);
              seen.push(...inside);
            }
          }
          expect(seen).toEqual(scheduled);
        },
      ),
      { numRuns: 150 },
    );
  });

  function timesUntil(given: Schedule, first: number, end: number): number[] {
    const next = (time: number): number | undefined => {
      if (given.type === "scheduled") return cronTimes(given.cron, given.zone)(time);
      return given.type === "heartbeat" ? time + given.interval_seconds * 1000 : undefined;
    };
    const times: number[] = [];
    for (let time: number | undefined = first; time !== undefined && time < end; time = next(time)) times.push(time);
    return times;
  }
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

test("outside of a run a trigger may name whom the next run will bring", () => {
  const world = start();
  const create = { type: "trigger.create", schedule: { type: "delayed", delay_seconds: 60 } } as const;
  const action = { type: "send_message", to: "carol", text: "hi" } as const;
  expect(world.refused({ ...create, action })).toMatch(/^not_found: there is no participant/);
  world.tell({ type: "run.finish", summary: "s" }, "coordinator");
  world.tell({ ...create, action });
  expect(world.state.triggers.get("t1")).toMatchObject({ status: "active", action });
});
