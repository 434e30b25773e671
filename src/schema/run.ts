/** One execution towards a goal, inside an agent's home. One run is open at a time; ended runs are kept as a line. */
import { z } from "zod";
import { BudgetLimit } from "./budget.ts";
import { DocumentName } from "./document.ts";
import { CheckResult, Checks, Evidence } from "./evidence.ts";
import { NodeId, ParticipantId, RunId, Sha256, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";
import { SetupResult } from "./setup-step.ts";
import { Team } from "./workflow.ts";

/** A document that the team declares, or that was kept from the run before: its text is a blob. */
export const LaidOut = z.object({
  name: DocumentName,
  owner: z.string().min(1).optional().describe("A name of the team"),
  sha256: Sha256,
  size: z.number().int().nonnegative(),
});

/** What came of the preparation. */
const prepared = {
  setup: z.array(SetupResult).optional().describe("What came of the setup steps"),
  quotes: z.string().optional().describe("Outputs of the setup that go with the first message, marked as data"),
  attached: z.array(Sha256).optional().describe("The same as resources"),
};

const shared = {
  id: RunId,
  goal: z.string().min(1),
  started_at: Time,
  first_seq: z.number().int(),
  /** How often it was finished: a message from the human reopens a finished run. */
  answers: z.number().int(),
  team: Team.optional().describe("The declared team that it started with"),
  documents: z.array(LaidOut).optional().describe("The documents that it started with"),
  ...prepared,
  results: z
    .array(CheckResult)
    .optional()
    .describe("Of the checks on its answer, on the content that was looked at last"),
};

/** What stands behind an answer. */
const proof = {
  evidence: Evidence.optional().describe("claimed if missing"),
  claimed: z.array(NodeId).optional().describe("Completed nodes that are claimed only"),
  unmerged: z
    .array(NodeId)
    .optional()
    .describe("Nodes whose published changes of the user's files are not in the integration branch"),
};

/** The settings of a run; missing ones are the agent's. */
const Next = z.object({
  goal: z.string().min(1).max(100_000).optional(),
  model: z.string().min(1).optional().describe("The model that the agent uses from this run on"),
  budget: BudgetLimit.optional().describe("For this run only"),
  team: Team.nullable().optional().describe("The declared team of this run; null: none. Missing: the agent's"),
});
/** The start of a run: what it was given, with its id and its goal. */
export const Begun = Next.extend({
  run: RunId,
  goal: z.string().min(1),
  documents: z.array(LaidOut).optional().describe("The documents that it starts with"),
});
export type Begun = z.infer<typeof Begun>;

export const Run = z.discriminatedUnion("status", [
  z.object({
    ...shared,
    status: z.literal("open"),
    plan: z.string().optional(),
    kicked_off: z.literal(true).optional().describe("The first message of its team was posted"),
    laid_out: z.array(z.string()).optional().describe("Declared documents that were written"),
    elected: ParticipantId.optional().describe("Who leads a run without a coordinator, by a vote"),
  }),
  z.object({
    ...shared,
    status: z.literal("completed"),
    summary: z.string(),
    ...proof,
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
  "run.preparing": Begun.extend({ team: Team }).describe("The setup of its team is run, then it starts"),
  "run.started": Begun.extend(prepared),
  "run.led": z.object({ run: RunId, lead: ParticipantId }).describe("A vote has decided who leads the run"),
  "run.planned": z.object({ run: RunId, plan: z.string() }),
  "run.checkpointed": z.object({ run: RunId, summary: z.string() }),
  "run.completed": z.object({ run: RunId, summary: z.string(), ...proof }),
  "run.stopped": z.object({ run: RunId, next: Begun.optional() }),
};

const runCommands = {
  "run.start": Next,
  "run.end_idle": z.object({}).describe("Ends a run that nobody leads, if everybody has been idle for a while"),
  "run.plan": z.object({ plan: z.string().max(100_000) }),
  "run.checkpoint": z.object({ summary: z.string().min(1).max(20_000) }),
  "run.finish": z.object({
    summary: z.string().min(1).max(100_000),
    checks: Checks.optional().describe("Checks on the whole answer"),
    on: Sha256.optional().describe("The hash of the content of the answer"),
  }),
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
