import { z } from "zod";
import { assertUsable } from "../core/board/usable-check.ts";
import { assertFinite } from "../core/run/run.ts";
import { GivenChecks } from "../schema/evidence.ts";
import { keepLearned } from "../toolkit/keep-learned.ts";
import { defineTool, resultOf } from "../toolkit/tool.ts";

export const finish = defineTool({
  name: "finish",
  about: "The goal is met: end the run with this answer.",
  guidance:
    "When every part of the goal was made and checked; or when it cannot be met: then say so plainly, and what there is instead. " +
    "Give the whole answer, not a hint at it; files in your scratch are published with it. It counts as no better proved than the weakest node, unless checks on the whole pass. Live nodes are cancelled, and triggers rest until the human writes again.",
  effect: "outside",
  repeatable: true,
  offer: { always: "everyone", words: "end the run, done, answer" },
  only: "coordinator",
  input: z.object({
    summary: z.string().min(1).max(100_000).describe("The complete answer to the human"),
    checks: GivenChecks.optional().describe("On your scratch, or on all that was merged; as in create_work_node"),
    learned: z.string().max(2_000).optional().describe("For your memory: what you would want to know at the next run"),
  }),
  async run({ summary, learned, checks }, context) {
    assertFinite(context.state());
    for (const check of checks ?? []) assertUsable(check);
    const kept = await keepLearned(context, learned);
    return resultOf(await context.publish(summary, false, undefined, checks), kept);
  },
});
