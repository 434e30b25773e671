import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Event, eventTypes } from "../schema/event.ts";
import { nouns } from "../schema/nouns.ts";
import { decode } from "../store/log-line.ts";
import { reducers, silentTypes } from "./nouns.ts";
import { reduce } from "./reduce.ts";
import { canonical, emptyState, type State } from "./state.ts";

const golden: Event[] = readFileSync(new URL("../../test/golden/v2.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => decode(Buffer.from(line)));

/** As `reduce`, but every reducer is asked about every event. */
function reduceWithAll(state: State, event: Event): void {
  state.seq = event.seq;
  state.at = event.ts;
  for (const { reduce } of reducers) reduce(state, event);
}

function expectSame(events: readonly Event[]): void {
  const [some, every] = [emptyState(), emptyState()];
  for (const event of events) {
    reduce(some, event);
    reduceWithAll(every, event);
  }
  const { keys, active_at } = some;
  expect(canonical({ ...every, keys, active_at })).toBe(canonical(some));
}

test("asking only those who look at an event is the same as asking everybody, whatever happens in whatever order", () => {
  for (let length = 1; length <= golden.length; length += 7) expectSame(golden.slice(0, length));
  const any = fc.nat(golden.length - 1);
  fc.assert(
    fc.property(any, fc.array(any, { maxLength: 60 }), (start, more) => {
      const events = [...golden.slice(0, start), ...more.map((index) => golden[index]!)];
      expectSame(events.map((event, index) => ({ ...event, seq: index + 1 }) as Event));
    }),
    { numRuns: 150 },
  );
});

test("every type of event is looked at by somebody or said to be silent", () => {
  const looked = new Set<string>(reducers.flatMap(({ looksAt }) => looksAt));
  expect(eventTypes.filter((type) => !looked.has(type))).toEqual([...silentTypes]);
});

test("no two nouns hold the same part of the state, or have a type in common", () => {
  for (const part of ["events", "commands"] as const) {
    const names = nouns.flatMap((noun) => Object.keys(noun[part]));
    expect(names.length).toBe(new Set(names).size);
  }
  const fields = nouns.flatMap(({ state }) => Object.keys(state()));
  expect(fields.length).toBe(new Set(fields).size);
});
