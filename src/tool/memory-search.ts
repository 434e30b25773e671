import { z } from "zod";
import type { MemoryHit } from "../toolkit/memory.ts";
import { defineTool } from "../toolkit/tool.ts";

const longest = 1500;

function shownSection({ path, section, text, noted }: MemoryHit): string {
  const rest = text.length > longest ? `\n[… ${text.length - longest} characters more in ${path} …]` : "";
  return `## ${path}${section ? ` › ${section}` : ""}${noted ? ` (noted ${noted})` : ""}\n${text.slice(0, longest)}${rest}`;
}

export const memorySearch = defineTool({
  name: "memory_search",
  about: "Search your own long-term memory by words and by meaning.",
  guidance:
    "At the start of an assignment, in a few words or a short question. Whole sections come back. A note is what you believed when you wrote it: check what matters.",
  effect: "reads",
  repeatable: true,
  offer: { always: "coordinator", when: ["memory"], words: "recall, remember, know from before" },
  input: z.object({
    query: z.string().min(1).max(1000),
    limit: z.number().int().min(1).max(20).default(6).describe("How many sections"),
  }),
  async run({ query, limit }, { memory }) {
    const { found, by } = await memory.search(query, limit);
    const how = by === "words" ? "Searched by words only." : "Searched by words and meaning.";
    if (found.length === 0) return `Nothing in your memory fits. ${how}`;
    const sections = found.filter(({ origin }) => origin === undefined).map(shownSection);
    const text = [how, ...sections].join("\n\n");
    const foreign = found.filter(({ origin }) => origin !== undefined);
    if (!foreign.length) return text;
    const origins = [...new Set(foreign.map(({ origin }) => origin))].join(", ");
    const from = `your notes, written after reading ${origins}`;
    const data = { from, text: foreign.map(shownSection).join("\n\n"), exact: true, outside: origins.slice(0, 500) };
    return { text, data };
  },
});
