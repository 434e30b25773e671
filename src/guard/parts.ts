/**
 * The parts of a prompt. Each declares what it is worth, where it comes from and why it is there; a turn's bill counts their tokens by name, and
 * the log keeps the rest (`turn.started`, context), so that anybody can see later what a turn was shown and what was left out.
 *
 * Whoever has something to show adds a part (Shelf.parts in guard.ts); how parts compete for room is in select.ts.
 */

/** In the order in which they are shown: the most stable first, so that provider caches hit. */
export const partNames = [
  /** From prompts: who it is and how it works. */
  "rules",
  /** From prompts: whether the run ends. */
  "mode",
  /** From prompts: whose text is an instruction and whose is not. */
  "voices",
  /** From prompts: ways of working that succeed. */
  "mastery",
  /** From prompts: how its memory is to be kept. */
  "runbook",
  /** From prompts: what to do when something goes wrong. */
  "errors",
  /** From the tools it is offered: how to use each of them well. */
  "tools",
  /** From prompts: how to work with others; only with a team. */
  "manners",
  /** From SOUL.md: the agent's lasting identity. */
  "soul",
  /** From GOAL.md: what all of it is for. */
  "goal",
  /** From the project folder: what it may read of the user's, and how. */
  "project",
  /** From skills/: what it can read up when it needs it. */
  "skills",
  /** From MEMORY.md, memory/, the daily log: what it knows from before. */
  "memory",
  /** From earlier runs: what was said with the human before this one. */
  "earlier",
  /** From the log: who else is there. */
  "team",
  /** From the workflow, if there is one: what it declares for its runs. */
  "workflow",
  /** From _spec.md: the node it holds. */
  "node",
  /** From its scratch folder: its own files, once the conversation was compacted. */
  "files",
  /** From _refs.json: what others published for it. */
  "refs",
  /** From the shared documents of the run, as far as the task needs them. */
  "documents",
  /** From the messages of the run, as far as they concern the task. */
  "channel",
  /** From the tools it is offered: what the provider needs to offer them. */
  "schemas",
  /** From the log: what was said and done. */
  "conversation",
  /** Current time, turns and money left; for this call only. */
  "note",
] as const;

export type PartName = (typeof partNames)[number];

/**
 * always: shown in any case. task: shown because this task needs it, as long as there is room. call: not shown, one tool call away; its `brief`
 * says which.
 */
export type Value = "always" | "task" | "call";

export interface Part {
  name: PartName;
  value: Value;
  /** A file, a folder, "prompts", "the log". */
  source: string;
  /** Why it is there, in a few words. */
  why: string;
  text: string;
  /** Stands once above all parts of this name. */
  title?: string;
  /** Of two parts of value task the one with the higher score gets the room; 1 if missing. */
  score?: number;
  /** Shown where the whole is not: what it is and which call brings it. */
  brief?: string;
  /** By others: in the user's role, not in the system's. */
  isData?: true;
}
