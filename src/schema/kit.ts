/** The skills and limits of a new worker, whether it is spawned or declared in a workflow. */
import { z } from "zod";
import { AgentId } from "./ids.ts";

export const kit = {
  role: z.string().max(20_000),
  kind: z.enum(["harnessed", "autonomous"]),
  model: z.string().min(1).optional().describe("The model that thinks for it; the agent's if missing"),
  tools: z.array(z.string()).optional(),
  max_turns: z.number().int().positive().optional(),
  memory: z.string().max(100_000).optional(),
  soul: z.string().min(1).max(20_000).optional().describe("Who it is, whatever it works on"),
  single_inference: z.boolean().optional().describe("One call without tools; its answer is the result"),
  ref: AgentId.optional().describe(
    "A lasting agent of this home that takes part under this name. It thinks for itself, with its own soul and memory",
  ),
};
