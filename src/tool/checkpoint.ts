import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";

export const checkpoint = defineTool({
  name: "checkpoint",
  about:
    "Say how far you are and stop here: a worker until the coordinator writes, the coordinator until something new comes.",
  guidance:
    "A worker: when your part of this stage is done but your node is not, because it goes on after the others are heard; for finished work use publish. It counts for the stage like a finished node; you go on when the coordinator has reconvened or writes to you. " +
    "The coordinator: at the end of a cycle of an endless goal. Say what was done since the last one, what was learned and what is next. First write everything into files: only they are sure to be there when you go on.",
  effect: "state",
  repeatable: true,
  offer: { when: ["stage", "infinite"], words: "progress report, pause, milestone, cycle" },
  input: z.object({ summary: z.string().min(1).max(20_000).describe("What is done, what is open") }),
  async run({ summary }, { dispatch, me, node }) {
    if (node) {
      await dispatch({ type: "node.checkpoint", node, summary });
      return { text: `${node} is at a checkpoint. You go on when mail comes.`, wait: { for: "mail" } };
    }
    if (me !== "coordinator") throw new Problem("wrong_state", "you hold no node; there is nothing to stop at");
    await dispatch({ type: "run.checkpoint", summary });
    return { text: "Noted. You rest until something new comes.", final: true };
  },
});
