/** The cycle of an infinite agent: wake, see what changed, work, leave a checkpoint, rest. */
import { z } from "zod";
import { Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const count = z.number().int().nonnegative();
const changes = z.record(z.string(), count).describe("Events since the last cycle, by type");
const files = z.array(z.string()).describe("Files that people edited since the last cycle");

export const Cycle = z.object({
  number: count.describe("Number of the last cycle that woke the coordinator in this run"),
  at: Time.describe("The last heartbeat that is accounted for"),
  quiet: count.describe("Heartbeats since the last cycle at which nobody was woken"),
  saved: count.describe("All heartbeats at which nobody was woken, up to the last cycle"),
  news: Time.optional().describe("When there was first a reason for another cycle"),
  changes,
  files,
});
export type Cycle = z.infer<typeof Cycle>;

const cycleEvents = {
  "cycle.began": z.object({
    cycle: count.positive(),
    at: Time.describe("The heartbeat it belongs to: each has at most one cycle"),
    skipped: count.describe("Heartbeats skipped since the last cycle, because nothing was new"),
    missed: count.describe("Heartbeats missed while the daemon was not running"),
    changes,
    files,
  }),
};

const cycleCommands = {
  "cycle.begin": z.object({}),
};

export const cycle = defineNoun({
  name: "cycle",
  events: cycleEvents,
  commands: cycleCommands,
  state: () => ({
    /** The cycle of an infinite agent. */
    cycle: null as Cycle | null,
  }),
});
