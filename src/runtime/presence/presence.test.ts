import { expect, test } from "vitest";
import type { Lease } from "../../engine/engine.ts";
import { Problem, type ProblemCode } from "../../schema/problem.ts";
import { type Change, createPresences, exists, faultOf, nextPresence, openedOf, type Presence } from "./presence.ts";

const job = Promise.resolve("an agent");
const lease = Promise.resolve({} as Lease);
const released = Promise.resolve();
const cancel = () => undefined;
const opened = "an agent";
const key = "k";
const problem = (code: ProblemCode) => new Problem(code, code);
const full = problem("storage_failed");

/** Every state, under the name it has in the table. */
const states: Record<string, Presence<string>> = {
  unknown: { is: "unknown" },
  closed: { is: "closed" },
  elsewhere: { is: "elsewhere" },
  reserved: { is: "creating", key, exists: false },
  creating: { is: "creating", key, exists: false, opened },
  created: { is: "creating", key, exists: true, opened },
  opening: { is: "opening", job, exists: true, attempts: 0 },
  reopening: { is: "opening", job, exists: true, attempts: 2, fault: full },
  guessed: { is: "opening", job, exists: false, attempts: 0 },
  open: { is: "open", opened, attempts: 0 },
  mended: { is: "open", opened, attempts: 2 },
  resting: { is: "resting", lease },
  faulted: { is: "faulted", problem: full, exists: true, attempts: 1 },
};

const changes: Record<string, Change<string>> = {
  find: { type: "find" },
  reserve: { type: "reserve", key },
  open: { type: "open", job },
  opened: { type: "opened", opened },
  created: { type: "created" },
  refuse: { type: "refuse" },
  finish: { type: "finish" },
  "fail: not_found": { type: "fail", problem: problem("not_found") },
  "fail: owned_elsewhere": { type: "fail", problem: problem("owned_elsewhere") },
  "fail: closed": { type: "fail", problem: problem("closed") },
  "fail: storage_failed": { type: "fail", problem: full },
  "lose: fenced": { type: "lose", problem: problem("fenced"), released },
  "lose: storage_failed": { type: "lose", problem: full, released },
  retry: { type: "retry", cancel },
  recover: { type: "recover" },
  rest: { type: "rest", lease },
  close: { type: "close" },
};

const faultedAfter = (
  attempts: number,
  more: Partial<Presence<string> & { is: "faulted" }> = {},
): Presence<string> => ({
  is: "faulted",
  problem: full,
  exists: true,
  attempts,
  ...more,
});

/** What each change makes of each state. Whatever is not here leaves the state as it is. */
const table: Record<string, Record<string, Presence<string>>> = {
  find: {
    unknown: states.closed!,
    reserved: { is: "elsewhere" },
    creating: states.created!,
    guessed: states.opening!,
  },
  reserve: { unknown: states.reserved! },
  open: {
    unknown: states.guessed!,
    closed: states.opening!,
    elsewhere: states.opening!,
    resting: states.opening!,
    faulted: { is: "opening", job, exists: true, attempts: 1, fault: full },
  },
  opened: {
    reserved: states.creating!,
    opening: states.open!,
    reopening: states.mended!,
    guessed: states.open!,
  },
  created: { reserved: { is: "creating", key, exists: true }, creating: states.created! },
  refuse: { creating: states.reserved!, created: states.reserved! },
  finish: { reserved: { is: "unknown" }, creating: states.open!, created: states.open! },
  "fail: not_found": { opening: { is: "unknown" }, reopening: { is: "unknown" }, guessed: { is: "unknown" } },
  "fail: owned_elsewhere": { opening: { is: "elsewhere" }, reopening: { is: "elsewhere" }, guessed: { is: "unknown" } },
  "fail: closed": { opening: { is: "closed" }, reopening: faultedAfter(2), guessed: { is: "unknown" } },
  "fail: storage_failed": {
    opening: faultedAfter(1),
    reopening: faultedAfter(3),
    guessed: faultedAfter(1, { exists: false }),
  },
  "lose: fenced": Object.fromEntries(
    ["reserved", "creating", "created", "opening", "reopening", "guessed", "open", "mended"].map((state) => [
      state,
      { is: "elsewhere", released },
    ]),
  ),
  "lose: storage_failed": {
    reserved: faultedAfter(1, { exists: false, released }),
    creating: faultedAfter(1, { exists: false, released }),
    created: faultedAfter(1, { released }),
    opening: faultedAfter(1, { released }),
    reopening: faultedAfter(3, { released }),
    guessed: faultedAfter(1, { exists: false, released }),
    open: faultedAfter(1, { released }),
    mended: faultedAfter(3, { released }),
  },
  retry: { faulted: faultedAfter(1, { cancelRetry: cancel }) },
  recover: { mended: states.open! },
  rest: { open: states.resting!, mended: states.resting! },
  close: { open: states.closed!, mended: states.closed!, resting: states.closed! },
};

test.each(Object.keys(changes))("%s changes the states of its row and no other", (name) => {
  for (const [state, before] of Object.entries(states))
    expect([state, nextPresence(before, changes[name]!)]).toEqual([state, table[name]![state] ?? before]);
});

test("an agent exists once its log does; one that is open can be used, also while it is being created", () => {
  const those = (holds: (presence: Presence<string>) => unknown) =>
    Object.keys(states).filter((name) => holds(states[name]!));
  expect(those((presence) => !exists(presence))).toEqual(["unknown", "reserved", "creating", "guessed"]);
  expect(those(openedOf)).toEqual(["creating", "created", "open", "mended"]);
  expect(those(faultOf)).toEqual(["reopening", "faulted"]);
});

test("nothing is kept of an agent that turns out not to exist", () => {
  const presences = createPresences<string>();
  presences.change("a1", { type: "open", job });
  expect(presences.all()).toEqual([["a1", states.guessed]]);
  presences.change("a1", { type: "fail", problem: problem("not_found") });
  expect([presences.all(), presences.of("a1")]).toEqual([[], { is: "unknown" }]);
});
