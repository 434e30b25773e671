/** What happened to the log and to files outside the ordinary road: repairs, and edits by hand. */
import { z } from "zod";
import { Sha256 } from "./ids.ts";

const path = z.string().min(1).max(500).describe("Relative to the agent's home");

export const fileEvents = {
  "log.repaired": z.object({ bytes: z.number().int().positive(), kept_as: path }),
  "log.closed": z.object({}).describe("An orderly end: turns that are under way were not interrupted by a crash"),
  "file.written": z.object({ path, sha256: Sha256 }),
  "file.edited": z.object({ path, sha256: Sha256.nullable().describe("null: it was deleted") }),
};

export const fileCommands = {
  "log.repair": z.object({ bytes: z.number().int().positive(), kept_as: path }),
  "log.close": z.object({}),
  "file.write": z.object({ path, sha256: Sha256 }),
  "file.edit": z.object({ path, sha256: Sha256.nullable() }),
};
