/** The skills and limits a worker is given when it is spawned, whether somebody spawns it or a workflow has it written down. */
import { z } from "zod";

export const kit = {
  role: z.string().max(20_000),
  kind: z.enum(["harnessed", "autonomous"]),
  model: z.string().min(1).optional(),
  tools: z.array(z.string()).optional(),
  max_turns: z.number().int().positive().optional(),
  memory: z.string().max(100_000).optional(),
  agent_command: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe("The program of an autonomous worker; it has no network and no login"),
  single_inference: z.boolean().optional().describe("It is asked once and its answer is the result"),
};
