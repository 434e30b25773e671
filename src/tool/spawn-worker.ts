import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { workerCommands } from "../schema/worker.ts";
import { defineTool } from "../toolkit/tool.ts";

const { name, role, kind, model, max_turns, single_inference } = workerCommands["worker.spawn"].shape;

export const spawnWorker = defineTool({
  name: "spawn_worker",
  about: "Bring a new worker into the run.",
  guidance:
    "A name people can use, and a role with its scope in one or two sentences. " +
    "harnessed: we run its loop with the model you choose; single_inference for extracting, summarising and formatting. " +
    "autonomous: a program with its own loop for coding and long work, such as Claude Code; name in agent_command one that your user allows. " +
    "Reuse an idle worker where you can: it remembers. A worker brings others only for sub-nodes of its own node, with its own rights and from its own budget.",
  effect: "state",
  repeatable: true,
  offer: {
    always: "coordinator",
    when: ["board"],
    words: "delegate, helper, sub-agent, sub-worker, hire, bring someone, Claude Code, Codex",
  },
  input: z.object({
    name,
    role,
    type: kind,
    model,
    agent_command: z.string().min(1).max(2_000).optional().describe("A program that your user allows"),
    tools: z.array(z.string()).optional().describe("The only tools it may use; all for workers if missing"),
    max_turns,
    budget_usd: z.number().positive().optional().describe("What it may spend, in US dollars"),
    single_inference,
    memory: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe("What it should know from the start"),
  }),
  async run({ type, budget_usd, tools, memory, agent_command, model, ...rest }, context) {
    const isProgram = type === "autonomous" || agent_command !== undefined;
    const driver = isProgram ? context.driver(agent_command ?? model, "program") : model && context.driver(model);
    const unknown = tools?.filter((tool) => !context.tools.includes(tool)) ?? [];
    if (unknown.length)
      throw new Problem(
        "invalid",
        `there is no tool ${unknown.join(", ")} for workers; tools: ${context.tools.join(", ")}`,
      );
    const { made } = await context.dispatch({
      type: "worker.spawn",
      ...rest,
      ...(driver === undefined ? {} : { model: driver }),
      ...(tools ? { tools } : {}),
      ...(memory === undefined
        ? {}
        : { memory: typeof memory === "string" ? memory : JSON.stringify(memory, null, 2) }),
      ...(budget_usd === undefined ? {} : { budget: { usd: budget_usd } }),
    });
    return `${rest.name} is here as ${made.worker} and idle.`;
  },
});
