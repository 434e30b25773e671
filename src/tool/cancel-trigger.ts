import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";

export const cancelTrigger = defineTool({
  name: "cancel_trigger",
  about: "Cancel a trigger: it fires no more.",
  guidance: "When what it was for is done or has changed. You may cancel your own; the coordinator may cancel any.",
  effect: "state",
  repeatable: true,
  offer: { when: ["trigger"], words: "stop a reminder, unschedule, timer, cron" },
  input: z.object({ trigger_id: z.string().min(1).describe("e.g. t1; see list_triggers") }),
  async run({ trigger_id }, { state, dispatch }) {
    const { triggers } = state();
    if (!triggers.has(trigger_id)) {
      const active = [...triggers.values()].filter(({ status }) => status === "active").map(({ id }) => id);
      throw new Problem(
        "not_found",
        `there is no trigger ${trigger_id}; active triggers: ${active.join(", ") || "none"}`,
      );
    }
    await dispatch({ type: "trigger.cancel", trigger: trigger_id });
    return `${trigger_id} is cancelled.`;
  },
});
