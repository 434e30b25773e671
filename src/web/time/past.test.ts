import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { fold } from "../../core/reduce.ts";
import { canonical, emptyState } from "../../core/state.ts";
import type { Event } from "../../schema/event.ts";
import { createPast } from "./past.ts";

/** A log in which everything happens that is edited in place: mail, turns, questions, nodes. */
function log(rounds: number): Event[] {
  const world = start({ nodes_per_run: 1_000, live_nodes: 1_000, messages_without_effect: 1_000 });
  for (let round = 0; round < rounds; round++) {
    world.now += 60_000;
    world.node({ name: `Part ${round}`, worker: round % 2 ? "Alice" : "Bob" });
    world.tell(
      { type: "message.post", from: "coordinator", to: ["alice", "bob"], text: `Round ${round}` },
      "coordinator",
    );
    if (world.thinker("alice").unread.length) world.turn("alice", "check");
    if (round % 5 === 0) world.tell({ type: "question.ask", by: "alice", text: "Which one?" }, "alice");
    if (round % 5 === 2) world.tell({ type: "question.answer", answer: "The first" });
  }
  return world.log;
}

describe("the past", () => {
  const events = log(60);

  test("any moment is what folding the log up to it gives, in whatever order one asks, and as the log grows", () => {
    const whole = events.map((_, index) => canonical(fold(emptyState(), events.slice(0, index + 1))));
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 2, max: 8 }),
        fc.array(fc.nat(events.length - 1), { minLength: 1, maxLength: 8 }),
        (every, most, asked) => {
          const past = createPast({ every, most });
          for (const [index, event] of events.entries()) {
            past.add(event);
            if (asked.includes(index))
              expect(canonical(past.at((asked[0]! % (index + 1)) + 1))).toBe(whole[asked[0]! % (index + 1)]);
          }
          for (const index of asked) expect(canonical(past.at(index + 1))).toBe(whole[index]);
        },
      ),
      { numRuns: 25 },
    );
  });

  test("what was given is not edited by what comes", () => {
    const past = createPast({ every: 10 });
    for (const event of events.slice(0, 100)) past.add(event);
    const [before, given] = [canonical(past.at(100)), past.at(100)];
    for (const event of events.slice(100)) past.add(event);
    past.at(events.length);
    expect(canonical(given)).toBe(before);
  });

  test("an event twice or after a gap is not taken", () => {
    const past = createPast();
    expect([events[0]!, events[0]!, events[2]!, events[1]!].map((event) => past.add(event))).toEqual([
      true,
      false,
      false,
      true,
    ]);
    expect(past.events()).toHaveLength(2);
  });

  test("before the first event there is nothing, after the last there is the last", () => {
    const past = createPast();
    for (const event of events) past.add(event);
    expect(past.at(0).agent).toBeNull();
    expect(past.at(1e9).seq).toBe(events.length);
  });
});
