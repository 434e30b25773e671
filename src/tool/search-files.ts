import { z } from "zod";
import { shorten } from "../lib/text/text.ts";
import { Problem } from "../schema/problem.ts";
import { createMatcher } from "../toolkit/pattern.ts";
import { defineTool } from "../toolkit/tool.ts";
import { folderOf, shown, walk } from "../toolkit/walk.ts";
import { strangerOf, textOf } from "./read-file.ts";

const most = { results: 100, files: 2_000, bytes: 32_000_000, file: 2_000_000, line: 300 };

export const searchFiles = defineTool({
  name: "search_files",
  about: "Find lines in the files of your scratch and in what others published.",
  guidance:
    "`query` is plain text, upper and lower case alike, or /a regular expression/ (/…/i for any case). With `path` only that folder or file is searched. " +
    "Results are path:line: text. Search what is published before you research anew.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["folder", "published"], words: "grep, find text, look for a word" },
  input: z.object({ query: z.string().min(1).max(500), path: z.string().max(300).optional() }),
  async run({ query, path }, { files }) {
    const match = createMatcher(query);
    const lines: string[] = [];
    const left = { files: most.files, bytes: most.bytes };
    const skipped: string[] = [];
    const matching: string[] = [];
    let found = 0;

    async function look(file: string, size: number): Promise<void> {
      if (size > most.file) return void skipped.push(file);
      const content = await files.read(file, most.file).catch(() => null); // gone meanwhile, or not readable
      const text = content && textOf(content);
      if (!text) return;
      left.bytes -= text.length;
      const all = text.split("\n");
      for (const at of match(text)) {
        if (++found > most.results) continue;
        if (matching.at(-1) !== file) matching.push(file);
        const line = all[at]!.trimEnd();
        lines.push(`${shown(file)}:${at + 1}: ${shorten(line, most.line)}`);
      }
    }

    if (!path) await files.stat("."); // once it is there, the views are known
    const roots = path ? [folderOf(path)] : [".", ...files.views()];
    for (const root of roots) {
      const stat = await files.stat(root);
      if (path && !stat) throw new Problem("not_found", `there is no ${path}; ${files.reach()}`);
      if (stat?.kind === "file") await look(root, stat.size);
      if (stat?.kind !== "folder") continue;
      for await (const one of walk(files, root)) {
        if (one.kind !== "file") continue;
        if (--left.files < 0 || left.bytes < 0) break;
        await look(one.path, one.size);
      }
    }

    const notes = [
      found > most.results && `${found - most.results} more lines match; narrow the query or the path`,
      (left.files < 0 || left.bytes < 0) && "not all files were searched; give a path",
      skipped.length && `too large and not searched: ${skipped.slice(0, 10).join(", ")}`,
    ].filter(Boolean);
    const noted = notes.length ? `[${notes.join("; ")}]` : "";
    const outside = matching.map(strangerOf).find((one) => one !== undefined);
    if (!lines.length) return [`No line matches ${query}.`, noted].filter(Boolean).join("\n");
    return { text: noted, data: { from: "the files", text: lines.join("\n"), exact: true, outside } };
  },
});
