/** What is known about a note of a memory besides its text. It stands at the top of the file (guard/note-head.ts), where people can change it. */
import { z } from "zod";

export const Tier = z
  .enum(["core", "working", "archive"])
  .describe(
    "core: always in the opening; working: in the opening until it was not used for a while; archive: found by search only",
  );
export type Tier = z.infer<typeof Tier>;

export const Visibility = z
  .enum(["private", "shareable", "public"])
  .describe(
    "private: for the agent only; shareable: told to agents of the same home that ask; public: also to their workers",
  );
export type Visibility = z.infer<typeof Visibility>;

export const NoteHead = z
  .object({
    subject: z.string().max(200).optional().describe("What it is about; a new fact of the same subject supersedes it"),
    tier: Tier,
    visibility: Visibility,
    source: z.string().max(500).optional().describe("Where it comes from"),
    noted: z.iso.date().optional().describe("When it was learned, or last changed"),
    origin: z
      .string()
      .max(500)
      .optional()
      .describe("Strangers whose text its writer had read: it is shown as data, and taints the run that reads it"),
  })
  .describe("What is known about a note besides its text");
export type NoteHead = z.infer<typeof NoteHead>;
