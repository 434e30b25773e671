/**
 * What every command of the client has: the daemon, where it speaks, and in which form. With `--json` the answer of the daemon goes out as it
 * is, one value a line, and nothing else is written to the same place.
 */

import type { Summary } from "../../api/agents.ts";
import { allPages } from "../../api/page.ts";
import type { Client } from "../../client/index.ts";
import { commandRef } from "../../lib/command-line.ts";
import { visibleJson } from "../../lib/text/visible.ts";
import { Problem } from "../../schema/problem.ts";
import type { Terminal } from "../terminal/terminal.ts";

export interface Shell {
  client: Client;
  terminal: Terminal;
  json: boolean;
  /** Nobody works when the command is over: what it was about goes on with `resume`. */
  later: boolean;
  now(): number;
  /** For programs, whole and at once. */
  write(text: string): void;
}

/** The answer for programs, or the lines for people. */
export function show(shell: Shell, value: unknown, lines: () => readonly string[]): void {
  if (shell.json) shell.write(`${visibleJson(value)}\n`);
  else shell.terminal.say(lines());
}

export const allAgents = ({ client }: Pick<Shell, "client">, archived: boolean): Promise<Summary[]> =>
  allPages((query) => client.listAgents({ query: { ...query, archived: String(archived) } }));

/**
 * The agent that is meant: by its id, by the beginning of it if no other begins so, or, if none is named, the one at which something happened
 * last. Throws `not_found` and names those that come close.
 */
export async function pickAgent(shell: Shell, wanted: string | undefined): Promise<string> {
  const all = await allAgents(shell, wanted !== undefined);
  if (wanted === undefined) {
    const [latest] = all.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
    if (latest) return latest.id;
    throw new Problem("not_found", `no agents yet; start one: ${commandRef('run "your goal"')}`);
  }
  const ids = all.map(({ id }) => id);
  const exact = ids.find((id) => id === wanted.toLowerCase());
  if (exact) return exact;
  const begin = ids.filter((id) => id.startsWith(wanted.toLowerCase()));
  if (begin.length === 1) return begin[0]!;
  const near = begin.length
    ? begin
    : ids.filter((id) => id.includes(wanted.toLowerCase()) || distance(id, wanted) <= 3);
  const hint = near.length
    ? `did you mean ${near.slice(0, 5).join(", ")}?`
    : `known agents: ${ids.slice(0, 10).join(", ") || "none"}`;
  throw new Problem("not_found", `there is no agent ${wanted}; ${hint}`);
}

/** How many letters must change to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1));
    row = next;
  }
  return row[b.length]!;
}
