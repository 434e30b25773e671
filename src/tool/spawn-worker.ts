import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { workerCommands } from "../schema/worker.ts";
import { defineTool } from "../toolkit/tool.ts";

const { name, role, kind, model, max_turns, agent_command, single_inference } = workerCommands["worker.spawn"].shape;

export const spawnWorker = defineTool({
  name: "spawn_worker",
  about: "Bring a new worker into the run.",
  guidance:
    "Give it a name people can use and a role with its scope in one or two sentences. " +
    "harnessed: we run its loop with the model you choose; single_inference for extracting, summarising and formatting; a strong model for research, analysis and writing. " +
    "autonomous: only a program that your user named for it (agent_command). It works through files in its folder, with no network and no login, so agent CLIs such as claude or codex cannot be one here. " +
    "Reuse an idle worker where you can: it remembers what it learned. Fewer workers are better; you can add more later.",
  effect: "state",
  repeatable: true,
  only: "coordinator",
  input: z.object({
    name,
    role,
    type: kind,
    model,
    agent_command,
    tools: z
      .array(z.string())
      .optional()
      .describe("Names of the tools it may use; all that workers may use if missing"),
    max_turns,
    budget_usd: z.number().positive().optional().describe("What it may spend, in US dollars"),
    single_inference,
    memory: z
      .union([z.string(), z.record(z.string(), z.unknown())])
      .optional()
      .describe("What it should know from the start"),
  }),
  async run({ type, budget_usd, tools, memory, ...rest }, context) {
    const unknown = tools?.filter((tool) => !context.tools.includes(tool)) ?? [];
    if (unknown.length)
      throw new Problem(
        "invalid",
        `there is no tool ${unknown.join(", ")} for workers; tools: ${context.tools.join(", ")}`,
      );
    const { made } = await context.dispatch({
      type: "worker.spawn",
      kind: type,
      ...rest,
      ...(tools ? { tools } : {}),
      ...(memory === undefined
        ? {}
        : { memory: typeof memory === "string" ? memory : JSON.stringify(memory, null, 2) }),
      ...(budget_usd === undefined ? {} : { budget: { usd: budget_usd } }),
    });
    return `${rest.name} is here as ${made.worker} and idle.`;
  },
});
