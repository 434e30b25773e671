import { expect, test } from "vitest";
import type { Offer } from "../../api/models.ts";
import type { Draft } from "./draft.ts";
import { planOf } from "./says.ts";

const draft: Draft = {
  ...{ goal: "Know chips", model: "", usd: "", mode: "finite", every: 60, workflow: "" },
  ...{ folder: "", tools: "", window: "", name: "" },
};
const offer = { model: "a/x", models: [], budget: { usd: 10 } } as unknown as Offer;

test.each([
  ["", "spends at most $10", undefined],
  ["2", "spends at most $2", { usd: 2 }],
  ["none", "spends without a limit", { usd: null }],
])("with the budget %j it says what it may spend, and asks for that", (usd, words, budget) => {
  const { says, wish, why } = planOf({ ...draft, usd }, offer, undefined);
  expect(says).toContain(words);
  expect(wish.budget).toEqual(budget);
  expect(why).toBeUndefined();
});
