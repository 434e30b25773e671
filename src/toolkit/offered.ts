/** The tools that one agent and its workers may use, of all that the house has. */
import { Problem } from "../schema/problem.ts";
import type { Tool } from "./tool.ts";

/** Without these nobody could hand in its work, hear the others, see what it was given, or keep what it knows when its context is shortened. */
const essential = new Set([
  "publish",
  "finish",
  "decline",
  "check_board",
  "check_messages",
  "wait_for_nodes",
  "read_ref",
  "resource_read",
  "list_triggers",
  "memory_read",
  "memory_search",
  "memory_write",
  "todo",
]);

/** Of those that change only the log, what a server says of itself (MCP) does not count. */
const isAlwaysThere = ({ name, effect, alias }: Tool): boolean =>
  essential.has(name) || (effect === "state" && alias === undefined);

/** All, if the agent was given no list. */
export function offered(tools: readonly Tool[], wanted: readonly string[] | undefined): readonly Tool[] {
  if (!wanted) return tools;
  const names = new Set(wanted);
  return tools.filter((tool) => isAlwaysThere(tool) || names.has(tool.name));
}

/** Throws `invalid` and names those there are. */
export function assertTools(tools: readonly Tool[], wanted: readonly string[]): void {
  const names = new Set(tools.map(({ name }) => name));
  const unknown = wanted.filter((name) => !names.has(name));
  if (!unknown.length) return;
  const what = unknown.slice(0, 20).map((name) => JSON.stringify(name));
  throw new Problem("invalid", `there is no tool ${what.join(", ")}; tools: ${[...names].sort().join(", ")}`);
}
