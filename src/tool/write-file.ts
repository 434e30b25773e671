import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";

export const writeFile = defineTool({
  name: "write_file",
  about: "Write a file in your scratch folder.",
  guidance:
    "Paths are relative to your scratch, as in bash. The whole content is replaced; folders on the way are made. " +
    "Write as you go, so that nothing is lost: one topic a file, a name that says what is in it, Markdown or JSON. " +
    "What lies in scratch when you publish becomes the output.",
  effect: "outside",
  repeatable: true,
  input: z.object({ path: z.string().min(1).max(300), content: z.string().max(1_000_000) }),
  async run({ path, content }, { write }) {
    await write(path, content);
    return `Wrote ${path} (${content.length} characters).`;
  },
});
