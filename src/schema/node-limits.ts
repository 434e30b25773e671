/** How long one node may take, as whoever creates it says; the stage's and the config's limits if missing. */
import { z } from "zod";

export const nodeLimits = {
  max_turns: z.number().int().positive().max(1_000).optional().describe("Turns its worker may take on it"),
  timeout_seconds: z
    .number()
    .positive()
    .max(7 * 86_400)
    .optional()
    .describe("Seconds from its start to its end; waiting does not count"),
};
