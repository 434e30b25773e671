/**
 * An insight: something proposed for the agent's memory. It is part of the memory only once the guard's rules, the coordinator or the human have
 * accepted it. Three things propose: a worker that says what it learned, a reflection after a node or a run, and a write of a run that has read
 * what strangers wrote (it is held: `file`).
 */
import { z } from "zod";
import { Amount } from "./budget.ts";
import { InsightId, NodeId, ParticipantId, RunId, Sha256, Time } from "./ids.ts";
import { Visibility } from "./note.ts";
import { defineNoun } from "./noun.ts";
import { Usage } from "./turn.ts";

const Kind = z
  .enum(["fact", "preference", "lesson", "decision"])
  .describe("Where it is kept: knowledge/, preferences/, experiences/ or decisions/");
const NotePath = z.string().min(1).max(400).describe("A note, relative to the agent's home");

const content = {
  subject: z.string().min(1).max(200).describe("What it is about: the release day of the website"),
  text: z.string().min(1).max(4_000).describe("The whole statement, readable on its own"),
  kind: Kind,
  visibility: Visibility,
  replaces: NotePath.optional().describe("The note that says something else about it until now"),
  file: z
    .object({ path: NotePath, sha256: Sha256, base: Sha256.nullable() })
    .optional()
    .describe(
      "A whole note that was written in a run that has read what strangers wrote: its content, and what it was written over",
    ),
};

const shared = {
  id: InsightId,
  by: ParticipantId.describe("Who proposes it: a worker, the coordinator, or guard for a reflection"),
  run: RunId.optional(),
  node: NodeId.optional(),
  ...content,
  outside: z.string().max(500).optional().describe("Strangers whose text the run had read: only the human accepts it"),
  at: Time,
};

export const Insight = z.discriminatedUnion("status", [
  z.object({ ...shared, status: z.literal("open") }),
  z.object({ ...shared, status: z.literal("accepted"), path: NotePath, decided_by: z.string(), decided_at: Time }),
  z.object({ ...shared, status: z.literal("declined"), reason: z.string(), decided_by: z.string(), decided_at: Time }),
]);
export type Insight = z.infer<typeof Insight>;

const Outcome = z
  .enum(["created", "superseded", "replaced", "known"])
  .describe("superseded: the note said something else, which it lists as earlier; known: it said so already");

const origin = shared.outside.describe("The note says so in its head: it is shown as data only");

const of = {
  run: RunId.optional(),
  node: NodeId.optional().describe("Of a node; of the whole run if missing"),
};

const insightEvents = {
  "insight.proposed": z.object({
    insight: InsightId,
    by: shared.by,
    ...of,
    ...content,
    outside: shared.outside,
  }),
  "insight.accepted": z
    .object({ insight: InsightId, path: NotePath, outcome: Outcome, sha256: Sha256.optional(), origin })
    .describe("It is in the memory: the file is written before this event"),
  "insight.declined": z.object({ insight: InsightId, reason: z.string().min(1).max(2_000) }),
  "reflection.started": z
    .object({ ...of, model: z.string(), reserved: Amount })
    .describe("A model is asked what is worth keeping; the price of the call is reserved"),
  "reflection.ended": z.object({
    ...of,
    proposed: z.number().int().nonnegative(),
    cost: Amount,
    usage: Usage.optional(),
    problem: z.string().max(2_000).optional().describe("Why nothing came of it"),
  }),
};

export const insightCommands = {
  "insight.propose": z.object({
    by: shared.by,
    ...of,
    ...content,
    kind: Kind.default("fact"),
    visibility: Visibility.default("private"),
    outside: shared.outside.describe("As the runtime knows it; a participant cannot say it of itself"),
  }),
  "insight.accept": z.object({
    insight: InsightId,
    path: NotePath,
    outcome: Outcome,
    sha256: Sha256.optional(),
    origin,
  }),
  "insight.decline": z.object({ insight: InsightId, reason: z.string().min(1).max(2_000) }),
  "reflection.start": z.object({ ...of, model: z.string(), reserve: Amount }),
  "reflection.end": z.object({
    proposed: z.number().int().nonnegative(),
    cost: Amount.optional().describe("What was reserved if missing"),
    usage: Usage.optional(),
    problem: z.string().max(2_000).optional(),
  }),
};

/** What reflections have cost so far. */
export interface Reflections {
  /** The one under way. */
  open?: { run?: string; node?: string; reserved: Amount; at: string } | undefined;
  calls: number;
  usd: number;
  tokens: number;
}

export const insight = defineNoun({
  name: "insight",
  events: insightEvents,
  commands: insightCommands,
  state: () => ({
    /** Open ones, and the last that were decided. */
    insights: new Map<string, Insight>(),
    /** How many were ever proposed. */
    insightCount: 0,
    reflections: { calls: 0, usd: 0, tokens: 0 } as Reflections,
  }),
  reference: { Insight },
});
