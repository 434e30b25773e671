import { expect, test } from "vitest";
import { start } from "../../core/core.test-help.ts";
import { emptyState } from "../../core/state.ts";
import { draw, wordsOf } from "../draw.test-help.tsx";
import { Cycle } from "./cycle.tsx";

const create = { type: "agent.create", agent: "watch", goal: "Watch", model: "scripted/test" } as const;

test("an agent without end shows its own rhythm, how often it was skipped, and that a pause stops it", async () => {
  const world = Object.assign(start(), { state: emptyState(), log: [] });
  world.tell({ ...create, mode: "infinite", cycle_seconds: 1_800 });
  world.turn("coordinator");
  const words = async () => wordsOf(await draw(<Cycle state={world.state} />));
  expect(await words()).toMatch(
    /^Every 30 min, if something is new .*, in \d+ .* Wakes the coordinator for its next cycle No cycle in this run yet, skipped \d+ times/,
  );
  world.tell({ type: "agent.pause" });
  expect(await words()).toMatch(/^Every 30 min, if something is new paused /);
});

test("an agent that works until it is done has none", async () => {
  expect(await draw(<Cycle state={start().state} />)).toBe("");
});
