import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";

const shown = 50;

export const memoryRead = defineTool({
  name: "memory_read",
  about: "Read a note of your own long-term memory.",
  guidance:
    "Read index.md first when you do not know what there is. Search when you know what about, read when you know where. People may have edited a note since you wrote it; what you read is how it is now.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["memory"], words: "note, recall, remember" },
  input: z.object({ path: z.string().min(1).max(400).describe("MEMORY.md, or a path below memory/") }),
  async run({ path }, { memory }) {
    const text = await memory.read(path);
    const origin = text === null ? undefined : await memory.origin(path);
    if (text !== null && origin !== undefined) {
      const from = `your note ${path}, written after reading ${origin}`;
      return { text: "", data: { from, text, exact: true, outside: origin } };
    }
    if (text !== null) return text || "(empty)";
    const notes = await memory.list();
    const names = notes.slice(0, shown).map((note) => `- ${note.path} (${note.size} bytes)`);
    const more = notes.length > shown ? [`- … and ${notes.length - shown} more: search for them`] : [];
    const all = notes.length ? `Your notes:\n${[...names, ...more].join("\n")}` : "Your memory is empty.";
    // A request for an index that nobody wrote gets a generated one.
    if (/^(?:\.\/)?(?:memory\/)?index\.md$/.test(path.trim())) return `There is no index.md yet. ${all}`;
    throw new Problem("not_found", `There is no note ${path}. ${all}`);
  },
});
