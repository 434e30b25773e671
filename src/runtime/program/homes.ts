/**
 * The homes of agent CLIs (home/layout.ts), with their settings, conversations and caches, are kept as long as a conversation may be resumed: while
 * their run is open, and for a week after it has ended, because a message from the human reopens it. Those of earlier runs and of archived agents are
 * removed, and when a process starts also those of agents that do not exist any more.
 *
 * What cannot be removed, because a program is still ending, is removed on the next occasion. An agent without such a home costs nothing.
 */
import { join } from "node:path";
import type { State } from "../../core/state.ts";
import { programsRoot } from "../../home/layout.ts";
import type { Clock, FileEntry, Files } from "../../lib/world.ts";

export interface ProgramHomes {
  /** Finds what earlier processes left. `names` is what is in the home. */
  find(names: readonly FileEntry[], agents: readonly string[]): Promise<void>;
  /** From now on there is one for a program of this agent. */
  add(agent: string): void;
  /** Removes those that no conversation needs. Never throws. */
  tidy(agent: string, state: State): Promise<void>;
}

const keepMs = 7 * 24 * 3_600_000;

export function createProgramHomes(home: string, files: Pick<Files, "list" | "remove">, clock: Clock): ProgramHomes {
  const root = programsRoot(home);
  const owners = new Set<string>();
  const remove = (path: string) => files.remove(path).catch(() => undefined);

  return {
    async find(names, agents) {
      if (!names.some(({ name }) => name === "programs")) return;
      for (const { name } of await files.list(root)) {
        if (agents.includes(name)) owners.add(name);
        else await remove(join(root, name));
      }
    },
    add: (agent) => void owners.add(agent),
    async tidy(agent, state) {
      if (!owners.has(agent)) return;
      const needed = neededRun(state, clock.now());
      if (needed === undefined) return await remove(join(root, agent));
      for (const { name } of await files.list(join(root, agent)).catch(() => []))
        if (name !== needed) await remove(join(root, agent, name));
    },
  };
}

function neededRun({ agent, run }: State, now: number): string | undefined {
  if (!run || agent?.status === "archived") return undefined;
  return run.status === "open" || now - Date.parse(run.ended_at) < keepMs ? run.id : undefined;
}
