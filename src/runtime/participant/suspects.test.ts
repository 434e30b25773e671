import { expect, test } from "vitest";
import type { Clock } from "../../lib/world.ts";
import { createSuspects } from "./suspects.ts";

function set() {
  const timers: (() => void)[] = [];
  const clock = { after: (_ms: number, call: () => void) => timers.push(call) } as unknown as Clock;
  const suspects = createSuspects(clock);
  const inside: string[] = [];
  const enter = async (name: string, signal = new AbortController().signal) => {
    const leave = await suspects.enter(signal);
    inside.push(name);
    return leave;
  };
  return { timers, inside, enter };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("one goes on at a time, in the order they came", async () => {
  const { inside, enter } = set();
  const [a, b] = [enter("a"), enter("b")];
  void enter("c");
  await settle();
  expect(inside).toEqual(["a"]);
  (await a)();
  await settle();
  expect(inside).toEqual(["a", "b"]);
  (await b)();
  await settle();
  expect(inside).toEqual(["a", "b", "c"]);
});

test("who is stopped while it waits, or hangs, holds up nobody", async () => {
  const { timers, inside, enter } = set();
  const stop = new AbortController();
  void enter("a");
  void enter("b", stop.signal);
  void enter("c");
  await settle();
  stop.abort();
  await settle();
  expect(inside).toEqual(["a", "b"]); // b goes nowhere: its loop is over
  for (const ring of timers) ring();
  await settle();
  expect(inside).toEqual(["a", "b", "c"]);
});
