import { expect, test } from "vitest";
import type { Reason } from "../../schema/agent.ts";
import { limitOf } from "./limit.ts";

const reason = (limit?: Reason["limit"]): Reason => ({
  code: "budget",
  message: "the budget of a stranger allows 3 seconds",
  next_mover: "human",
  ...(limit ? { limit } : {}),
});

test.each([
  [
    { account: "run", unit: "tokens" },
    { of: "run", unit: "tokens" },
  ],
  [
    { account: "day:2026-01-31", unit: "turns" },
    { of: "day", unit: "turns" },
  ],
  [
    { account: "agent", unit: "seconds" },
    { of: "agent", unit: "seconds" },
  ],
  [
    { account: "worker:coordinator", unit: "turns" },
    { of: "agent", unit: "usd" },
  ],
  [undefined, { of: "agent", unit: "usd" }],
] as const)("the limit %o is raised as %o, whatever the message says", (limit, shown) => {
  expect(limitOf(reason(limit))).toEqual(shown);
});
