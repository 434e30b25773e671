import { z } from "zod";
import { currentStage, isLive } from "../core/lookup.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";

const policies = ["all", "majority", "any", "all_must_complete", "majority_must_complete", "any_completes"] as const;

export const reconvene = defineTool({
  name: "reconvene",
  about: "End the stage with your judgement of it, and open the next one if there is to be one.",
  guidance:
    "Your most important duty. Before it, read every published output and every message of the workers, and judge them honestly against what was asked: what is covered, what is missing, what is doubtful. " +
    "Then finish, or aim the next stage at the gaps only; never have done again what is covered. Workers at a checkpoint read your assessment and go on; cancel their nodes if they should not. Reuse good workers, retire weak ones. Write the plan anew. Keep what was learned in memory. " +
    "Without an open stage it opens the first one: give next_stage.",
  effect: "state",
  repeatable: true,
  offer: { when: ["stage"], words: "stage, phase, review the stage, next stage, milestone" },
  only: "coordinator",
  input: z.object({
    assessment: z.string().min(1).max(20_000).describe("What was achieved, what is missing, what comes next"),
    next_stage: z
      .object({
        name: z.string().min(1).max(100),
        policy: z
          .enum(policies)
          .optional()
          .describe("When it reconvenes: all nodes have ended, or a majority or any is completed"),
        max_turns: z.number().int().positive().optional(),
        timeout_seconds: z.number().positive().optional(),
      })
      .optional(),
  }),
  async run({ assessment, next_stage }, { state, dispatch, key }) {
    const stage = currentStage(state());
    // The second command of this call was done before a crash: the open stage is the next one already.
    const begun = state().keys.has(`${key}/1`);
    if (!stage && !begun && !next_stage && !state().keys.has(key))
      throw new Problem("wrong_state", "no stage is open; give next_stage to open one");
    const said: string[] = [];
    if (stage && !begun) {
      await dispatch({ type: "stage.complete", assessment });
      const live = [...state().nodes.values()].filter((node) => node.stage === stage.id && isLive(node));
      said.push(`${stage.id} (${stage.name}) is completed.`);
      if (live.length)
        said.push(`Still alive in it: ${live.map((node) => node.id).join(", ")}; cancel what is not needed.`);
    }
    if (next_stage) {
      const { made } = await dispatch({ type: "stage.start", ...next_stage }, 1);
      said.push(`${made.stage} (${next_stage.name}) is open; nodes you create now belong to it.`);
    }
    return said.join(" ") || "The stage is completed.";
  },
});
