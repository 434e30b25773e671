import { z } from "zod";
import { defineTool } from "../toolkit/tool.ts";
import { folderOf, isClosed, shown, walk } from "../toolkit/walk.ts";
import { strangerOf } from "./read-file.ts";

const mostEntries = 500;

export const listFiles = defineTool({
  name: "list_files",
  about: "List the files of a folder with their sizes: your scratch, or a published or shared folder.",
  guidance:
    "Without a path: your scratch. `published` lists the nodes that have published, `documents` the shared texts.",
  effect: "reads",
  repeatable: true,
  offer: { always: "everyone", words: "ls, folder, directory" },
  input: z.object({ path: z.string().max(300).optional() }),
  async run({ path }, { files }) {
    const folder = folderOf(path);
    const lines: string[] = [];
    let more = 0;
    for await (const found of walk(files, folder)) {
      // Counts on for a while, so that "more" means something; not for ever.
      if (lines.length === mostEntries && ++more === 10_000) break;
      if (more) continue;
      const name = shown(found.path);
      const about = { file: `${found.size} bytes`, folder: "", other: "a link, pipe, socket or device" }[found.kind];
      lines.push(
        found.kind === "folder"
          ? `${name}/${isClosed(found.path) ? "  (not shown; list it by its path)" : ""}`
          : `${name}  ${about}`,
      );
    }
    const what = folder === "." ? "Your scratch" : folder;
    const notes = [
      lines.length ? "" : `${what} is empty.`,
      more ? `[${more}${more === 10_000 ? " or" : ""} more; list a folder of it]` : "",
      folder === "." ? `(Allowed: ${files.reach()}.)` : "",
    ];
    const text = notes.filter(Boolean).join("\n");
    return lines.length
      ? {
          text,
          data: { from: `the folder ${folder}`, text: lines.join("\n"), exact: true, outside: strangerOf(folder) },
        }
      : text;
  },
});
