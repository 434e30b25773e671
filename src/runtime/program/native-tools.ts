/** The tools that programs bring along, by the names that our policy knows: a rule about `bash` is also about their shells. */
import { z } from "zod";
import { defineTool, type Tool } from "../../toolkit/tool.ts";

/** Ours that a program of its own has no use for: it has the same. */
export const native: ReadonlySet<string> = new Set([
  "bash",
  "read_file",
  "write_file",
  "edit_file",
  "list_files",
  "search_files",
]);

const known: [ours: string, theirs: RegExp][] = [
  ["bash", /bash|shell|exec|command|terminal/i],
  ["edit_file", /edit|patch|replace/i],
  ["write_file", /write|create|file.?change|delete|move/i],
  ["web_fetch", /fetch|web|browse|url/i],
  ["read_file", /read|list|glob|grep|search|view/i],
];

/** As the policy judges it. What nobody knows counts as a shell: it may do anything. */
export function ownTool(name: string, about: string): Tool {
  const ours = known.find(([, theirs]) => theirs.test(name))?.[0] ?? "bash";
  const effect = ours === "read_file" ? "reads" : "outside";
  return { ...asPolicySees(ours, effect), alias: name, about };
}

const asPolicySees = (name: string, effect: Tool["effect"]): Tool =>
  defineTool({ name, about: "", guidance: "", effect, repeatable: false, input: z.unknown(), run: async () => "" });
