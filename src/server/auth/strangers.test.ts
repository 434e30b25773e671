import { expect, test } from "vitest";
import { createStrangers } from "./strangers.ts";

test("of more connections without a token than may be, those that came first are closed, and no one that has shown one or has just come", () => {
  let now = 0;
  const clock = { now: () => 0, mono: () => now, after: () => () => undefined };
  const strangers = createStrangers({ clock, most: 2, graceMs: 1_000 });
  const closed: string[] = [];
  const socket = (name: string) => {
    let gone = (): void => undefined;
    const one = {
      destroy: () => closed.push(name),
      once: (_event: "close", call: () => void) => {
        gone = call;
      },
      gone: () => gone(),
    };
    strangers.come(one);
    return one;
  };
  const first = socket("first");
  strangers.prove(first);
  const [second] = [socket("second"), socket("third"), socket("fourth")];
  expect(closed).toEqual([]);
  now = 1_000;
  socket("fifth");
  expect(closed).toEqual(["second", "third"]);
  second.gone();
  socket("sixth").gone();
  expect(closed).toEqual(["second", "third", "fourth"]);
});
