/** The soul of an agent (SOUL.md): its versions with what came of each, and changes that the guard proposes to the human. */
import { z } from "zod";
import { RunId, Sha256, SoulProposalId, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const line = z.string().trim().min(1).max(1_000).describe("The line that is added to the soul");

export const SoulEvidence = z
  .object({
    run: RunId,
    seq: z.number().int().positive().describe("Seq of its event"),
    text: z.string().describe("What the human said, or what happened"),
  })
  .describe("What a proposal is based on");
export type SoulEvidence = z.infer<typeof SoulEvidence>;

const shared = {
  id: SoulProposalId,
  line,
  why: z.string(),
  basis: z
    .enum(["words", "results"])
    .describe("words: what the human said to it again and again; results: how its work ended"),
  evidence: z.array(SoulEvidence).min(1),
  at: Time,
};

export const SoulProposal = z
  .discriminatedUnion("status", [
    z.object({ ...shared, status: z.literal("open") }),
    z.object({
      ...shared,
      status: z.literal("accepted"),
      by: z.enum(["human", "rule"]).describe("rule: `soul` in the config accepted it"),
      ended_at: Time,
    }),
    z.object({ ...shared, status: z.literal("declined"), reason: z.string().optional(), ended_at: Time }),
  ])
  .describe("A change of the soul that the guard proposes; only the human, or a rule of theirs, accepts it");
export type SoulProposal = z.infer<typeof SoulProposal>;

export const SoulResults = z
  .object({
    runs: z.number().int().nonnegative().describe("In which it held, at least in part"),
    completed: z.number().int().nonnegative().describe("Nodes"),
    failed: z.number().int().nonnegative().describe("Nodes"),
    messages: z.number().int().nonnegative().describe("Messages from the human"),
    corrections: z.number().int().nonnegative().describe("Of these, those that correct it, by their words"),
    usd: z.number().nonnegative(),
  })
  .describe("What came of the work while this version held; counts, not causes");
export type SoulResults = z.infer<typeof SoulResults>;

export const SoulVersion = z
  .object({
    seq: z.number().int().positive().describe("Seq of the event that wrote it"),
    at: Time,
    by: z.string(),
    sha256: Sha256.nullable().describe("null: the file was removed"),
    results: SoulResults,
  })
  .describe("A version of the soul");
export type SoulVersion = z.infer<typeof SoulVersion>;

const soulEvents = {
  "soul.proposed": z.object({
    proposal: SoulProposalId,
    line,
    why: shared.why,
    basis: shared.basis,
    evidence: shared.evidence,
  }),
  "soul.accepted": z.object({ proposal: SoulProposalId, line, by: z.enum(["human", "rule"]) }),
  "soul.declined": z.object({ proposal: SoulProposalId, reason: z.string().optional() }),
};

const soulCommands = {
  "soul.accept": z
    .object({
      proposal: SoulProposalId,
      line: line.optional().describe("As the human changed it; as proposed if missing"),
      by: z.enum(["human", "rule"]).default("human"),
    })
    .describe("The line is in SOUL.md; sent by the runtime once it is"),
  "soul.decline": z.object({ proposal: SoulProposalId, reason: z.string().min(1).max(2_000).optional() }),
};

export const soul = defineNoun({
  name: "soul",
  events: soulEvents,
  commands: soulCommands,
  state: () => ({
    soul: {
      /** The latest, oldest first. */
      versions: [] as SoulVersion[],
      /** Instructions of the human that sound lasting, over all runs. */
      wishes: [] as SoulEvidence[],
      /** How nodes ended and calls were refused, by kind, since the current version. */
      signs: {} as Record<string, SoulEvidence[]>,
    },
    soulProposals: new Map<string, SoulProposal>(),
  }),
  reference: { SoulProposal, SoulVersion },
});
