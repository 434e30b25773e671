import { readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseCommand } from "../schema/command.ts";
import { type Event, eventTypes, type Fact } from "../schema/event.ts";
import { nouns } from "../schema/nouns.ts";
import { Problem } from "../schema/problem.ts";
import { decode } from "../store/log-line.ts";
import { appointments, decide, settle, stamp } from "./decide.ts";
import type { Limits } from "./limits.ts";
import type { Context } from "./noun.ts";
import { reducers, silentTypes } from "./nouns.ts";
import { reduce } from "./reduce.ts";
import { draws, t0, type Wish } from "./rules/draws.test-help.ts";
import { anyLimits, anyStep, type Step, wishFor } from "./rules/wishes.test-help.ts";
import { canonical, emptyState, type State, sameState } from "./state.ts";

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

/** Looked at every so often: a difference may be gone again at the end. */
function expectSame(events: readonly Event[], every = events.length): void {
  const [some, all] = [emptyState(), emptyState()];
  for (const [index, event] of events.entries()) {
    reduce(some, event);
    reduceWithAll(all, event);
    if ((index + 1) % every && index + 1 < events.length) continue;
    const { keys, active_at } = some;
    if (!sameState({ ...all, keys, active_at }, some))
      expect(canonical({ ...all, keys, active_at }), `after ${event.type}`).toBe(canonical(some));
  }
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

/** What happens when steps are taken one after the other; refused commands leave nothing behind. */
function logOf(limits: Limits, steps: readonly Step[]): Event[] {
  const state = emptyState();
  const log: Event[] = [];
  let now = t0;
  const take = (fact: Fact, actor: string) => {
    log.push(stamp(state, fact, { now, actor, limits }));
    reduce(state, log.at(-1)!);
  };
  const tell = (wish: Wish, actor: string) => {
    for (const fact of factsOf(state, wish, { now, actor, limits })) take(fact, actor);
    const follows = () => settle(state, { now, actor: "system", limits });
    for (let fact = follows(); fact; fact = follows()) take(fact, "system");
  };
  for (const { do: what, seed } of steps) {
    const d = draws(seed, state, now);
    if (what === "time") now += d.pick(1, 1_000, 31_000, 600_000);
    const due = appointments(state).filter(({ at }) => Date.parse(at) <= now);
    for (const { command } of due.slice(0, 3)) tell(command as Wish, "system");
    const wish = wishFor(what, d, state);
    if (wish) tell(...wish);
    const rare = d.chance() < 0.1 ? rareFact(d, state) : undefined;
    if (rare) take(rare, "system");
  }
  return log;
}

/** Facts that chance hardly leads to: they need many turns on one node, or two who write to each other. */
function rareFact(d: ReturnType<typeof draws>, state: State): Fact | undefined {
  const [from, to] = [d.thinkers.at(0), d.thinkers.at(-1)];
  const message = `m${state.counts.messages + 1}`;
  if (from && to && from !== to && d.chance() < 0.5)
    return {
      type: "message.posted",
      data: { message, from: from.id, to: [to.id], text: "x", priority: "normal" },
    };
  const holder = d.workers.find(({ node }) => node);
  return holder && { type: "worker.urged", data: { worker: holder.id, node: holder.node!, turns: 4, max_turns: 5 } };
}

function factsOf(state: State, wish: Wish, context: Context): Fact[] {
  try {
    return decide(state, parseCommand(wish), context);
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return [];
  }
}

test("asking only those who look at an event is the same as asking everybody, in whatever a team does", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(anyLimits, fc.array(anyStep, { minLength: 150, maxLength: 300 }), (limits, steps) => {
      const log = logOf(limits, steps);
      for (const { type } of log) seen.add(type);
      expectSame(log, 5);
    }),
    { numRuns: 80, endOnFailure: true },
  );
  expect([...seen]).toEqual(expect.arrayContaining(["tool.ended", "worker.urged"]));
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
