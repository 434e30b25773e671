import { z } from "zod";
import { foldCase } from "../core/team/names.ts";
import type { Document } from "../schema/document.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool, type Result, type ToolContext } from "../toolkit/tool.ts";
import { show } from "./read-file.ts";

export const documentRead = defineTool({
  name: "document_read",
  about: "Read a shared document and its version.",
  guidance: "",
  effect: "reads",
  repeatable: true,
  offer: { when: ["document", "leaderless"], words: "shared document, wiki" },
  input: z.object({
    name: z.string().min(1).max(120),
    offset: z.number().int().positive().optional().describe("First line, from 1"),
    limit: z.number().int().positive().optional().describe("How many lines"),
  }),
  run: async ({ name, ...part }, context) => await showDocument(context, findDocument(context, name), part),
});

/** Its text, and before it which version it is. */
export async function showDocument(
  { blobs, state, room }: ToolContext,
  document: Document,
  part: { offset?: number | undefined; limit?: number | undefined } = {},
): Promise<Result> {
  const { name, version, sha256, by, owner } = document;
  const content = await blobs.get(sha256);
  if (content === null) throw new Problem("not_found", `the text of ${name} is not on this disk`);
  const called = (id: string) => state().participants.get(id)?.name ?? id;
  const told = `[${name}, version ${version} by ${called(by)}${owner ? `, owned by ${called(owner)}` : ""}]`;
  const shown = show(name, Buffer.from(content), { ...part, room });
  const data = shown.data && { ...shown.data, from: `the document ${name}` };
  return { ...shown, text: [told, shown.text].filter(Boolean).join("\n"), ...(data ? { data } : {}) };
}

/** By its name in any case; or a Problem that lists all. */
export function findDocument({ state }: Pick<ToolContext, "state">, given: string): Document {
  const all = [...state().documents.values()];
  const wanted = foldCase(given.replace(/^documents\//, ""));
  const found = all.find(({ name }) => foldCase(name) === wanted);
  if (found) return found;
  const names = all.map(({ name }) => name).join(", ");
  throw new Problem("not_found", `there is no document ${given}; documents: ${names || "none"}`);
}
