import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const writePlan = defineTool({
  name: "write_plan",
  about: "Write down how the run is to go; everyone in it can read it.",
  guidance:
    "Short: what success is, what is known, what is next, who does what. At the start of anything that is more than one step, and again when it changes, at the latest when you reconvene. It replaces the plan before. Do not plan many stages ahead.",
  effect: "state",
  repeatable: true,
  offer: { when: ["board", "team"], words: "plan, roadmap, steps" },
  only: "coordinator",
  input: z.object({ content: z.string().min(1).max(100_000) }),
  async run({ content }, { dispatch }) {
    await dispatch({ type: "run.plan", plan: content });
    return "The plan is in _plan.md.";
  },
});
