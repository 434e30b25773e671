/** The world of an agent whose run nobody leads: Rae reviews, Cody codes. */
import type { z } from "zod";
import type { CommandInput } from "../schema/command.ts";
import type { Team } from "../schema/workflow.ts";
import { start, t0 } from "./core.test-help.ts";
import { emptyState } from "./state.ts";

export function leaderless(more: Partial<z.input<typeof Team>> = {}, goal = "Mend the loop", at = t0) {
  const world = start();
  world.now = at;
  world.log = [];
  world.state = emptyState();
  const workers = [
    { name: "Rae", role: "reviews" },
    { name: "Cody", role: "codes" },
  ];
  const team = { workers, lead: false, ...more };
  world.tell({ type: "agent.create", agent: "review", goal, model: "m", team } as CommandInput);
  return Object.assign(world, {
    /** A turn of words only. */
    say(who: string, text: string): void {
      const of = world.begin(who);
      world.tell({ type: "turn.answer", ...of, text, calls: [], cost: { usd: 0, tokens: 0 } }, who);
      world.tell({ type: "turn.end", ...of }, who);
    },
    /** Until the run ends because everyone is idle. */
    rest(): void {
      world.now += 250;
      world.tick();
    },
  });
}
