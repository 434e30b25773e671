import { z } from "zod";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";
import { textOf } from "./read-file.ts";

export const editFile = defineTool({
  name: "edit_file",
  about: "Replace a piece of a file in your scratch folder.",
  guidance:
    "`old` must be copied exactly from the file and occur once: take enough lines around it. Read the file first.",
  effect: "outside",
  repeatable: false,
  offer: { always: "everyone", words: "replace, patch, change a file" },
  input: z.object({
    path: z.string().min(1).max(300),
    old: z.string().min(1).max(1_000_000),
    new: z.string().max(1_000_000),
    all: z.boolean().optional().describe("Replace every occurrence"),
  }),
  async run({ path, old, new: next, all }, { files, write }) {
    if (old === next) throw new Problem("invalid", "old and new are the same; there is nothing to change");
    const text = textOf(await files.read(path));
    if (text === null) throw new Problem("invalid", `${path} is binary and cannot be edited as text`);
    const places = occurrences(text, old);
    if (places.length === 0) throw new Problem("not_found", `old does not occur in ${path}. ${nearMisses(text, old)}`);
    if (places.length > 1 && !all) {
      const lines = places.slice(0, 10).map((at) => lineAt(text, at));
      throw new Problem(
        "conflict",
        `old occurs ${places.length} times in ${path} (lines ${lines.join(", ")}${places.length > 10 ? " …" : ""}); add lines around it until it occurs once, or set all`,
      );
    }
    await write(path, text.split(old).join(next));
    return places.length === 1
      ? `Replaced it in ${path}, line ${lineAt(text, places[0]!)}.`
      : `Replaced ${places.length} occurrences in ${path}.`;
  },
});

function occurrences(text: string, old: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(old); at >= 0; at = text.indexOf(old, at + old.length)) found.push(at);
  return found;
}

const lineAt = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Near matches: the same except for white space, or a first line that exists. */
function nearMisses(text: string, old: string): string {
  if (text.includes("\r\n") && text.replaceAll("\r\n", "\n").includes(old.replaceAll("\r\n", "\n")))
    return "It does with the file's line ends, which are \\r\\n.";
  const lines = text.split("\n");
  const bare = (line: string) => line.replace(/\s+/g, " ").trim();
  const first = bare(old.split("\n").find((line) => bare(line)) ?? "");
  const near = first ? lines.flatMap((line, index) => (bare(line).includes(first) ? [index] : [])) : [];
  if (!near.length) return "No line is like its first one; read the file again.";
  const shown = near.slice(0, 3).map((index) => `${index + 1}: ${JSON.stringify(lines[index]!.slice(0, 200))}`);
  return `Like its first line ${near.length === 1 ? "is" : "are"} only:\n${shown.join("\n")}\nCompare the white space and the lines after it.`;
}
