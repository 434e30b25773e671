/** A named shared text of the run that may change, with an owner. The text is a blob; the log holds its hash. */
import { z } from "zod";
import { ParticipantId, Sha256, Time } from "./ids.ts";
import { defineNoun } from "./noun.ts";

export const DocumentName = z
  .string()
  .max(120)
  .regex(
    /^[\p{L}\p{N}_][\p{L}\p{N}._ -]*\.(md|txt|json|yaml|csv)$/u,
    "a file name without folders, ending in .md .txt .json .yaml or .csv",
  )
  .refine((name) => !name.includes(".."), "no ..");

export const Document = z.object({
  name: DocumentName,
  owner: ParticipantId.optional(),
  version: z.number().int().positive(),
  sha256: Sha256,
  size: z.number().int().nonnegative(),
  by: z.string(),
  at: Time,
});
export type Document = z.infer<typeof Document>;

const told = z.array(ParticipantId).optional().describe("Who is told, in the background");

const documentEvents = {
  "document.written": z.object({
    document: DocumentName,
    version: z.number().int().positive(),
    sha256: Sha256,
    size: z.number().int().nonnegative(),
    owner: ParticipantId.optional(),
    told,
  }),
  "document.owned": z.object({ document: DocumentName, owner: ParticipantId.optional(), told }),
  "document.removed": z.object({ document: DocumentName }),
};

export const documentCommands = {
  "document.write": z.object({
    document: DocumentName,
    sha256: Sha256,
    size: z.number().int().nonnegative().max(5_000_000),
    owner: ParticipantId.optional(),
    expected_version: z
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe("0 for a new document; refused as stale if another version is there"),
  }),
  "document.own": z.object({ document: DocumentName, owner: ParticipantId.optional() }),
  "document.remove": z.object({ document: DocumentName }),
};

export const document = defineNoun({
  name: "document",
  events: documentEvents,
  commands: documentCommands,
  state: () => ({ documents: new Map<string, Document>() }),
  reference: { Document },
});
