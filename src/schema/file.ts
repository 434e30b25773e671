/** Changes of the log and of files that no command made: repairs, edits by hand, and what participants wrote into their memory. */
import { z } from "zod";
import { AgentId, ParticipantId, Sha256 } from "./ids.ts";
import { defineNoun } from "./noun.ts";

const path = z.string().min(1).max(500).describe("Relative to the agent's home");

const memory = {
  participant: ParticipantId.describe("Whose memory it is, and who wrote"),
  path: path.describe("Relative to the folder of that memory"),
  outcome: z.enum(["created", "replaced", "appended"]),
  sha256: Sha256.optional().describe("The version that was written; its text is kept as a blob"),
  origin: z
    .string()
    .max(500)
    .optional()
    .describe("Strangers whose text the run had read; the note says so in its head"),
};

const asked = {
  by: AgentId.describe("The agent that asks"),
  participant: ParticipantId.describe("The participant that asks there"),
  question: z.string().min(1).max(1_000),
  notes: z.array(path).max(20).describe("What it was answered from; nothing: it was told that there is nothing for it"),
};

const fileEvents = {
  "log.repaired": z.object({ bytes: z.number().int().positive(), kept_as: path }),
  "log.closed": z.object({}).describe("A clean shutdown: running turns were not interrupted by a crash"),
  "file.written": z.object({ path, sha256: Sha256 }),
  "file.edited": z.object({ path, sha256: Sha256.nullable().describe("null: it was deleted") }),
  "memory.written": z
    .object(memory)
    .describe("For people and triggers; the file is the source of truth and is written before this event"),
  "memory.asked": z
    .object(asked)
    .describe("Another agent asked what this one knows, and was answered from notes for others"),
};

const fileCommands = {
  "log.repair": z.object({ bytes: z.number().int().positive(), kept_as: path }),
  "log.close": z.object({}),
  "file.write": z.object({ path, sha256: Sha256 }),
  "file.edit": z.object({ path, sha256: Sha256.nullable() }),
  "memory.record": z.object(memory),
  "memory.ask": z.object(asked),
};

export const file = defineNoun({
  name: "file",
  events: fileEvents,
  commands: fileCommands,
  state: () => ({
    /** Files that people may edit by hand, with the hash last known to the log. */
    files: new Map<string, string>(),
  }),
});
