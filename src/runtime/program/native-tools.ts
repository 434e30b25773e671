/** The tools that programs bring along, by the names that our policy knows: a rule about `bash` is also about their shells. */
import { z } from "zod";
import { judge } from "../../loop/features/policy.ts";
import type { PolicyRule } from "../../schema/policy-rule.ts";
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

/** As the policy judges it. What nobody knows counts as a shell, because it may do anything; without a sandbox everything does. */
export function ownTool(name: string, about: string, sandboxed: boolean): Tool {
  const ours = (sandboxed && known.find(([, theirs]) => theirs.test(name))?.[0]) || "bash";
  const effect = ours === "read_file" ? "reads" : "outside";
  return { ...asPolicySees(ours, effect), alias: name, about };
}

/**
 * Whether a rule may say something else than allow about what a program does by itself. What only concerns tools of ours is judged where they are
 * called, and needs no asking.
 */
export function asksAbout(
  rules: readonly PolicyRule[],
  by: Parameters<typeof judge>[2],
  all: readonly Tool[],
): boolean {
  const theirs = new Set(known.map(([ours]) => ours));
  const ours = new Set(all.flatMap(({ name }) => (theirs.has(name) ? [] : [name])));
  return rules.some(
    ({ tool, effect, ...rule }) =>
      effect !== "state" && !ours.has(tool ?? "") && judge([rule], ownTool("", "", true), by).do !== "allow",
  );
}

const asPolicySees = (name: string, effect: Tool["effect"]): Tool =>
  defineTool({ name, about: "", guidance: "", effect, repeatable: false, input: z.unknown(), run: async () => "" });
