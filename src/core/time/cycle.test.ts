import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusal, start, t0, type World } from "../core.test-help.ts";
import { appointments } from "../decide.ts";
import { emptyState, freezeState } from "../state.ts";
import { nextBeat, skippedHeartbeats } from "./cycle.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const iso = (at: number) => new Date(at).toISOString();

/** An agent without end, whose coordinator has begun its work and rests. */
function endless(cycle_seconds?: number, work = false): World {
  const world = Object.assign(start(), { state: emptyState(), log: [] });
  world.tell({ type: "agent.create", agent: "chips", goal: "Watch", model: "m", mode: "infinite", cycle_seconds });
  for (const name of ["Alice", "Bob"]) world.tell({ type: "worker.spawn", name }, "human");
  if (work) world.turn("coordinator", "write", { final: true });
  else world.turn("coordinator");
  world.state.cycle = { ...world.state.cycle!, changes: {}, news: work ? world.state.cycle?.news : undefined };
  return world;
}
const at = (world: World, now: number) => {
  world.now = now;
  return world.tick();
};
const cycles = (world: World) => world.all("cycle.began").map(({ data }) => data);
const told = (world: World) => world.thinker("coordinator").unread.at(-1)?.text;
const decline = (world: World) => turn(world, "decline", { final: true, progress: "none" });
function turn(world: World, tool: string, more: object): void {
  const of = world.answer("coordinator", [tool]);
  world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "x", effect: "outside", ...more });
  world.tell({ type: "turn.end", ...of });
}
const edit = (world: World, path = "GOAL.md") =>
  world.tell({ type: "file.edit", path, sha256: world.state.seq.toString(16).padStart(64, "0") });

describe("the rhythm", () => {
  test.each([
    [undefined, 1_800],
    [30, 30],
  ])("given as %s is %d s", (given, seconds) => {
    expect(endless(given).state.agent?.cycle_seconds).toBe(seconds);
    expect(nextBeat(endless(given).state, t0)).toBe(t0 + seconds * 1000);
  });

  test("is a matter of the infinite mode, and not faster than triggers may be", () => {
    const create = { type: "agent.create", agent: "x", goal: "g", model: "m" } as const;
    const world = () => Object.assign(start(), { state: emptyState(), log: [] });
    expect(refusal(() => world().tell({ ...create, cycle_seconds: 60 }))).toMatch(
      /^invalid: cycle_seconds is only for inf/,
    );
    expect(refusal(() => world().tell({ ...create, mode: "infinite", cycle_seconds: 9 }))).toBe(
      "invalid: a cycle of 9 s is too short; the minimum is 10 s",
    );
    expect(start().state.cycle).toBeNull();
  });
});

