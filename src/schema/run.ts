/** One execution towards a goal, inside an agent's home. One run is open at a time; ended runs are kept as a line. */
import { z } from "zod";
import { BudgetLimit } from "./budget.ts";
import { RunId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const shared = {
  id: RunId,
  goal: z.string().min(1),
  started_at: Time,
  first_seq: z.number().int(),
  /** How often it was finished: a message from the human reopens a finished run. */
  answers: z.number().int(),
};

/** The settings of a run; missing ones are the agent's. */
const Next = z.object({
  goal: z.string().min(1).max(100_000).optional(),
  model: z.string().min(1).optional().describe("The model that the agent uses from this run on"),
  budget: BudgetLimit.optional().describe("For this run only"),
});
/** The start of a run: what it was given, with its id and its goal. */
const Begun = Next.extend({ run: RunId, goal: z.string().min(1) });

export const Run = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("open"), plan: z.string().optional() }),
  z.object({
    ...shared,
    status: z.literal("completed"),
    summary: z.string(),
    ended_at: Time,
    last_seq: z.number().int(),
  }),
  z.object({
    ...shared,
    status: z.literal("stopped"),
    ended_at: Time,
    last_seq: z.number().int(),
    next: Begun.optional().describe("The run that follows at once"),
  }),
]);
export type Run = z.infer<typeof Run>;

const runEvents = {
  "run.started": Begun,
  "run.planned": z.object({ run: RunId, plan: z.string() }),
  "run.checkpointed": z.object({ run: RunId, summary: z.string() }),
  "run.completed": z.object({ run: RunId, summary: z.string() }),
  "run.stopped": z.object({ run: RunId, next: Begun.optional() }),
};

const runCommands = {
  "run.start": Next,
  "run.plan": z.object({ plan: z.string().max(100_000) }),
  "run.checkpoint": z.object({ summary: z.string().min(1).max(20_000) }),
  "run.finish": z.object({ summary: z.string().min(1).max(100_000) }),
};

export const run = defineNoun({
  name: "run",
  events: runEvents,
  commands: runCommands,
  state: () => ({
    run: null as Run | null,
    /** Ended runs, oldest first. */
    past: [] as Run[],
  }),
  reference: { Run },
});
