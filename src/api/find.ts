/** Files of an agent by what they say, as they were, and whether they are untouched. */
import { z } from "zod";
import { NodeId, RunId, Sha256, Time } from "../schema/ids.ts";
import { Published } from "../schema/node.ts";
import { OfAgent } from "./agents.ts";
import { page } from "./page.ts";
import { route } from "./route.ts";

const InTree = {
  of: z.enum(["workspace", "memory"]).default("workspace"),
  run: RunId.optional().describe("Whose workspace; the current run's if missing"),
};

const Line = z.object({
  line: z.number().int().describe("From 1"),
  text: z.string().describe("The line, or what is around the words in it"),
  from: z.number().int().describe("Where in `text` the words begin"),
  to: z.number().int().describe("Where they end"),
});

export const FoundFile = z.object({
  path: z.string(),
  named: z.boolean().describe("Its path holds the words"),
  lines: z.array(Line).describe("The first lines that hold them"),
  more: z.boolean().describe("There are more such lines in it"),
});

export const FileVersion = z.object({
  seq: z.number().int().describe("The event that made it; names it"),
  at: Time,
  by: z.string().describe("Who wrote it"),
  version: z.number().int().optional().describe("Of a document"),
  sha256: Sha256.optional().describe("Missing if it was taken away, or is not known"),
  removed: z.boolean(),
  kept: z.boolean().describe("Its text can be read"),
});

export const SealedNode = z.object({
  node: NodeId,
  sealed_at: Time,
  seq: z.number().int().describe("The event that says so"),
  files: z.array(
    Published.extend({
      found: z.enum(["same", "changed", "missing", "unread"]).describe("unread: too large to be read for this"),
    }),
  ),
  added: z.array(z.string()).describe("Files in the folder that were not published"),
  whole: z.boolean().describe("Every file is the same, and none was added"),
});

const shared = { method: "GET", tag: "files", ok: 200, errors: ["not_found", "path_escapes"] } as const;

export const findRoutes = {
  findInFiles: route({
    ...shared,
    path: "/agents/{agent}/find",
    summary: "Find words in the names and texts of files",
    about:
      "As they are written, whatever the case; in a line, not over several. Looks at some thousands of files, or for two seconds, then says " +
      "where to go on: a page may be short, or empty, and still have a next one. Links are not followed.",
    params: OfAgent,
    query: z.object({
      ...InTree,
      query: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[^\r\n]+$/, "one line"),
      limit: z.coerce.number().int().min(1).max(200).default(50).describe("The most files of a page"),
      cursor: z.string().max(4_000).optional().describe("`next` of the page before"),
    }),
    answer: page(FoundFile).extend({
      skipped: z.number().int().describe("Files that were not looked into: too large, or no text"),
    }),
  }),
  listVersions: route({
    ...shared,
    path: "/agents/{agent}/versions",
    summary: "The versions of a document, a spec, the soul, the goal or a note, newest first",
    about: "As far as the log knows them. The newest is what lies on the disk, unless somebody has just changed that.",
    params: OfAgent,
    query: z.object({
      ...InTree,
      path: z.string().min(1).max(2_000).describe("As in the workspace or the memory: documents/plan.md"),
      limit: z.coerce.number().int().min(1).max(500).default(100).describe("The most items of a page"),
      cursor: z.string().max(200).optional().describe("`next` of the page before"),
    }),
    answer: page(FileVersion),
  }),
  readVersion: route({
    ...shared,
    path: "/agents/{agent}/versions/{seq}",
    summary: "A file as it was at an event that changed it",
    params: OfAgent.extend({ seq: z.coerce.number().int().positive() }),
    answer: FileVersion.extend({
      path: z.string().describe("Relative to the agent's home"),
      size: z.number().int(),
      text: z.string().nullable().describe("Null if it is no text"),
      truncated: z.boolean().describe("Only the beginning is here"),
    }),
  }),
  checkSealed: route({
    ...shared,
    path: "/agents/{agent}/sealed/{node}",
    summary: "Whether what a node published is still what it published",
    about: "Every file is read and hashed now, and compared with what the log says.",
    params: OfAgent.extend({ node: z.string().min(1).max(200).describe("Its id, or the number of it: n3") }),
    query: z.object({ run: InTree.run }),
    answer: SealedNode,
  }),
};
