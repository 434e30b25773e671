import { z } from "zod";
import { Resource } from "../schema/resource.ts";
import { keepText } from "../toolkit/keep-text.ts";
import { defineTool } from "../toolkit/tool.ts";

export const resourceCreate = defineTool({
  name: "resource_create",
  about: "Keep a text that never changes, for everyone in the run; it is named by its hash.",
  guidance:
    "For evidence and quotations that others should see exactly as they are, and for what is too long for a message: then send only its id. What is still being worked on belongs into a file, results into what you publish.",
  effect: "state",
  repeatable: true,
  offer: { words: "keep evidence, quotation, immutable, attach, long text, share a text" },
  input: z.object({
    title: Resource.shape.title,
    content: z.string().min(1).max(1_000_000),
    type: Resource.shape.type.optional().describe("Media type, e.g. text/markdown; text/plain if missing"),
  }),
  async run({ title, content, type }, context) {
    const id = await keepText(context, { title, content, ...(type ? { type } : {}) });
    return JSON.stringify({ id, title: context.state().resources.get(id)?.title ?? title, characters: content.length });
  },
});