describe("a beat", () => {
  test("wakes the coordinator with what changed, by kind, and the files that people edited", () => {
    const world = endless();
    world.now += 5 * minute;
    edit(world);
    edit(world);
    world.tell({ type: "message.post", from: "alice", to: "bob", text: "hi" }, "alice");
    world.tell({ type: "document.write", document: "a.md", sha256: "1".repeat(64), size: 1 }, "alice");
    expect(at(world, t0 + 30 * minute - 1)).toEqual([]);
    at(world, t0 + 30 * minute);
    expect(cycles(world)).toEqual([
      {
        cycle: 1,
        at: iso(t0 + 30 * minute),
        skipped: 0,
        missed: 0,
        changes: { "file.edited": 2, "document.written": 1 },
        files: ["GOAL.md"],
      },
    ]);
    expect(told(world)).toMatch(
      /^Cycle 1\. Since the last one: file\.edited 2 times, document\.written\. Edited by hand: GOAL\.md\. Look at what changed/,
    );
    expect(world.thinker("coordinator").unread.at(-1)).toMatchObject({ kind: "fire", from: "system" });
  });

  test("with nothing new is passed over without an event, and the next cycle says how many", () => {
    const world = endless();
    const { length } = world.log;
    expect(at(world, t0 + 5 * hour)).toEqual([]);
    expect(skippedHeartbeats(world.state, world.now)).toBe(10);
    expect(world.log).toHaveLength(length);
    world.now += minute;
    edit(world);
    at(world, t0 + 5.5 * hour);
    expect(cycles(world)[0]).toMatchObject({ skipped: 10, missed: 0, at: iso(t0 + 5.5 * hour) });
    expect(told(world)).toContain("Of the cycles, 10 before it were passed over, because nothing was new.");
    expect(skippedHeartbeats(world.state, world.now)).toBe(10);
  });

  test("that was passed over before somebody wrote counts all the same; one during the answer does not", () => {
    const world = endless();
    world.now = t0 + 5 * hour + minute;
    world.tell({ type: "message.post", text: "hi" });
    const of = world.answer("coordinator", []);
    world.now += hour;
    world.tell({ type: "turn.end", ...of }, "coordinator");
    at(world, t0 + 6.5 * hour);
    expect(cycles(world)).toMatchObject([{ at: iso(t0 + 6.5 * hour), skipped: 10, missed: 0 }]);
    expect(world.state.cycle).toMatchObject({ quiet: 0, saved: 10 });
  });

  test("follows one that led to something, or looked outside; after one that was declined there is silence", () => {
    const world = endless(undefined, true);
    at(world, t0 + 0.5 * hour);
    turn(world, "web_fetch", {});
    world.turn("coordinator");
    at(world, t0 + hour);
    decline(world);
    at(world, t0 + 10 * hour);
    expect(cycles(world).map(({ cycle, at }) => [cycle, at])).toEqual([
      [1, iso(t0 + 0.5 * hour)],
      [2, iso(t0 + hour)],
    ]);
  });

  test("comes at least once a day", () => {
    const world = endless();
    at(world, t0 + day - 1);
    expect(cycles(world)).toEqual([]);
    at(world, t0 + day);
    decline(world);
    at(world, t0 + 2 * day);
    expect(cycles(world).map(({ skipped }) => skipped)).toEqual([47, 47]);
  });

  test.each([
    [
      "is at work",
      (world: World) => {
        world.tell({ type: "message.post", text: "hi" });
        world.begin("coordinator");
      },
    ],
    ["has mail", (world: World) => void world.tell({ type: "message.post", text: "hi" })],
    [
      "waits for an answer",
      (world: World) => {
        world.tell({ type: "message.post", text: "hi" });
        world.tell({ type: "question.ask", by: "coordinator", text: "?" }, "coordinator");
        world.turn("coordinator", "ask", { wait: { for: "question", question: "q1" } });
      },
    ],
    ["is paused", (world: World) => void world.tell({ type: "agent.pause" })],
    ["is stopped", (world: World) => void world.tell({ type: "agent.stop" })],
  ])("is no cycle while the coordinator %s", (_what, make) => {
    const world = endless();
    edit(world);
    make(world);
    world.now = t0 + 3 * day;
    expect(appointments(world.state).filter(({ command }) => command.type === "cycle.begin")).toEqual([]);
    expect(world.tell({ type: "cycle.begin" })).toEqual([]);
  });

  test("during long work is not made up for: the next one after it counts", () => {
    const world = endless();
    world.tell({ type: "message.post", text: "hi" });
    const of = world.answer("coordinator", ["write"]);
    world.now = t0 + 3 * hour + minute;
    world.tell({ type: "tool.end", ...of, call: "c1", outcome: "ok", result: "x", final: true }, "coordinator");
    world.tell({ type: "turn.end", ...of }, "coordinator");
    expect(world.tick()).toEqual([]);
    at(world, t0 + 3.5 * hour);
    expect(cycles(world)).toMatchObject([{ at: iso(t0 + 3.5 * hour), skipped: 0, missed: 0 }]);
  });

  test("every fifth asks to tidy the memory", () => {
    const world = endless(60);
    const asked: boolean[] = [];
    for (let n = 1; n <= 10; n++) {
      edit(world);
      at(world, t0 + n * minute);
      asked.push(told(world)!.includes("tidy your memory"));
      decline(world);
    }
    expect(asked.flatMap((yes, index) => (yes ? [index + 1] : []))).toEqual([5, 10]);
  });
});

