/** The parts of what a participant is shown: where each comes from and why it is there. A turn's bill names them by these names. */
export const parts = {
  rules: { source: "prompts", why: "who it is and how it works" },
  voices: { source: "prompts", why: "whose words are orders and whose are not" },
  mode: { source: "prompts", why: "whether the run ends" },
  tools: { source: "the tools it may use", why: "how to use each of them well" },
  mastery: { source: "prompts", why: "ways of working that succeed" },
  runbook: { source: "prompts", why: "how its memory is to be kept" },
  errors: { source: "prompts", why: "what to do when something goes wrong" },
  manners: { source: "prompts", why: "how to work with others; only with a team" },
  soul: { source: "SOUL.md", why: "the agent's lasting identity" },
  goal: { source: "GOAL.md", why: "what all of it is for" },
  project: { source: "the folder that the agent was given", why: "what it may read of the user's, and how" },
  skills: { source: "skills/", why: "what it can read up when it needs it" },
  memory: { source: "MEMORY.md, memory/, the daily log", why: "what it knows from before" },
  node: { source: "_spec.md", why: "the workpiece it holds" },
  refs: { source: "_refs.json", why: "what others published for it" },
  team: { source: "the log", why: "who else is there" },
  workflow: { source: "the workflow", why: "what was written down for its runs; only then" },
  files: { source: "its scratch folder", why: "its own files, once the conversation was shortened" },
  schemas: { source: "the tools it may use", why: "what the provider needs to offer them" },
  conversation: { source: "the log", why: "what was said and done" },
  note: { source: "the moment", why: "time, turns and money left; for this call only" },
} as const;

export type PartName = keyof typeof parts;

/** A bill with its sources and reasons, largest first, for people. */
export function explain(bill: Record<string, number>): { part: string; tokens: number; source: string; why: string }[] {
  return Object.entries(bill)
    .map(([part, tokens]) => ({
      part,
      tokens,
      ...(parts[part as PartName] ?? { source: "unknown", why: "an earlier version showed it" }),
    }))
    .sort((a, b) => b.tokens - a.tokens);
}
