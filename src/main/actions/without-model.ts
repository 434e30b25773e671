/** What people can do who have no model yet. */
import type { OfferedProgram } from "../../api/models.ts";
import { shellLine } from "../../lib/command-line.ts";

export function withoutModel(programs: readonly OfferedProgram[]): string[] {
  const ready = programs.filter(({ state }) => state === "ready");
  const steps = [
    ...ready.map(({ name, title }) => [`--model ${name}`, `use ${title}, which is ready here`] as const),
    ["export ANTHROPIC_API_KEY=…", "or OPENAI_API_KEY, GEMINI_API_KEY,"],
    ["", "OPENROUTER_API_KEY"],
    ["ollama serve", "run a model on this machine"],
    ...(ready.length ? [] : [[shellLine("models"), "get Claude Code, Codex or another agent program"] as const]),
    [shellLine("demo"), "see how it works without a model"],
    [shellLine("doctor"), "show what was found"],
  ] as const;
  const width = Math.max(...steps.map(([line]) => line.length));
  return ["Do one of these, then try again:", ...steps.map(([line, does]) => `  ${line.padEnd(width)}   ${does}`)];
}
