/** The tool that waits for an agent, see wait.ts. */
import { z } from "zod";
import { Summary } from "../api/agents.ts";
import { summaryOf } from "../api/summary.ts";
import { assertKnown } from "./agent-tools.ts";
import { OpenQuestion, openQuestions } from "./open-questions.ts";
import { Said, saidBy } from "./said.ts";
import { defineHumanTool, OneAgent } from "./tool.ts";
import { Why, wait } from "./wait.ts";

export const runWait = defineHumanTool({
  name: "run_wait",
  title: "Wait for an agent",
  about:
    "Wait until an agent's run is finished, paused, has answered or asks the human something; at most timeout_seconds. What it told the human is in said, its result in agent.result. If it still works then, the answer says timeout: call it again.",
  reads: true,
  input: OneAgent.extend({
    timeout_seconds: z.number().positive().max(600).default(50).describe("Many clients give up after 60 seconds"),
  }),
  output: z.object({ why: Why, agent: Summary, said: Said, questions: z.array(OpenQuestion) }),
  async run({ agent, timeout_seconds }, use) {
    assertKnown(use.house.runtime, agent);
    const why = await wait(agent, timeout_seconds * 1000, use);
    return use.house.runtime.read(agent, (state) => ({
      why,
      agent: summaryOf(state),
      said: saidBy(state),
      questions: openQuestions(state),
    }));
  },
});
