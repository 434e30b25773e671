/** The paths of all files in the home. The only place that spells them. */
import { createHash } from "node:crypto";
import { join } from "node:path";

export const agentRoot = (home: string, agent: string) => join(home, "agents", agent);
export const runRoot = (home: string, agent: string, run: string) => join(agentRoot(home, agent), "runs", run);
/** Where the setup steps of a run write. */
export const setupRoot = (home: string, agent: string, run: string) => join(runRoot(home, agent, run), "setup");
export const nodeRoot = (home: string, agent: string, run: string, node: string) =>
  join(runRoot(home, agent, run), "nodes", node);
export const heldRoot = (home: string, agent: string, run: string) => join(runRoot(home, agent, run), "held");
export const workerRoot = (home: string, agent: string, run: string, worker: string) =>
  join(runRoot(home, agent, run), "workers", worker);

/** The agent's own repository, with what its nodes made of the user's; for a folder without git what is known of its checkouts. */
export const repositoryRoot = (home: string, agent: string) => join(agentRoot(home, agent), "repository");

/** The homes of the agent CLIs of a run: settings, logins and conversations of their own. Not with the agent: nobody exports them. */
export const programsRoot = (home: string) => join(home, "programs");
export const programRoot = (home: string, agent: string, run: string) => join(programsRoot(home), agent, run);

/** Idempotency records: which agent was created with which key, and the responses to requests with a key; kept for a day. */
export const creationsPath = (home: string) => join(home, "creations.jsonl");
export const answersPath = (home: string) => join(home, "answers.jsonl");

/** The prefix of the tag of every program that belongs to this home. */
export function programTag(home: string): string {
  if (last.home !== home) last = { home, tag: `${createHash("sha256").update(home).digest("hex").slice(0, 12)}/` };
  return last.tag;
}
/** A process has one home. */
let last = { home: "", tag: "" };
