/** Which tool calls are allowed, asked about or refused: by the config of a home, and by the workflow of a run. */
import { z } from "zod";

export const PolicyRule = z
  .strictObject({
    do: z.enum(["allow", "ask", "deny"]),
    tool: z
      .string()
      .min(1)
      .optional()
      .describe("A name, or a pattern such as mcp.github.*; agent:NAME for messages to another agent"),
    effect: z.enum(["reads", "state", "outside"]).optional(),
    worker: z.string().min(1).optional(),
    why: z.string().optional().describe("Shown with the question or the refusal"),
  })
  .describe("The first matching rule decides");
export type PolicyRule = z.infer<typeof PolicyRule>;
