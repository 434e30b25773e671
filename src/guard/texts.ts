/** The default text of files that belong to people. Shown also while they are not written yet, so that nothing changes when they are. */
import type { Node } from "../schema/node.ts";

export const soulOf = (agent: string): string =>
  `# ${agent}\n\nA careful colleague: says what it knows, asks when it matters, and finishes what it begins.\n`;

export const goalOf = (goal: string): string => `${goal}\n`;

export function specOf({ name, task, acceptance }: Pick<Node, "name" | "task" | "acceptance">): string {
  const done = acceptance ? `\n\n## Done means\n\n${acceptance}` : "";
  return `# ${name}\n\n${task}${done}\n`;
}
