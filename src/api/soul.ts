/** The soul of an agent: its text, its versions and what came of each, and what the guard proposes to change. */
import { z } from "zod";
import { SoulProposalId, Time } from "../schema/ids.ts";
import { Membership } from "../schema/membership.ts";
import { SoulProposal, SoulResults } from "../schema/soul.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

export const SoulVersionView = z
  .object({
    seq: z.number().int().describe("Seq of the event that wrote it; identifies the version"),
    at: Time,
    by: z.string().describe("human, or system for the first one and for what a rule accepted"),
    current: z.boolean(),
    readable: z.boolean().describe("Its text was saved: it can be compared and restored"),
    results: SoulResults.nullable().describe("Null for versions that are too old"),
  })
  .describe("A version of the soul, and what came of the work while it held");
export type SoulVersionView = z.infer<typeof SoulVersionView>;

export const SoulView = z
  .object({
    text: z.string().describe("SOUL.md"),
    sha256: z.string().nullable(),
    versions: z.array(SoulVersionView).describe("Newest first"),
    proposals: z.array(SoulProposal).describe("Newest first"),
    teams: z.array(Membership).describe("The teams of other agents in which it takes part, the latest first"),
  })
  .describe("The soul of an agent");
export type SoulView = z.infer<typeof SoulView>;

const DiffLine = z.object({ look: z.enum(["same", "add", "del"]), text: z.string() });
const seq = z.coerce.number().int().positive();

export const soulRoutes = {
  getSoul: route({
    method: "GET",
    path: "/agents/{agent}/soul",
    tag: "files",
    summary:
      "Get the soul of an agent: text, versions with results, proposed changes, and the teams in which it takes part",
    about:
      "Change the text with `PUT /agents/{agent}/memory/SOUL.md`. Results are counts of what happened while a version held (nodes, corrections by the human, cost); they are not its effect.",
    params: OfAgent,
    ok: 200,
    answer: SoulView,
    errors: ["not_found"],
  }),
  diffSoul: route({
    method: "GET",
    path: "/agents/{agent}/soul/diff",
    tag: "files",
    summary: "Compare two versions of the soul, line by line",
    params: OfAgent,
    query: z.object({
      from: seq.describe("Seq of a version"),
      to: seq.optional().describe("Seq of another one; the current text if missing"),
    }),
    ok: 200,
    answer: z.object({ lines: z.array(DiffLine) }),
    errors: ["not_found"],
  }),
  restoreSoul: route({
    method: "POST",
    path: "/agents/{agent}/soul/restore",
    tag: "files",
    summary: "Restore an earlier version of the soul, as a new version",
    params: OfAgent,
    body: z.strictObject({ seq: z.number().int().positive().describe("Seq of the version") }),
    ok: 200,
    answer: SoulView,
    errors: ["not_found", "wrong_state", "key_reused"],
    example: { body: { seq: 12 } },
  }),
  decideSoulProposal: route({
    method: "POST",
    path: "/agents/{agent}/soul/proposals/{proposal}",
    tag: "files",
    summary: "Accept or decline a proposed change of the soul",
    about: "Accepting adds its line to SOUL.md, as proposed or as `line` says. Agents cannot decide this.",
    params: OfAgent.extend({ proposal: SoulProposalId }),
    body: z.strictObject({
      decision: z.enum(["accept", "decline"]),
      line: z.string().trim().min(1).max(1_000).optional().describe("With accept: the line as you changed it"),
      reason: z.string().min(1).max(2_000).optional().describe("With decline"),
    }),
    ok: 200,
    answer: SoulProposal,
    errors: ["not_found", "wrong_state", "key_reused"],
    example: { body: { decision: "accept", line: "Ask before you delete anything." } },
  }),
};
