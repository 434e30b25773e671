import { expect, test } from "vitest";
import type { State } from "../../src/core/state.ts";
import type { Line } from "../history.ts";
import { checkCharges } from "./charges.ts";

const amount = (usd: number) => ({ usd, tokens: 0 });
const review = { node: "n1-x", check: 2 };
const started = ["check.started", { ...review, reserved: amount(0.003) }] as const;

/** What is violated if the log says this and the agent's account that. */
function violations(spent: number, ...events: (readonly [type: string, data: Record<string, unknown>])[]): string[] {
  const lines = events.map(([type, data], at): Line => {
    return { seq: at + 1, id: `a1/${at + 1}`, type, run: "r1", actor: "system", ts: "", data };
  });
  const state = { accounts: new Map([["agent", { spent: amount(spent) }]]) } as unknown as State;
  const found: string[] = [];
  checkCharges(lines, [], state, (_, what) => found.push(what));
  return found;
}

test("a review that ends is charged what it cost", () => {
  const ended = ["check.ended", { ...review, cost: amount(0.001) }] as const;
  expect(violations(0.001, started, ended, ["node.completed", { node: "n1-x" }])).toEqual([]);
  expect(violations(0.003, started, ended)).toHaveLength(1);
});

test.each([
  ["node.failed", { node: "n1-x" }],
  ["run.stopped", {}],
  ["check.ended", review],
] as const)("a review whose end nobody heard is charged what was reserved for it: %s", (type, data) => {
  expect(violations(0.003, started, [type, data], ["node.cancelled", { node: "n1-x" }])).toEqual([]);
  expect(violations(0, started, [type, data])).toHaveLength(1);
});

test("a review that is given up for another is charged what the next one says", () => {
  const again = ["check.started", { ...started[1], lost: amount(0.002) }] as const;
  expect(violations(0.005, started, again, ["node.failed", { node: "n1-x" }])).toEqual([]);
});

test("the end of another node or of another check leaves a review open", () => {
  const others = [
    ["node.failed", { node: "n2-x" }],
    ["check.ended", { ...review, check: 1 }],
  ] as const;
  expect(violations(0, started, ...others)).toEqual([]);
});
