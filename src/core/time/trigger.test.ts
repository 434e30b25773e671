import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Schedule } from "../../schema/schedule.ts";
import type { Trigger } from "../../schema/trigger.ts";
import { refusal, start, t0, type World } from "../core.test-help.ts";
import { appointments } from "../decide.ts";
import { freezeState } from "../state.ts";
import { cronTimes } from "./cron.ts";
import {
  at,
  create,
  day,
  facts,
  fires,
  heartbeat,
  hour,
  iso,
  minute,
  nextAt,
  resume,
  t1,
  tellPeople,
  wake,
} from "./trigger.test-help.ts";

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

test("outside of a run a trigger may name whom the next run will bring", () => {
  const world = start();
  const create = { type: "trigger.create", schedule: { type: "delayed", delay_seconds: 60 } } as const;
  const action = { type: "send_message", to: "carol", text: "hi" } as const;
  expect(world.refused({ ...create, action })).toMatch(/^not_found: there is no participant/);
  world.tell({ type: "run.finish", summary: "s" }, "coordinator");
  world.tell({ ...create, action });
  expect(world.state.triggers.get("t1")).toMatchObject({ status: "active", action });
});

describe("a trigger by hand", () => {
  const hourly = (world: ReturnType<typeof start>) =>
    world.tell({
      type: "trigger.create",
      schedule: { type: "scheduled", cron: "0 * * * *" },
      action: { type: "send_message", to: "alice", text: "look" },
    });

  test("fires once more, for a worker, and keeps its times", () => {
    const world = start();
    hourly(world);
    const { next_at } = world.state.triggers.get("t1") as { next_at?: string };
    world.tell({ type: "trigger.fire_now", trigger: "t1" });
    world.tell({ type: "trigger.fire_now", trigger: "t1" });
    expect(world.state.triggers.get("t1")).toMatchObject({ fires: 2, next_at });
    expect(world.thinker("alice").unread.map(({ text }) => text)).toEqual(["look", "look"]);
    expect(world.refused({ type: "trigger.fire_now", trigger: "t1" }, "alice")).toMatch("can fire it");
  });

  test("that is paused does not fire, and continues with its next time when it is armed", () => {
    const world = start();
    hourly(world);
    world.tell({ type: "trigger.disarm", trigger: "t1" });
    world.now += 5 * 3_600_000;
    expect(world.tick()).toEqual([]);
    expect(world.state.triggers.get("t1")).toMatchObject({ status: "disarmed", paused_by: "human" });
    expect(world.refused({ type: "trigger.fire_now", trigger: "t1" })).toMatch(
      "wrong_state: t1 is disarmed; arm it first",
    );
    expect(world.refused({ type: "trigger.arm", trigger: "t1" }, "alice")).toMatch("can enable it");
    world.tell({ type: "trigger.arm", trigger: "t1" }, "coordinator");
    expect(world.tick()).toEqual([]);
    expect(world.state.triggers.get("t1")).toMatchObject({ status: "active", fires: 0 });
    world.now += 3_600_000;
    expect(world.tick().map(({ type }) => type)).toContain("trigger.fired");
  });
});
