import { expect, test } from "vitest";
import { estimateTokens } from "../lib/text/tokens.ts";
import type { Part } from "./parts.ts";
import { budgetFor, selectParts, textOf } from "./select.ts";

const part = (given: Partial<Part>): Part => ({
  name: "memory",
  value: "task",
  source: "memory/a.md",
  why: "it matches",
  text: "a".repeat(340),
  ...given,
});
const shown = (parts: Part[], budget: number) =>
  selectParts(parts, budget).map(({ part, shown }) => `${part.source}: ${shown}`);

test("what is always there is shown without any budget", () => {
  expect(shown([part({ value: "always", source: "SOUL.md" })], 0)).toEqual(["SOUL.md: whole"]);
});

test("of what the task needs, the highest score gets the room, and the rest is reported as left out", () => {
  const parts = ["low", "high", "middle"].map((source, at) => part({ source, score: [0.1, 0.9, 0.5][at]! }));
  expect(shown(parts, 200)).toEqual(["low: no", "high: whole", "middle: whole"]);
  expect(shown(parts, 199)).toEqual(["low: no", "high: whole", "middle: no"]);
});

test("a smaller part still fits where a larger one with a higher score does not", () => {
  const parts = [part({ source: "large", score: 2, text: "x".repeat(3_400) }), part({ source: "small" })];
  expect(shown(parts, 100)).toEqual(["large: no", "small: whole"]);
});

test("what does not fit is replaced by its brief, and what is one call away is never shown whole", () => {
  const brief = "read it with memory_read";
  expect(shown([part({ brief })], 99)).toEqual(["memory/a.md: brief"]);
  expect(shown([part({ value: "call", brief })], 10_000)).toEqual(["memory/a.md: brief"]);
  expect(shown([part({ value: "call" })], 10_000)).toEqual(["memory/a.md: no"]);
  expect(shown([part({ brief })], estimateTokens(brief) - 1)).toEqual(["memory/a.md: no"]);
});

test("parts stand in their fixed order, and those of one name below one title", () => {
  const title = "What you remember";
  const choices = selectParts(
    [
      part({ text: "one", title }),
      part({ name: "goal", value: "always", title: "Your goal", text: "know" }),
      part({ text: "two", title }),
      part({ text: " " }),
    ],
    100,
  );
  expect(textOf(choices)).toBe("# Your goal\nknow\n\n# What you remember\none\n\ntwo");
});

test("the budget is a fifth of a small window", () => {
  expect([undefined, 200_000, 10_000].map(budgetFor)).toEqual([16_000, 16_000, 2_000]);
});
