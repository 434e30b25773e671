import { expect, test } from "vitest";
import type { Offer } from "../../api/models.ts";
import type { Draft } from "./draft.ts";
import { planOf } from "./says.ts";

const draft: Draft = {
  ...{ goal: "Know chips", model: "", usd: "", mode: "finite", every: 60, workflow: "" },
  ...{ folder: "", tools: "", window: "", name: "", soul: "" },
};
const offer = { model: "a/x", models: [], programs: [], budget: { usd: 10 } } as unknown as Offer;

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

const claude = {
  name: "claude-code",
  title: "Claude Code",
  state: "ready",
  models: ["claude-code", "claude-code/opus"],
};
const login = { name: "codex", title: "Codex", state: "login", models: [] };

test("a program is chosen like a model, and is the default where there is no model", () => {
  const programs = [login, claude] as unknown as Offer["programs"];
  const none = { ...offer, model: null, programs };
  expect(planOf(draft, none, undefined)).toMatchObject({
    ...{ why: undefined, model: "claude-code", wish: { model: "claude-code" } },
    says: expect.stringContaining("thinks with Claude Code,"),
  });
  const opus = planOf({ ...draft, model: "claude-code/opus" }, { ...offer, programs }, undefined);
  expect(opus).toMatchObject({ wish: { model: "claude-code/opus" } });
  expect(opus.says).toContain("thinks with Claude Code (opus)");
  const unready = { ...none, programs: [login] as unknown as Offer["programs"] };
  expect(planOf({ ...draft, model: "codex" }, unready, undefined).why).toBe("No model available");
});

test("a workflow that asks for something waits for it, and one that nobody leads says how it ends", () => {
  const params = [{ name: "place", type: "string", required: true }];
  const workflow = {
    name: "review",
    workers: [{}, {}],
    nodes: [],
    budget: {},
    model: null,
    led: false,
    params,
  } as never;
  expect(planOf(draft, offer, workflow).why).toBe("Fill in place");
  const { why, says, wish } = planOf(draft, offer, workflow, { place: "src" });
  expect(why).toBeUndefined();
  expect(says).toContain("ends when everyone is idle");
  expect(wish).toMatchObject({ workflow: "review", params: { place: "src" } });
});
