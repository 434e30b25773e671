/** One document of the current run: its text, who wrote which version, and a new version. Lists and owners are with the other records (records.ts). */
import { z } from "zod";
import { Document } from "../schema/document.ts";
import { Sha256, Time } from "../schema/ids.ts";
import { OfAgent } from "./agents.ts";
import { route } from "./route.ts";

const OfDocument = OfAgent.extend({ document: z.string().min(1).max(120).describe("Its name: decisions.md") });

const Written = z.object({
  version: z.number().int().positive(),
  by: z.string().describe("A participant"),
  at: Time,
  sha256: Sha256,
});

export const documentRoutes = {
  readDocument: route({
    method: "GET",
    path: "/agents/{agent}/documents/{document}",
    tag: "records",
    summary: "Get a document of the current run with its text and its history",
    params: OfDocument,
    query: z.object({ version: z.coerce.number().int().positive().optional().describe("Default: the newest") }),
    ok: 200,
    answer: Document.extend({
      text: z.string().describe("Of the version that was asked for"),
      truncated: z.boolean().describe("Truncated; its file in the workspace has the rest"),
      history: z.array(Written).describe("Newest first"),
    }),
    errors: ["not_found"],
    tools: [
      {
        name: "document_read",
        title: "Read a shared document",
        about: "Gives the text of a shared document of an agent's run, and who wrote its versions.",
        fields: { document: { as: "name" } },
      },
    ],
  }),
  writeDocument: route({
    method: "PUT",
    path: "/agents/{agent}/documents/{document}",
    tag: "records",
    summary: "Write a document of the current run",
    about:
      "The whole text. `base` is the version that was read and changed; leave it out for a new document. If there is another version by now the answer is 409 `conflict`, with its number and its text in `details`.",
    params: OfDocument,
    body: z.strictObject({
      content: z.string().max(1_000_000),
      base: z.number().int().positive().optional().describe("The version that you changed; none for a new one"),
    }),
    ok: 200,
    answer: Document,
    errors: ["invalid", "not_found", "wrong_state", "conflict", "too_large", "key_reused"],
    example: { body: { content: "# Decisions\n", base: 1 } },
    tools: [
      {
        name: "document_write",
        title: "Write a shared document",
        about:
          "Writes a shared document of an agent's run, the whole text. To change one, read it with document_read and give its version as base.",
        fields: { document: { as: "name" } },
      },
    ],
  }),
};
