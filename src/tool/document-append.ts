import { z } from "zod";
import { DocumentName } from "../schema/document.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool, type ToolContext } from "../toolkit/tool.ts";

export const documentAppend = defineTool({
  name: "document_append",
  about: "Add lines at the end of a shared document, whatever others do to it meanwhile. Creates a missing one.",
  guidance: "",
  effect: "state",
  repeatable: true,
  offer: { when: ["document"], words: "shared document, add lines, common log" },
  input: z.object({ name: DocumentName, content: z.string().min(1).max(100_000) }),
  async run({ name, content }, context) {
    const { state, key } = context;
    // A crash hid the result: it was added then.
    if (!state().keys.has(key)) await append(context, name, content);
    return `Added; ${name} is at version ${state().documents.get(name)?.version}.`;
  },
});

/** Others may be as fast, each time. */
const mostTries = 200;

async function append({ state, blobs, dispatch }: ToolContext, name: string, content: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { sha256, version } = state().documents.get(name) ?? { sha256: undefined, version: 0 };
    const before = sha256 === undefined ? "" : await blobs.get(sha256);
    if (before === null) throw new Problem("not_found", `the text of ${name} is not on this disk`);
    const text = `${before}${before && !before.endsWith("\n") ? "\n" : ""}${content}${content.endsWith("\n") ? "" : "\n"}`;
    const given = { document: name, sha256: await blobs.put(text), size: Buffer.byteLength(text) };
    try {
      await dispatch({ type: "document.write", ...given, expected_version: version });
      return;
    } catch (problem) {
      if (!(problem instanceof Problem && problem.code === "stale") || tries === mostTries) throw problem;
    }
  }
}
