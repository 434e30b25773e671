import { z } from "zod";
import { discovery } from "../schema/tool.ts";
import { defineTool, shapeOf, type Tool } from "../toolkit/tool.ts";
import { findTools as search } from "../toolkit/tool-search.ts";

const most = 3;

export const findTools = defineTool({
  name: discovery.find,
  about: "Find further tools by what you want to do.",
  guidance:
    "You have more tools than are listed: reminders, shared documents, votes, a to-do list, a plan, messages of the run, stages, helpers, searches, those of servers. " +
    `Look before you decide that something cannot be done. Call what you found with ${discovery.use}.`,
  effect: "reads",
  repeatable: true,
  offer: { always: "everyone", words: "discover, capabilities" },
  input: z.object({ query: z.string().min(1).max(300).describe("What you want to do, in a few words") }),
  async run({ query }, { granted }) {
    const all = granted().filter(({ name }) => name !== discovery.find && name !== discovery.use);
    const found = search(all, query, most);
    if (!found.length)
      return `No tool matches. There are ${all.map(({ name }) => name).join(", ")}; ask for one by its name.`;
    return { text: found.map(described).join("\n\n"), offers: found.map(({ name }) => name) };
  },
});

function described(tool: Tool): string {
  const { name, about, input } = shapeOf(tool);
  return [`## ${name}`, about, tool.guidance, `Input: ${JSON.stringify(input)}`].filter(Boolean).join("\n");
}
