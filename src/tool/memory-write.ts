import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const memoryWrite = defineTool({
  name: "memory_write",
  about: "Write a note into your own long-term memory.",
  guidance:
    "Facts with their source, what worked, what people prefer; no raw output, nothing only true today, no secrets: such a write is refused. " +
    "One topic per file with short headings, in knowledge/, experiences/ or preferences/; MEMORY.md holds the few things to know always, index.md what is where. " +
    "The whole file is replaced, so read it first; a path with today's date (2026-02-11.md) is the daily log and only grows.",
  effect: "outside",
  repeatable: true,
  offer: { always: "coordinator", when: ["memory"], words: "remember, note, save knowledge" },
  changes: "memory",
  input: z.object({
    path: z.string().min(1).max(400).describe("MEMORY.md, or a path below memory/ such as knowledge/topic.md"),
    content: z.string().max(90_000).describe("The whole text; for today's log only the new entry"),
  }),
  async run({ path, content }, { memory }) {
    const { path: name, outcome, held } = await memory.write(path, content);
    const said = {
      created: `Wrote ${name} (${content.length} characters).`,
      replaced: `Replaced ${name} (${content.length} characters).`,
      appended: `Added an entry to ${name}.`,
      unchanged: `${name} says that already.`,
    };
    const waits = `${name} is kept with this run and waits for your human, because the run has read text from outside. A new note is kept at once.`;
    return held ? `${said[outcome]} ${waits}` : said[outcome];
  },
});
