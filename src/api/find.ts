/** Files of an agent by what they say, as they were, and whether they are untouched. */
import { z } from "zod";
import { NodeId, RunId, Sha256, Time } from "../schema/ids.ts";
import { Published } from "../schema/node.ts";
import { OfAgent } from "./agents.ts";
import { page } from "./page.ts";
import { route } from "./route.ts";

const InTree = {
  of: z.enum(["workspace", "memory"]).default("workspace"),
  run: RunId.optional().describe("Run to search; default: the current one"),
};

const Line = z.object({
  line: z.number().int().describe("From 1"),
  text: z.string().describe("The line, or the part around the match"),
  from: z.number().int().describe("Start of the match in `text`"),
  to: z.number().int().describe("End of the match"),
});

export const FoundFile = z.object({
  path: z.string(),
  named: z.boolean().describe("The path matches"),
  lines: z.array(Line).describe("The first matching lines"),
  more: z.boolean().describe("The file has more matching lines"),
});

export const FileVersion = z.object({
  seq: z.number().int().describe("The event that created it; its id"),
  at: Time,
  by: z.string().describe("Who wrote it"),
  version: z.number().int().optional().describe("Version number of a document"),
  sha256: Sha256.optional().describe("Missing if it was removed or is unknown"),
  removed: z.boolean(),
  kept: z.boolean().describe("Whether its text is available"),
});

export const SealedNode = z.object({
  node: NodeId,
  sealed_at: Time,
  seq: z.number().int().describe("The event that published it"),
  files: z.array(
    Published.extend({
      found: z.enum(["same", "changed", "missing", "unread"]).describe("unread: too large to check"),
    }),
  ),
  added: z.array(z.string()).describe("Files in the folder that were not published"),
  whole: z.boolean().describe("All files are unchanged, and none was added"),
});

const shared = { method: "GET", tag: "files", ok: 200, errors: ["not_found", "path_escapes"] } as const;

export const findRoutes = {
  findInFiles: route({
    ...shared,
    path: "/agents/{agent}/find",
    summary: "Search the names and contents of files",
    about:
      "Case-insensitive, within a line. Looks at some thousands of files, or for two seconds, then returns " +
      "a cursor: a page may be short or empty and still have a next one. Links are not followed.",
    params: OfAgent,
    query: z.object({
      ...InTree,
      query: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[^\r\n]+$/, "one line"),
      limit: z.coerce.number().int().min(1).max(200).default(50).describe("Maximum number of files"),
      cursor: z.string().max(4_000).optional().describe("`next` of the previous page"),
    }),
    answer: page(FoundFile).extend({
      skipped: z.number().int().describe("Files that were not searched: too large, or not text"),
    }),
  }),
  listVersions: route({
    ...shared,
    path: "/agents/{agent}/versions",
    summary: "List the versions of a document, a spec, the soul, the goal or a note, newest first",
    about: "As recorded in the log. The newest is the file on disk, unless someone has just changed it.",
    params: OfAgent,
    query: z.object({
      ...InTree,
      path: z.string().min(1).max(2_000).describe("As in the workspace or the memory: documents/plan.md"),
      limit: z.coerce.number().int().min(1).max(500).default(100).describe("Maximum number of items"),
      cursor: z.string().max(200).optional().describe("`next` of the previous page"),
    }),
    answer: page(FileVersion),
  }),
  readVersion: route({
    ...shared,
    path: "/agents/{agent}/versions/{seq}",
    summary: "Get a file as it was at an event that changed it",
    params: OfAgent.extend({ seq: z.coerce.number().int().positive() }),
    answer: FileVersion.extend({
      path: z.string().describe("Relative to the agent's home"),
      size: z.number().int(),
      text: z.string().nullable().describe("Null if it is not text"),
      truncated: z.boolean().describe("Truncated"),
    }),
  }),
  checkSealed: route({
    ...shared,
    path: "/agents/{agent}/sealed/{node}",
    summary: "Verify the published files of a node",
    about: "Reads and hashes every file and compares it with the log.",
    params: OfAgent.extend({ node: z.string().min(1).max(200).describe("Its id, or only the number: n3") }),
    query: z.object({ run: InTree.run }),
    answer: SealedNode,
  }),
};