describe("time", () => {
  test("three days of sleep are one cycle, with what was missed", () => {
    const world = endless();
    edit(world);
    at(world, t0 + 3 * day + minute);
    expect(cycles(world)).toMatchObject([{ cycle: 1, at: iso(t0 + 3 * day), skipped: 0, missed: 143 }]);
    decline(world);
    edit(world);
    at(world, t0 + 3 * day + 30 * minute);
    expect(cycles(world)).toHaveLength(2);
  });

  test("a clock that is set back begins the rhythm anew", () => {
    const world = endless();
    edit(world);
    at(world, t0 + 30 * minute);
    decline(world);
    edit(world);
    world.now = t0 - 10 * day;
    edit(world, "other.md");
    at(world, t0 - 10 * day + 30 * minute);
    expect(cycles(world).map(({ at }) => at)).toEqual([iso(t0 + 30 * minute), iso(t0 - 10 * day + 30 * minute)]);
    expect(cycles(world)[1]).toMatchObject({ files: ["GOAL.md", "other.md"], skipped: 0, missed: 0 });
  });

  test("a pause of a day is no burst: the next beat after it counts", () => {
    const world = endless();
    edit(world);
    world.tell({ type: "agent.pause" });
    world.now = t0 + day + minute;
    world.tell({ type: "agent.resume" });
    expect(world.tick()).toEqual([]);
    at(world, t0 + day + 30 * minute);
    expect(cycles(world)).toMatchObject([{ cycle: 1, missed: 0 }]);
  });

  test("whatever happens: no beat twice, none early, every one accounted for, and the log gives it back", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("jump" as const), ms: fc.integer({ min: 0, max: 2 * day }) }),
      fc.record({
        do: fc.constantFrom("edit", "decline", "work", "pause", "crash", "word" as const),
        ms: fc.nat(hour),
      }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 7_200 }), fc.array(step, { maxLength: 40 }), (seconds, steps) => {
        const world = Object.assign(start(), { state: emptyState(), log: [] });
        const create = { type: "agent.create", agent: "chips", goal: "g", model: "m", mode: "infinite" } as const;
        world.tell({ ...create, cycle_seconds: seconds });
        world.turn("coordinator");
        for (const one of steps) {
          world.now += one.ms;
          const before = world.log.length;
          world.tick();
          const awake = world.thinker("coordinator").unread.length > 0;
          if (one.do === "edit") edit(world, `${one.ms}.md`);
          if (one.do === "word") world.tell({ type: "message.post", text: "hi" });
          if (one.do === "pause")
            world.tell({ type: world.state.agent?.status === "active" ? "agent.pause" : "agent.resume" });
          if (one.do === "crash") world.restart(Math.min(1, world.log.length - before));
          if (awake && world.state.agent?.status === "active" && /decline|work/.test(one.do)) {
            if (one.do === "decline") decline(world);
            else turn(world, "write", { final: true });
          }
        }
        const frozen = JSON.stringify(freezeState(world.state));
        world.restart();
        expect(JSON.stringify(freezeState(world.state))).toBe(frozen);
        const period = seconds * 1000;
        let last = t0;
        for (const { ts, data } of world.all("cycle.began")) {
          const beat = Date.parse(data.at);
          expect((beat - t0) % period).toBe(0);
          expect(beat).toBeGreaterThan(last);
          expect(beat).toBeLessThanOrEqual(Date.parse(ts));
          expect(data.skipped + data.missed + 1).toBeLessThanOrEqual((beat - last) / period);
          last = beat;
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe("being woken for nothing", () => {
  test("leaves the conversation as it was; the log has all of it", () => {
    const world = endless();
    const before = JSON.stringify(world.thinker("coordinator").conversation);
    for (let n = 1; n <= 20; n++) {
      edit(world);
      at(world, t0 + n * 30 * minute);
      const of = world.answer("coordinator", ["check_board"]);
      const looked = { call: "c1", outcome: "ok", result: "x", effect: "reads", progress: "none" } as const;
      world.tell({ type: "tool.end", ...of, ...looked });
      world.tell({ type: "turn.end", ...of });
      decline(world);
    }
    expect(cycles(world)).toHaveLength(20);
    expect(JSON.stringify(world.thinker("coordinator").conversation)).toBe(before);
    expect(world.all("turn.answered")).toHaveLength(41);
  });

  test("may be said in one word, which goes to nobody", () => {
    const world = endless();
    const before = world.thinker("coordinator").conversation.length;
    edit(world);
    at(world, t0 + 30 * minute);
    const of = world.begin("coordinator");
    world.tell({ type: "turn.answer", ...of, text: "HEARTBEAT_OK.", calls: [], cost: { usd: 0, tokens: 0 } });
    const events = world.tell({ type: "turn.end", ...of });
    expect(events.map(({ type }) => type)).toEqual(["turn.ended"]);
    expect(world.thinker("coordinator").conversation).toHaveLength(before);
  });

  test.each([
    ["something was made before", (world: World) => turn(world, "write", {})],
    [
      "a person spoke in between",
      (world: World) => {
        turn(world, "check_board", { effect: "reads", progress: "none" });
        world.tell({ type: "message.post", text: "hi" });
      },
    ],
    ["mail was read with a tool", (world: World) => turn(world, "check_messages", { progress: "none", upto: 1 })],
  ])("is not forgotten if %s", (_what, first) => {
    const world = endless();
    const before = world.thinker("coordinator").conversation.length;
    edit(world);
    at(world, t0 + 30 * minute);
    first(world);
    decline(world);
    expect(world.thinker("coordinator").conversation.length).toBeGreaterThan(before + 4);
  });

  test("is no such thing when a person asked", () => {
    const world = endless();
    const before = world.thinker("coordinator").conversation.length;
    world.tell({ type: "message.post", text: "hi" });
    decline(world);
    expect(world.thinker("coordinator").conversation).toHaveLength(before + 3);
  });
});

describe("the details of a beat", () => {
  test("the first twenty files that were edited are named, each once", () => {
    const world = endless();
    for (let n = 0; n < 22; n++) edit(world, `memory/${n}.md`);
    edit(world, "memory/0.md");
    world.tell({ type: "document.write", document: "a.md", sha256: "1".repeat(64), size: 1 }, "alice");
    at(world, t0 + 30 * minute);
    expect(cycles(world)[0]).toMatchObject({
      files: Array.from({ length: 20 }, (_, n) => `memory/${n}.md`),
      changes: { "file.edited": 23 },
    });
  });

  test("what is new is seen at the first beat after the earliest of it, and after a resumption at the first beat after that", () => {
    const world = endless(60);
    world.now = t0 + 90_000;
    edit(world);
    world.now = t0 + 100_000;
    edit(world, "SOUL.md");
    expect(appointments(world.state)[0]?.at).toBe(iso(t0 + 120_000));
    world.tell({ type: "agent.pause" });
    world.now = t0 + 300_500;
    world.tell({ type: "agent.resume" });
    expect(appointments(world.state)[0]?.at).toBe(iso(t0 + 360_000));
  });

  test("comes while the coordinator waits for messages, and not while it waits for nodes", () => {
    for (const [wait, due] of [
      [{ for: "mail" }, true],
      [{ for: "nodes", nodes: ["n1-x"] }, false],
    ] as const) {
      const world = endless(60);
      world.node({ name: "x", worker: "alice" });
      world.tell({ type: "message.post", text: "go" });
      world.turn("coordinator", "wait", { wait: wait as never });
      edit(world);
      const beats = appointments(world.state).filter(({ command }) => command?.type === "cycle.begin");
      expect(beats.length > 0).toBe(due);
    }
  });

  test("the next beat is after now, also when it is just now, and those that were spared are counted", () => {
    const world = endless(60);
    expect(nextBeat(world.state, t0 - 5)).toBe(t0 + 60_000);
    expect(nextBeat(world.state, t0 + 59_999)).toBe(t0 + 60_000);
    expect(nextBeat(world.state, t0 + 60_000)).toBe(t0 + 120_000);
    expect(nextBeat(world.state, t0 + 60_001)).toBe(t0 + 120_000);
    expect(skippedHeartbeats(world.state, t0 + 179_999)).toBe(2);
    expect(skippedHeartbeats(start().state, t0)).toBe(0);
    world.tell({ type: "agent.pause" });
    expect(nextBeat(world.state, t0)).toBeUndefined();
  });

  test("what was spared in one run is still counted in the next, and within a cycle as well", () => {
    const world = endless(60);
    at(world, t0 + 5.5 * minute);
    edit(world);
    at(world, t0 + 6 * minute);
    expect(cycles(world)[0]).toMatchObject({ skipped: 5, missed: 0 });
    expect(skippedHeartbeats(world.state, world.now)).toBe(5);
    decline(world);
    world.now = t0 + 9 * minute;
    world.tell({ type: "message.post", text: "hi" });
    world.turn("coordinator");
    expect(skippedHeartbeats(world.state, world.now)).toBe(8);
    world.tell({ type: "run.finish", summary: "s" });
    world.tell({ type: "run.start" });
    expect(world.state.cycle).toMatchObject({ number: 0, saved: world.state.cycle!.saved });
    expect(world.state.cycle!.saved).toBeGreaterThanOrEqual(5);
  });
});
