import { z } from "zod";
import { requireNode } from "../core/lookup.ts";
import { Problem } from "../schema/problem.ts";
import { defineTool } from "../toolkit/tool.ts";
import { folderOf, walk } from "../toolkit/walk.ts";
import { show } from "./read-file.ts";

export const readRef = defineTool({
  name: "read_ref",
  about: "Read what another node published, by the name it has among the refs of your node.",
  guidance:
    "Your refs are your inputs: read them early, before you search or ask. One name is one published file, or a whole node; then `path` chooses a file of it. " +
    "Better than guessing paths.",
  effect: "reads",
  repeatable: true,
  offer: { when: ["refs"], words: "input, published by another node" },
  input: z.object({ ref_name: z.string().min(1).max(64), path: z.string().min(1).max(300).optional() }),
  async run({ ref_name, path }, { files, node, state, room }) {
    const shown = async (file: string) => show(file, await files.read(file), { room, by: `read_file ${file} and ` });
    if (!node)
      throw new Problem("wrong_state", "you hold no node and so have no refs; read_file reads published/NODE/FILE");
    const { refs } = requireNode(state(), node);
    if (!Object.hasOwn(refs, ref_name)) {
      const names = Object.keys(refs).join(", ") || "none";
      throw new Problem("not_found", `${node} has no ref ${JSON.stringify(ref_name)}; it has ${names}`);
    }
    const [source, ...steps] = refs[ref_name]!.split("/");
    const target = ["published", source, ...steps, ...(path ? [path] : [])].join("/");
    if ((await files.stat(target))?.kind !== "folder") return await shown(target);
    const found: string[] = [];
    for await (const one of walk(files, folderOf(target))) {
      if (one.kind === "file" && one.path !== `published/${source}/manifest.json`) found.push(one.path);
      if (found.length === 200) break;
    }
    if (found.length === 1) return await shown(found[0]!);
    const names = found.map((one) => one.slice(`published/${source}/`.length));
    const [summary] = [state().nodes.get(source!)].flatMap((one) => (one?.status === "completed" ? [one.summary] : []));
    return `${ref_name} is ${target}: ${summary ?? ""}\nFiles (choose one with path): ${names.join(", ") || "none"}`;
  },
});
