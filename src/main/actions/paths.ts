/** Where people find what an agent made, on this machine. */
import { join } from "node:path";
import { agentRoot, runRoot } from "../../home/layout.ts";

export const pathsIn = (home: string) => (agent: string, run: string) => ({
  output: join(runRoot(home, agent, run), "_output.md"),
  run: runRoot(home, agent, run),
  log: join(agentRoot(home, agent), "events.jsonl"),
});
