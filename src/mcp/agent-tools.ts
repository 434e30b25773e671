/** Agents: make one, look at them, speak with one. */
import { z } from "zod";
import { Summary } from "../api/agents.ts";
import { summaryOf } from "../api/summary.ts";
import { BudgetLimit } from "../schema/budget.ts";
import { Problem } from "../schema/problem.ts";
import type { McpHouse } from "./house.ts";
import { Said, saidBy } from "./said.ts";
import { defineHumanTool, OneAgent } from "./tool.ts";
import { Why, wait } from "./wait.ts";

const human = { actor: "human" };

export const agentCreate = defineHumanTool({
  name: "agent_create",
  title: "Create an agent",
  about:
    "Give a goal to a new agent. It plans, may grow a team of workers, and works on its own; use run_wait to wait for it. It spends money on model calls: set a budget if your user named one.",
  reads: false,
  input: z.strictObject({
    goal: z
      .string()
      .min(1)
      .max(100_000)
      .describe("What it is to reach, with all it must know: it sees nothing of your conversation"),
    name: z.string().min(1).max(200).optional().describe("What it is called; from the goal if missing"),
    model: z.string().min(1).max(200).optional().describe("provider/model; the home's usual one if missing"),
    budget: BudgetLimit.optional().describe("The most it may spend"),
  }),
  output: Summary,
  async run({ goal, name, model, budget: own }, { house }) {
    const budget = { ...house.budget, ...own };
    const agent = await house.runtime.create(
      {
        goal,
        model: await house.model(model),
        ...(name === undefined ? {} : { name }),
        ...(Object.keys(budget).length ? { budget } : {}),
      },
      human,
    );
    return house.runtime.read(agent, summaryOf);
  },
});

export const agentList = defineHumanTool({
  name: "agent_list",
  title: "List agents",
  about: "All agents: what each is for, whether it works, waits or is done, and what it has cost.",
  reads: true,
  input: z.strictObject({}),
  output: z.object({
    agents: z.array(Summary),
    unusable: z.array(z.object({ id: z.string(), why: z.string() })).describe("Those that cannot be opened now"),
  }),
  async run(_input, { house: { runtime, summaries } }) {
    const agents: Summary[] = [];
    const unusable: { id: string; why: string }[] = [];
    for (const id of runtime.agents()) {
      try {
        const summary = await summaries.of(id);
        if (summary.status !== "quarantined" && summary.status !== "untrusted") agents.push(summary);
        else unusable.push({ id, why: summary.reason?.message ?? `it is ${summary.status}` });
      } catch (problem) {
        if (!(problem instanceof Problem)) throw problem;
        unusable.push({ id, why: problem.message });
      }
    }
    return { agents, unusable };
  },
});

export const agentGet = defineHumanTool({
  name: "agent_get",
  title: "Look at an agent",
  about:
    "One agent: status, why it stands still if it does, what it said to the human, cost, and its result once it is done.",
  reads: true,
  input: OneAgent,
  output: Summary.extend({ said: Said }),
  run: async ({ agent }, { house: { runtime } }) => {
    assertKnown(runtime, agent);
    return runtime.read(agent, (state) => ({ ...summaryOf(state), said: saidBy(state) }));
  },
});

export const agentSend = defineHumanTool({
  name: "agent_send",
  title: "Say something to an agent",
  about:
    "A message from the human to an agent: to its coordinator, or to one of its people. It is read with their next turn. A finished agent takes it up again. With wait_seconds it waits for what comes of it and gives the reply in said; without, use run_wait. To answer a question use question_answer.",
  reads: false,
  input: OneAgent.extend({
    message: z.string().min(1).max(1_000_000),
    to: z.string().min(1).max(200).optional().describe("A worker's id or name; the coordinator if missing"),
    wait_seconds: z.number().min(0).max(600).default(0).describe("How long to wait for the reply, as run_wait does"),
  }),
  output: z.object({
    message: z.string().describe("Its id"),
    seq: z.number().int(),
    why: Why.optional(),
    said: Said.optional(),
  }),
  async run({ agent, message: text, to, wait_seconds }, use) {
    const { runtime } = use.house;
    assertKnown(runtime, agent);
    const { made, seq } = await runtime.send(agent, { type: "message.post", text, ...(to ? { to } : {}) }, human);
    const sent = { message: made.message!, seq };
    if (!wait_seconds) return sent;
    const why = await wait(agent, wait_seconds * 1000, use);
    return { ...sent, why, said: await runtime.read(agent, saidBy) };
  },
});

/** Throws `not_found` and names those there are. */
export function assertKnown(runtime: McpHouse["runtime"], agent: string): void {
  const all = runtime.agents();
  if (all.includes(agent)) return;
  const some = all.length > 20 ? [...all.slice(0, 20), "…"] : all;
  throw new Problem("not_found", `there is no agent ${agent}; there are ${some.join(", ") || "none yet"}`);
}
