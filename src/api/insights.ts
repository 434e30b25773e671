/** What an agent knows, note by note, and what is proposed for its memory. The texts of notes are read as files (files.ts). */
import { z } from "zod";
import { InsightId, Time } from "../schema/ids.ts";
import { Insight } from "../schema/insight.ts";
import { NoteHead, Tier, Visibility } from "../schema/note.ts";
import { Nothing, OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const OfInsight = OfAgent.extend({ insight: InsightId });

export const KnownNote = NoteHead.extend({
  path: z.string().describe("Relative to the agent's home"),
  size: z.number().int(),
  used_at: Time.describe("When it was written, read or found last"),
  times: z.number().int().describe("How often it was read or found"),
  fading: z
    .enum(["stays", "fresh", "fading", "faded"])
    .describe("faded: left out of the opening, and still found by search; fading: it will be, unless it is used"),
  fades_at: Time.optional().describe("Of a working note: when it leaves the opening if nobody uses it"),
}).describe("What is known about a note");

const Reflected = z
  .object({ calls: z.number().int(), usd: z.number(), tokens: z.number().int() })
  .describe("What reflections have cost so far");

export const insightRoutes = {
  listNotes: route({
    method: "GET",
    path: "/agents/{agent}/notes",
    tag: "files",
    summary: "List what is known about the notes of the memory, the freshest first",
    params: OfAgent,
    query: z.object({
      tier: Tier.optional(),
      limit: z.coerce.number().int().min(1).max(1_000).default(200),
      offset: z.coerce.number().int().min(0).default(0),
    }),
    ok: 200,
    answer: z.object({
      items: z.array(KnownNote),
      files: z.number().int().describe("All notes"),
      bytes: z.number().int(),
      faded: z.number().int().describe("Working notes that were not used for long"),
      reflections: Reflected,
    }),
    errors: ["not_found"],
  }),
  setNoteHead: route({
    method: "POST",
    path: "/agents/{agent}/notes",
    tag: "files",
    summary: "Change the tier or the visibility of a note, or vouch for it",
    about: "It is written into the note's file, as if you had edited it there.",
    params: OfAgent,
    body: z.strictObject({
      path: z.string().min(1).max(400),
      tier: Tier.optional(),
      visibility: Visibility.optional(),
      trusted: z
        .literal(true)
        .optional()
        .describe("You vouch for it: its origin is removed, and it counts as the agent's own"),
    }),
    ok: 200,
    answer: KnownNote,
    errors: ["not_found", "path_escapes", "wrong_state", "too_large", "key_reused"],
    example: { body: { path: "memory/knowledge/deploy.md", visibility: "shareable" } },
  }),
  listInsights: route({
    method: "GET",
    path: "/agents/{agent}/insights",
    tag: "records",
    summary: "List what is proposed for the memory, and what was decided lately",
    params: OfAgent,
    ok: 200,
    answer: z.object({ items: z.array(Insight) }),
    errors: ["not_found"],
  }),
  acceptInsight: route({
    method: "POST",
    path: "/agents/{agent}/insights/{insight}/accept",
    tag: "records",
    summary: "Take a proposal into the agent's memory",
    about:
      "A note that a run wrote after it had read text from outside replaces the version that it was written over; if that has changed since, the answer is 409 `conflict`.",
    params: OfInsight,
    body: Nothing,
    ok: 200,
    answer: Insight,
    errors: ["not_found", "forbidden", "wrong_state", "conflict", "too_large", "key_reused"],
  }),
  declineInsight: route({
    method: "POST",
    path: "/agents/{agent}/insights/{insight}/decline",
    tag: "records",
    summary: "Decline a proposal for the agent's memory",
    params: OfInsight,
    body: z.strictObject({ reason: z.string().min(1).max(2_000).default("declined by the human") }),
    ok: 200,
    answer: Insight,
    errors: ["not_found", "wrong_state", "key_reused"],
    example: { body: { reason: "This is not true any more." } },
  }),
};
