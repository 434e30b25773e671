import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const memoryWrite = defineTool({
  name: "memory_write",
  about: "Write a note into your own long-term memory.",
  guidance: [
    "Your memory is yours alone and outlasts this conversation. Write after a piece of work is done, when something surprised you, and before your conversation is shortened; not in the middle of things.",
    "Keep what will matter later: facts with their source, what worked and what did not, what people prefer. Leave out raw output, what is obvious, what is only true today, private data, and every password, key or token: such a write is refused.",
    "One topic per file, readable on its own, with short headings; each section is found separately. knowledge/ is for facts, experiences/ for lessons, preferences/ for people. MEMORY.md holds the few things to know always. Say in index.md what is where.",
    "The whole file is replaced, so read it first. A path such as 2026-02-11.md with today's date is the daily log and only grows: write just the new entry. Every few pieces of work, move what lasts from the logs into topics and drop what is outdated.",
  ].join("\n"),
  effect: "outside",
  repeatable: true,
  changes: "memory",
  input: z.object({
    path: z.string().min(1).max(400).describe("MEMORY.md, or a path below memory/ such as knowledge/topic.md"),
    content: z.string().max(90_000).describe("The whole text; for today's log only the new entry"),
  }),
  async run({ path, content }, { memory }) {
    const { path: name, outcome } = await memory.write(path, content);
    const said = {
      created: `Wrote ${name} (${content.length} characters).`,
      replaced: `Replaced ${name} (${content.length} characters).`,
      appended: `Added an entry to ${name}.`,
      unchanged: `${name} says that already.`,
    };
    return said[outcome];
  },
});
