/** Files of an agent: the workspace of a run, and the memory with the soul and the goal. */
import { z } from "zod";
import { RunId, Sha256, Time } from "../schema/ids.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const Path = z.string().max(2_000).describe("Relative path: notes/a.md");
const OfPath = OfAgent.extend({ path: Path });
const Raw = z.stringbool().default(false).describe("1: the raw bytes, with ETag, If-None-Match and Range");
const mostText = 1_000_000;
const InWorkspace = z.object({
  run: RunId.optional().describe("Default: the current run"),
  raw: Raw,
  offset: z.coerce.number().int().min(0).default(0).describe("Of a text: the first character that is given"),
  length: z.coerce.number().int().min(1).max(mostText).default(mostText).describe("Of a text: how many characters"),
});
const InMemory = z.object({ raw: Raw });

export const Entry = z.object({
  name: z.string(),
  kind: z.enum(["file", "folder", "other"]).describe("other: a link or similar, which cannot be read"),
  size: z.number(),
  changed_at: Time,
});

export const FileOrFolder = z
  .discriminatedUnion("kind", [
    z
      .object({
        kind: z.literal("folder"),
        path: z.string(),
        entries: z.array(Entry),
        truncated: z.boolean().describe("There are more"),
      })
      .describe("A folder"),
    z
      .object({
        kind: z.literal("file"),
        path: z.string(),
        size: z.number().int(),
        type: z.string().describe("Content type, as with `raw`"),
        sha256: Sha256.describe("Its version: the ETag, for If-Match"),
        changed_at: Time,
        text: z.string().nullable().describe("Null if it is not text"),
        truncated: z.boolean().describe("Only a part is here; `raw` has all of it"),
        next_offset: z.number().int().optional().describe("There is more of the text from here on"),
      })
      .describe("A file"),
  ])
  .describe("What is at a path");

const Text = z.strictObject({ text: z.string().max(2_000_000).describe("The whole file") });
const Written = z.object({ path: z.string(), size: z.number().int(), sha256: Sha256 });

const reading =
  "Lists a folder. A file is returned with its text, or as bytes with `raw=1`, never with a type that a browser would execute.";
const writing =
  "If-Match names the version that was read (its `sha256`); without it only a new file is written, and `*` replaces any version. If " +
  "someone else changed it meanwhile, the answer is 409 `conflict` with the current version. Agents see it like any manual edit.";
const readErrors = ["not_found", "path_escapes", "too_large"] as const;
const writeErrors = [...readErrors, "conflict", "wrong_state"] as const;

const read = {
  method: "GET",
  tag: "files",
  kind: "file",
  about: reading,
  ok: 200,
  answer: FileOrFolder,
  errors: readErrors,
} as const;
const write = {
  method: "PUT",
  tag: "files",
  about: writing,
  body: Text,
  ok: 200,
  answer: Written,
  errors: writeErrors,
} as const;

export const fileRoutes = {
  listWorkspace: route({
    ...read,
    path: "/agents/{agent}/workspace",
    summary: "List the top folder of a run's workspace",
    params: OfAgent,
    query: InWorkspace,
  }),
  readWorkspace: route({
    ...read,
    path: "/agents/{agent}/workspace/{path*}",
    summary: "Read a file or folder of a run's workspace",
    params: OfPath,
    query: InWorkspace,
    tools: [
      {
        name: "file_read",
        title: "Read a file of an agent",
        about:
          "A file of an agent's run, or the list of a folder; the run's own folder without a path. The answer of a finished run is _output.md, what a node published is in nodes/NODE/published/.",
        fields: {
          path: {
            shape: z
              .string()
              .max(2_000)
              .default("")
              .describe("Below the run's folder, e.g. _output.md or nodes/n1/published/report.md"),
          },
        },
        fixed: { length: 100_000 },
        without: ["raw"],
      },
    ],
  }),
  writeWorkspace: route({
    ...write,
    path: "/agents/{agent}/workspace/{path*}",
    summary: "Write a document of the current run, or the spec of a node",
    params: OfPath,
    example: { body: { text: "# Decisions\n" } },
  }),
  listMemory: route({
    ...read,
    path: "/agents/{agent}/memory",
    summary: "List the top folder of the memory: goal, soul, notes",
    params: OfAgent,
    query: InMemory,
  }),
  readMemory: route({
    ...read,
    path: "/agents/{agent}/memory/{path*}",
    summary: "Read a note, the soul (SOUL.md) or the goal (GOAL.md)",
    params: OfPath,
    query: InMemory,
  }),
  writeMemory: route({
    ...write,
    path: "/agents/{agent}/memory/{path*}",
    summary: "Write a note, the soul or the goal",
    params: OfPath,
    example: { body: { text: "# Who I am\n\nBrief, and never sure without a source.\n" } },
  }),
  searchMemory: route({
    method: "POST",
    path: "/agents/{agent}/memory/search",
    tag: "files",
    summary: "Search the agent's memory by words and meaning",
    params: OfAgent,
    body: z.strictObject({ query: z.string().min(1).max(2_000), limit: z.number().int().min(1).max(100).default(10) }),
    ok: 200,
    answer: z.object({
      found: z.array(z.object({ path: z.string(), section: z.string(), text: z.string(), score: z.number() })),
      by: z.enum(["words", "words and meaning"]),
    }),
    errors: ["not_found"],
    example: { body: { query: "what did we decide about databases" } },
  }),
};
