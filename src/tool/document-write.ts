import { z } from "zod";
import { DocumentName } from "../schema/document.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";
import { findDocument, showDocument } from "./document-read.ts";

export const documentWrite = defineTool({
  name: "document_write",
  about: "Write a shared document, the whole text. Refused, with the newer text, if somebody wrote it meanwhile.",
  guidance:
    "Documents are texts of the whole team that change: what was decided, a list that several work on. Results belong into what you publish. " +
    "To change one, read it, and give its version as base. To add to one use document_append, which no one else's change disturbs. Who owns a document is who writes it; ask them.",
  effect: "state",
  repeatable: true,
  offer: { when: ["document", "leaderless"], words: "wiki, edit together", cues: "shared document" },
  input: z.object({
    name: DocumentName.describe("Such as decisions.md"),
    content: z.string().max(1_000_000),
    base: z.number().int().positive().optional().describe("The version that you read and changed; none for a new one"),
  }),
  async run({ name, content, base = 0 }, context) {
    const { blobs, dispatch, state } = context;
    const size = Buffer.byteLength(content);
    const given = { type: "document.write" as const, document: name, sha256: await blobs.put(content), size };
    try {
      await dispatch({ ...given, expected_version: base });
    } catch (problem) {
      if (!(problem instanceof Problem && problem.code === "stale") || !state().documents.has(name)) throw problem;
      const newer = findDocument(context, name);
      const why = base ? `has changed since version ${base}` : "exists already";
      const shown = await showDocument(context, newer);
      const what = `Not written: ${name} ${why}. Put your change into this text and write it with base ${newer.version}.`;
      return { ...shown, text: `${shown.text}\n${what}`, failed: true };
    }
    return `${name} is at version ${state().documents.get(name)?.version}.`;
  },
});
