/** A tool call in one plain line: a picture, what was done, and to what. Tools that nobody knows are called by their name. */
import { shortLine } from "../../lib/text/text.ts";
import type { Call } from "./thread-item.ts";

export interface Words {
  icon: string;
  /** "Read", as what was done. */
  did: string;
  /** "Reads", while it runs. */
  does: string;
  /** Several of them: "Read 3 files". */
  many: string;
  object: string;
  /** The object is a path, a command or a name of ours, not prose. */
  code: boolean;
}

type Fields = Record<string, unknown>;
type Known = [icon: string, did: string, does: string, many: string, object: (input: Fields) => unknown];

const path = ({ path, file_path }: Fields) => path ?? file_path;
const first = (input: Fields) => Object.values(input).find((value) => typeof value === "string");
const list = (value: unknown) => (Array.isArray(value) ? value.join(", ") : value);

const known: Record<string, Known> = {
  read_file: ["eye", "Read", "Reads", "files", path],
  write_file: ["pencil", "Wrote", "Writes", "files", path],
  edit_file: ["pencil", "Edited", "Edits", "files", path],
  list_files: ["files", "Listed", "Lists", "folders", (input) => input.path || "the workspace"],
  search_files: ["search", "Searched files for", "Searches files for", "searches", first],
  bash: ["term", "Ran", "Runs", "commands", ({ command }) => command],
  web_search: ["globe", "Searched the web for", "Searches the web for", "searches", ({ query }) => query],
  web_fetch: ["globe", "Read", "Reads", "pages", ({ url }) => url],
  create_work_node: ["graph", "Added a node:", "Adds a node:", "nodes", ({ name, task }) => name ?? task],
  assign_worker: ["arrow", "Gave", "Gives", "nodes", ({ node_id, worker_id }) => `${node_id} to ${worker_id}`],
  cancel_node: ["x", "Cancelled", "Cancels", "nodes", ({ node_id }) => node_id],
  spawn_worker: ["users", "Brought in", "Brings in", "workers", ({ name }) => name],
  retire_worker: ["users", "Let go", "Lets go", "workers", ({ worker_id }) => worker_id],
  send_message: ["talk", "Wrote to", "Writes to", "messages", ({ to, content }) => `${list(to)}: ${content}`],
  check_board: ["board", "Looked at the board", "Looks at the board", "looks", () => ""],
  channel_read: ["inbox", "Read the channel", "Reads the channel", "looks", ({ query }) => query ?? ""],
  check_messages: ["inbox", "Looked for messages", "Looks for messages", "looks", () => ""],
  wait_for_nodes: ["clock", "Waited for", "Waits for", "waits", ({ node_ids }) => list(node_ids) || "the nodes"],
  reconvene: ["layers", "Reconvened:", "Reconvenes:", "stages", ({ assessment }) => assessment],
  checkpoint: ["history", "Noted how far it is:", "Notes how far it is:", "notes", first],
  read_ref: ["doc", "Read", "Reads", "results", first],
  write_plan: ["list", "Planned:", "Plans:", "plans", first],
  todo: ["list", "Noted to do:", "Notes to do:", "notes", ({ text, action }) => text ?? action],
  memory_write: ["memory", "Remembered", "Remembers", "notes", path],
  memory_read: ["memory", "Recalled", "Recalls", "notes", path],
  memory_search: ["memory", "Searched memory for", "Searches memory for", "searches", ({ query }) => query],
  schedule: ["bolt", "Scheduled", "Schedules", "triggers", first],
  suggest_next: ["sparkle", "Suggested:", "Suggests:", "suggestions", first],
  resource_create: ["clip", "Kept", "Keeps", "resources", first],
  says: ["talk", "Said:", "Says:", "remarks", first],
  notice: ["alert", "Noticed:", "Notices:", "notices", first],
  resource_read: ["clip", "Read resource", "Reads resource", "resources", ({ id }) => String(id ?? "").slice(0, 12)],
};

/** Tools that agent CLIs bring along, by ours that do the same. */
const same: Record<string, string> = {
  Bash: "bash",
  shell: "bash",
  run_shell_command: "bash",
  Read: "read_file",
  Write: "write_file",
  Edit: "edit_file",
  apply_patch: "edit_file",
  Glob: "search_files",
  Grep: "search_files",
  WebFetch: "web_fetch",
  WebSearch: "web_search",
};

const coded = new Set(
  "read_file write_file edit_file list_files bash web_fetch assign_worker cancel_node read_ref resource_read memory_write memory_read".split(
    " ",
  ),
);

const longest = 160;

export function wordsOf({ tool: given, input }: Pick<Call, "tool" | "input">): Words {
  const tool = Object.hasOwn(same, given) ? same[given]! : given;
  const fields = (typeof input === "object" && input !== null ? input : {}) as Fields;
  const [icon, did, does, many, object] = Object.hasOwn(known, tool)
    ? known[tool]!
    : (["code", tool, tool, "calls", first] as Known);
  const said = shortLine(String(object(fields) ?? ""), longest);
  const code = coded.has(tool) || !Object.hasOwn(known, tool);
  return { icon, did, does, many, code, object: said };
}

const meant: Partial<Record<Call["status"], string>> = { denied: "Wanted to", error: "Tried to", unknown: "Tried to" };

/** What was done or is being done; of what did not happen, what was meant: "Wanted to write". A tool that nobody knows keeps its name. */
export function verbOf({ tool, input, status }: Pick<Call, "tool" | "input" | "status">): string {
  const { did, does } = wordsOf({ tool, input });
  if (status === "asked" || status === "running") return does;
  const begin = meant[status];
  if (!begin || !Object.hasOwn(known, tool)) return did;
  const [, verb = "", rest = ""] = /^(\S+?)s(\s.*|:?)$/.exec(does) ?? [];
  return `${begin} ${verb.replace(/(ch|sh|ss)e$/, "$1").toLowerCase()}${rest}`;
}

/** Those of the same kind that come one after the other and went well are one line. */
export function foldCalls(calls: readonly Call[]): Call[][] {
  const rows: Call[][] = [];
  for (const call of calls) {
    const row = rows.at(-1);
    if (row && row[0]!.tool === call.tool && call.status === "ok" && row.every(({ status }) => status === "ok"))
      row.push(call);
    else rows.push([call]);
  }
  return rows;
}

/** A folded line: "Brought in Ada and Ben", "Read 3 files nvidia.md and 2 more", "Looked at the board twice". */
export function foldedWords(calls: readonly Call[]): Pick<Words, "icon" | "did" | "object" | "code"> & {
  more: string;
} {
  const { icon, did, many, object, code } = wordsOf(calls[0]!);
  const count = calls.length;
  if (!object) return { icon, did, code: false, object: count === 2 ? "twice" : `${count} times`, more: "" };
  const short = calls.map((call) => wordsOf(call).object);
  if (count === 2 && short.every((one) => one.length <= 40))
    return { icon, code, did: pairs[calls[0]!.tool] ?? did, object: short.join(" and "), more: "" };
  const verb = did.replace(/ resource$/, "").replace(/:$|\s(for|to|a node:?)$/g, "");
  return { icon, code, did: `${verb} ${count} ${many}`, object, more: `and ${count - 1} more` };
}

const pairs: Record<string, string> = { create_work_node: "Added two nodes:" };
