/** The tools that one agent and its workers may use. */
import type { State } from "../core/state.ts";
import { Problem } from "../schema/problem.ts";
import type { Tool } from "./tool.ts";

/** Without these no participant could publish its work, hear the others, see what it was given, or keep what it knows across compaction. */
const essential = new Set([
  "publish",
  "finish",
  "decline",
  "check_board",
  "check_messages",
  "channel_read",
  "wait_for_nodes",
  "read_ref",
  "resource_read",
  "document_list",
  "document_read",
  "proposal_list",
  "list_triggers",
  "memory_read",
  "memory_search",
  "memory_write",
  "todo",
  "find_tools",
  "use_tool",
]);

/** Of those that change only the log; an MCP server's own claim does not count. */
const isAlwaysThere = ({ name, effect, alias }: Tool): boolean =>
  essential.has(name) || (effect === "state" && alias === undefined);

/** Whether there is what a tool cannot do without. */
export const isUseful = ({ agent }: State, { needs }: Tool): boolean =>
  needs !== "folder" || agent?.folder !== undefined;

/** All, if the agent has no list. */
export function offered(tools: readonly Tool[], wanted: readonly string[] | undefined): readonly Tool[] {
  if (!wanted) return tools;
  const names = new Set(wanted);
  return tools.filter((tool) => isAlwaysThere(tool) || names.has(tool.name));
}

/** Throws `invalid`, listing the known tools. */
export function assertTools(tools: readonly Tool[], wanted: readonly string[]): void {
  const names = new Set(tools.map(({ name }) => name));
  const unknown = wanted.filter((name) => !names.has(name));
  if (!unknown.length) return;
  const what = unknown.slice(0, 20).map((name) => JSON.stringify(name));
  throw new Problem("invalid", `there is no tool ${what.join(", ")}; tools: ${[...names].sort().join(", ")}`);
}
