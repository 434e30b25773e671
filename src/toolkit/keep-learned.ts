/** Saves what a participant learned from its work in its own memory, and proposes what a worker learned for the agent's. Runs before the work is published, and is idempotent. */
import { Problem } from "../schema/problem.ts";
import type { ToolContext } from "./tool.ts";

/** A message for the publisher. An error with the note does not hold up the work. */
export async function keepLearned(context: ToolContext, given: string | undefined): Promise<string> {
  const { memory, node } = context;
  const learned = given?.trim();
  if (!learned) return "";
  const entry = `- ${node ? `${node}: ` : ""}${learned.replace(/\s*\n\s*/g, "\n  ")}`;
  try {
    const path = (await memory.isGuarded("MEMORY.md")) ? "memory/experiences/learned.md" : "MEMORY.md";
    await memory.edit(path, (text) =>
      text.includes(entry) ? text : `${text.trimEnd() || "# What I learned"}\n${text.trim() ? "" : "\n"}${entry}\n`,
    );
    await propose(context, learned);
    return " What you learned is in your memory.";
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    return ` What you learned was not kept: ${problem.message}`;
  }
}

/** A worker's memory ends with its run, so what it learned is proposed for the agent's too. */
async function propose({ me, node, state, dispatch }: ToolContext, text: string): Promise<void> {
  const { participants, run } = state();
  if (participants.get(me)?.kind === "coordinator") return;
  const [first = ""] = text.split(/[.\n]/, 1);
  const subject = first.trim().slice(0, 120).toWellFormed() || "What was learned";
  const idea = { type: "insight.propose" as const, by: me, subject, text, kind: "lesson" as const };
  await dispatch({ ...idea, ...(run ? { run: run.id } : {}), ...(node ? { node } : {}) }, nthOfCall);
}

/** Of the commands that a call sends; the others of publish and finish come before it. */
const nthOfCall = 9;
