/** The parts of a prompt: where each comes from and why it is there. A turn's bill counts their tokens by these names. */
export type PartName =
  /** From prompts: who it is and how it works. */
  | "rules"
  /** From prompts: whose text is an instruction and whose is not. */
  | "voices"
  /** From prompts: whether the run ends. */
  | "mode"
  /** From the tools it may use: how to use each of them well. */
  | "tools"
  /** From prompts: ways of working that succeed. */
  | "mastery"
  /** From prompts: how its memory is to be kept. */
  | "runbook"
  /** From prompts: what to do when something goes wrong. */
  | "errors"
  /** From prompts: how to work with others; only with a team. */
  | "manners"
  /** From SOUL.md: the agent's lasting identity. */
  | "soul"
  /** From GOAL.md: what all of it is for. */
  | "goal"
  /** From the project folder: what it may read of the user's, and how. */
  | "project"
  /** From skills/: what it can read up when it needs it. */
  | "skills"
  /** From MEMORY.md, memory/, the daily log: what it knows from before. */
  | "memory"
  /** From _spec.md: the node it holds. */
  | "node"
  /** From _refs.json: what others published for it. */
  | "refs"
  /** From the log: who else is there. */
  | "team"
  /** From the workflow, if there is one: what it declares for its runs. */
  | "workflow"
  /** From its scratch folder: its own files, once the conversation was compacted. */
  | "files"
  /** From the tools it may use: what the provider needs to offer them. */
  | "schemas"
  /** From the log: what was said and done. */
  | "conversation"
  /** Current time, turns and money left; for this call only. */
  | "note";
