/** Saves what a participant learned from its work in its own memory. Runs before the work is published, and is idempotent. */
import { Problem } from "../schema/problem.ts";
import type { ToolContext } from "./tool.ts";

/** A message for the publisher. An error with the note does not hold up the work. */
export async function keepLearned({ memory, node }: ToolContext, given: string | undefined): Promise<string> {
  const learned = given?.trim();
  if (!learned) return "";
  const entry = `- ${node ? `${node}: ` : ""}${learned.replace(/\s*\n\s*/g, "\n  ")}`;
  try {
    await memory.edit("MEMORY.md", (text) =>
      text.includes(entry) ? text : `${text.trimEnd() || "# What I learned"}\n${text.trim() ? "" : "\n"}${entry}\n`,
    );
    return " What you learned is in your memory.";
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return ` What you learned was not kept: ${problem.message}`;
  }
}
