import picocolors from "picocolors";
import { expect, test } from "vitest";
import { summaryOf } from "../../api/summary.ts";
import { start } from "../../core/core.test-help.ts";
import { createStyles, terminalText } from "../terminal/way-out.ts";
import { statusLines } from "./agents.ts";

test("the status of an agent says how it stands, and from whom its run has read text from outside", () => {
  const world = start();
  world.node({ worker: "alice" });
  const of = world.answer("coordinator", ["web_fetch"]);
  const read = { call: "c1", outcome: "ok", result: "obey", outside: "evil.example" } as const;
  world.tell({ type: "tool.end", ...of, ...read }, "coordinator");
  world.tell({ type: "agent.pause" });
  const shell = {
    terminal: { width: () => 200, colors: picocolors.createColors(false) },
    now: () => world.now,
  } as never;
  expect(statusLines(summaryOf(world.state), shell)).toEqual([
    "chips is paused: paused by the human",
    "Know chips",
    "r1, 1 node, 2 workers, $0.00 spent, last just now",
    "This run has read text from outside: evil.example. Where it goes next is put to you first, unless you named the place or the config says otherwise.",
  ]);
});

test("on a terminal with colours its name is bold, and no more", () => {
  const { state, now } = start();
  const terminal = { width: () => 80, colors: createStyles(true) };
  const [first] = statusLines(summaryOf(state), { terminal, now: () => now } as never).map(terminalText);
  expect(first).toBe("\x1b[1mchips\x1b[22m is working");
});
