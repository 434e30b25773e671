/**
 * The door of the library. Light: nothing of the house is loaded before an agent is asked for, so that `import "agiraph"` is quick, and so that a Node which
 * is too old is told so in words. (The command line brings its own Node, bin/agiraph.mjs.)
 */
import { Problem } from "../../schema/problem.ts";
import { isSafeSqlite, safeNodes } from "../../search/sqlite-version.ts";
import type { Agent, AgentOptions } from "./agent.ts";
import type { Answer, TeamOptions } from "./team.ts";

export function assertNode({ node, sqlite = "0" }: { node: string; sqlite?: string | undefined }): void {
  if (isSafeSqlite(sqlite)) return;
  throw new Problem(
    "not_offered",
    `agiraph as a library needs Node ${safeNodes}, and this is ${node}. The command line works with this one: npx agiraph`,
  );
}

/** An agent that lasts, in this process: `send()` and its replies (agent.ts). */
export async function agent(given: AgentOptions): Promise<Agent> {
  assertNode(process.versions);
  return await (await import("./agent.ts")).agent(given);
}

/** Runs a team in this process: a goal in, an answer out (team.ts). */
export async function team(given: TeamOptions): Promise<Answer> {
  assertNode(process.versions);
  return await (await import("./team.ts")).team(given);
}
