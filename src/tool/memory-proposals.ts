import { z } from "zod";
import { openInsights } from "../core/agent/insight.ts";
import { InsightId } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";

export const memoryProposals = defineTool({
  name: "memory_proposals",
  about: "See what your workers propose for your memory, and accept or decline it.",
  guidance:
    "Look at it before you finish. Accept what will be of use in later runs and you believe; decline the rest with a reason. What was proposed after the run had read text from outside only the human can accept: leave it.",
  effect: "outside",
  repeatable: true,
  offer: { when: ["insight"], words: "insights of workers, proposed for memory, accept an insight" },
  only: "coordinator",
  changes: "memory",
  input: z.object({
    action: z.enum(["list", "accept", "decline"]),
    insight: InsightId.optional(),
    reason: z.string().min(1).max(2_000).optional().describe("Of a decline"),
  }),
  async run({ action, insight, reason }, { state, accept, dispatch }) {
    if (action === "list") {
      const open = openInsights(state());
      if (!open.length) return "Nothing is proposed for your memory.";
      const lines = open.map(({ id, by, subject, text, outside, file }) => {
        const what = file ? `its version of ${file.path}` : `${subject}: ${text}`;
        return `- ${id} by ${by}: ${what}${outside ? " (waits for the human)" : ""}`;
      });
      return {
        text: "Proposed for your memory:",
        data: { from: "the proposals", text: lines.join("\n"), exact: true },
      };
    }
    if (!insight) throw new Problem("invalid", `${action} needs insight, such as i1`);
    if (action === "accept") {
      const { path } = await accept(insight);
      return `${insight} is in your memory: ${path}.`;
    }
    await dispatch({ type: "insight.decline", insight, reason: reason ?? "not worth keeping" });
    return `${insight} is declined.`;
  },
});
