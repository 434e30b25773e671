import { z } from "zod";
import { shortenMiddle } from "../lib/text/text.ts";
import { AgentId } from "../schema/ids.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";

const longest = 2_000;

export const askAbout = defineTool({
  name: "ask_about",
  about: "Ask what another agent of this home knows: its memory answers from what it shares, with sources.",
  guidance:
    "Before you find out again what a colleague of another run knows. It answers at once, from its shared notes only, and wakes nobody; for anything else write to that agent with send_message. What it says is its belief, not yours: name it as the source.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["agents", "member"], words: "what another agent knows, colleague, consult, knowledge of others" },
  input: z.object({
    agent: AgentId.describe("The name of the agent"),
    question: z.string().min(1).max(1_000),
  }),
  toward: ({ agent }) => [`agent:${agent}`],
  async run({ agent, question }, { me, state, consult, hasAgent }) {
    if (!(await hasAgent(agent))) throw new Problem("not_found", `there is no agent ${agent} in this home`);
    const isWorker = state().participants.get(me)?.kind !== "coordinator";
    const { notes } = await consult(agent, { participant: me, isWorker, question });
    if (!notes.length) return `${agent} has nothing to tell about that.`;
    const text = notes
      .map(({ path, text, noted, source }) => {
        const from = [path, noted && `noted ${noted}`, source].filter(Boolean).join(", ");
        return `${shortenMiddle(text, longest)}\n(${from})`;
      })
      .join("\n\n");
    const outside = notes.some((note) => note.outside) ? { outside: `agent:${agent} (a note from outside)` } : {};
    return { text: `From the shared notes of ${agent}.`, data: { from: `the memory of ${agent}`, text, ...outside } };
  },
});
