/** Teams for tests of the tools: a scripted coordinator with workers, in a simulated world. */
import { type Play, results } from "../runtime/model.test-help.ts";
import { type Options, start } from "../runtime/runtime.test-help.ts";

export const hour = 3_600_000;

export interface Made {
  tool: string;
  input?: unknown;
}

export const call = (tool: string, input: unknown = {}): Made => ({ tool, input });
export const spawn = (name: string, rest = {}): Made => call("spawn_worker", { name, ...rest });
export const node = (task: string, rest = {}): Made => call("create_work_node", { task, ...rest });

/** Runs the team until it is idle. */
export async function team(play: Play, options: Options = {}) {
  const world = start({ play, allowed: { claude: "claude-code/sonnet" }, ...options });
  await world.begin();
  await world.create();
  await world.pass(hour);
  /** The results of this participant's calls, in order. */
  const told = (who = "coordinator"): string[] => {
    const last = world.asked.findLast((one) => one.participant === who);
    return last
      ? results(last).map((one) => (one.outcome === "ok" ? one.result : `${one.outcome}: ${one.result}`))
      : [];
  };
  const all = async (type: string) => (await world.events()).filter((event) => event.type === type);
  return { ...world, told, all };
}

/** The results of these calls of the coordinator, made in one turn. */
export async function told(...calls: Made[]): Promise<string[]> {
  return (await team({ coordinator: [{ calls }] })).told();
}
