/** When a trigger fires. */
import { z } from "zod";

/** At most a hundred years: later times have no ISO form. */
const seconds = z.number().positive().max(3_153_600_000);

export const Schedule = z.discriminatedUnion("type", [
  z.object({ type: z.literal("delayed"), delay_seconds: seconds }),
  z.object({ type: z.literal("at_time"), at: z.iso.datetime({ offset: true }) }),
  z.object({ type: z.literal("scheduled"), cron: z.string().min(1).max(100), zone: z.string().max(60).optional() }),
  z.object({ type: z.literal("heartbeat"), interval_seconds: seconds }),
  z.object({
    type: z.literal("on_event"),
    pattern: z.string().min(1).max(100),
    filter: z.record(z.string(), z.string()).optional(),
  }),
  z.object({ type: z.literal("on_idle"), idle_seconds: seconds }),
]);
export type Schedule = z.infer<typeof Schedule>;
