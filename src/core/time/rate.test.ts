import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Trigger } from "../../schema/trigger.ts";
import { start, t0, type World } from "../core.test-help.ts";
import { appointments } from "../decide.ts";
import { nextLook } from "./rate.ts";
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

test("a heartbeat that is set while the goal is read has nothing new to show for it", () => {
  const world = start();
  world.begin("coordinator"); // it has the goal before it, which is unread until the turn ends
  world.tell({ type: "trigger.create", schedule: heartbeat(60), action: wake }, "coordinator");
  expect(appointments(world.state)).toEqual([]);
  world.tell({ type: "message.post", text: "new" });
  expect(appointments(world.state)).toMatchObject([{ at: iso(t0 + minute) }]);
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
