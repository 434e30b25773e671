import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const writeFile = defineTool({
  name: "write_file",
  about: "Write a file in your scratch folder.",
  guidance:
    "Paths are relative to your scratch. The whole content is replaced. Write as you go: one topic a file, a name that says what is in it.",
  effect: "outside",
  repeatable: true,
  offer: { always: "everyone", words: "create a file, save" },
  input: z.object({ path: z.string().min(1).max(300), content: z.string().max(1_000_000) }),
  async run({ path, content }, { write }) {
    await write(path, content);
    return `Wrote ${path} (${content.length} characters).`;
  },
});
