/** What a call would do, as a short order: "Write notes.md", "Run npm test". A tool that nobody knows is called by its name. */

import { shorten } from "../../lib/text/text.ts";
import { visibleLine } from "../../lib/text/visible.ts";

type Fields = Record<string, unknown>;

const known: Record<string, (input: Fields) => [verb: string, what: unknown]> = {
  write_file: ({ path }) => ["Write", path],
  edit_file: ({ path }) => ["Change", path],
  read_file: ({ path }) => ["Read", path],
  list_files: ({ path }) => ["List", path ?? "the workspace"],
  search_files: ({ pattern, query }) => ["Search files for", pattern ?? query],
  bash: ({ command }) => ["Run", command],
  web_search: ({ query }) => ["Search the web for", query],
  web_fetch: ({ url }) => ["Read", url],
  memory_write: ({ path }) => ["Remember", path],
  memory_read: ({ path }) => ["Recall", path],
  send_message: ({ to }) => ["Write to", Array.isArray(to) ? to.join(", ") : to],
  create_work_node: ({ name, task }) => ["Add the node", name ?? task],
  cancel_node: ({ node_id }) => ["Cancel", node_id],
  spawn_worker: ({ name }) => ["Bring in", name],
  retire_worker: ({ worker_id }) => ["Let go", worker_id],
  assign_worker: ({ node_id, worker_id }) => ["Give", `${node_id} to ${worker_id}`],
  schedule: ({ action }) => ["Schedule", action],
  publish: () => ["Publish", "the node"],
  finish: () => ["Finish", "the run"],
};

const longest = 120;

export function callTitle(tool: string, input: unknown): string {
  const fields = (typeof input === "object" && input !== null ? input : {}) as Fields;
  const made = Object.hasOwn(known, tool) ? known[tool]!(fields) : undefined;
  const other = Object.values(fields).find((value) => typeof value === "string");
  const [verb, what] = typeof made?.[1] === "string" ? made : [`Use ${tool.replaceAll("_", " ")}`, other];
  const words = typeof what === "string" ? (what.trim().split("\n")[0] ?? "") : "";
  const colon = made && typeof made[1] === "string" ? "" : words ? ":" : "";
  const title = `${verb}${colon}${words ? ` ${words}` : ""}`;
  return shorten(visibleLine(title), longest);
}
