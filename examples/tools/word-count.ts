/** A tool of one's own: copy this file into `tools/` of the home, and agents have `word_count`. */
import { defineTool, z } from "agiraph";

export default defineTool({
  name: "word_count",
  about: "Count the words of a text file.",
  guidance: "Use it instead of counting yourself. The path is as for read_file.",
  effect: "reads",
  repeatable: true,
  input: z.object({ path: z.string().min(1).describe("Which file") }),
  async run({ path }, { files }) {
    const text = (await files.read(path)).toString();
    return `${path} has ${text.split(/\s+/).filter(Boolean).length} words.`;
  },
});
