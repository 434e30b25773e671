/** The default text of files that belong to people. Shown also while they are not written yet, so that nothing changes when they are. */
import { checkTitle } from "../core/board/check.ts";
import type { Agent } from "../schema/agent.ts";
import type { Check } from "../schema/evidence.ts";
import type { Node } from "../schema/node.ts";

export const soulOf = ({ id, soul }: Pick<Agent, "id" | "soul">): string =>
  soul ? `${soul.trim()}\n` : defaultSoul(id);

const defaultSoul = (agent: string): string =>
  `# ${agent}\n\nA careful colleague: says what it knows, asks when it matters, and finishes what it begins.\n`;

export const goalOf = (goal: string): string => `${goal}\n`;

export function specOf({
  name,
  task,
  acceptance,
  checks,
}: Pick<Node, "name" | "task" | "acceptance" | "checks">): string {
  const done = acceptance ? `\n\n## Done means\n\n${acceptance}` : "";
  const proof = checks?.length
    ? `\n\n## Checks\n\nDone by the runtime when you publish, on exactly the files you publish:\n\n${checks.map(lineOf).join("\n")}`
    : "";
  return `# ${name}\n\n${task}${done}${proof}\n`;
}

/** Whole where its worker could not guess the rest. */
const lineOf = (check: Check, at: number): string => {
  const schema = "file" in check && check.schema ? `\n   ${JSON.stringify(check.schema)}` : "";
  const command = "run" in check ? check.run : "tests" in check && check.tests !== true ? check.tests : undefined;
  return `${at + 1}. ${checkTitle(check)}${schema}${command?.includes("\n") ? `\n\n${command.replace(/^/gm, "       ")}\n` : ""}`;
};
