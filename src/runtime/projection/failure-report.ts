/**
 * What was tried on a node that failed, from the log: its last turns with their calls and errors, why it ended, and which files it left.
 * For whoever tries it again and for people; words of models and tools in it are data.
 */
import type { Files } from "../../lib/world.ts";
import type { Reason } from "../../schema/agent.ts";
import type { Event } from "../../schema/event.ts";
import type { Log } from "../../store/store.ts";

export interface FailureOptions {
  log: Log;
  files: Files;
  /** The seq before the run's first event, and of the node's failure. */
  from: number;
  upto: number;
  node: string;
  name: string;
  worker: string | undefined;
  reason: Reason;
  /** Where its scratch lies. */
  scratch: string;
}

/** Turns that are told. */
const last = 6;
const mostFiles = 100;

export async function failureNotes(options: FailureOptions): Promise<string> {
  const { log, from, upto, node, name, worker, reason } = options;
  const turns = new Map<string, string[]>();
  for await (const events of log.read(from))
    for (const event of events) if (event.seq <= upto) take(turns, event, node);
  const kept = [...turns.values()].slice(-last);
  const files = await listed(options.files, options.scratch);
  return [
    `# What was tried: ${name}`,
    `${node} failed (${reason.code}): ${reason.message}`,
    `Worker: ${worker ?? "nobody"}; ${turns.size} ${turns.size === 1 ? "turn" : "turns"}${turns.size > last ? `, of which the last ${last} are told` : ""}.`,
    "## The last turns",
    kept.flat().join("\n") || "Nothing was done.",
    "## Files in its scratch",
    files.map((path) => `- ${path}`).join("\n") || "None.",
  ].join("\n\n");
}

function take(turns: Map<string, string[]>, event: Event, node: string): void {
  if (event.type === "turn.started" && event.data.node === node) {
    turns.set(event.data.turn, [`### ${event.data.turn}`]);
    return;
  }
  const lines = "turn" in event.data && event.data.turn ? turns.get(event.data.turn) : undefined;
  if (!lines) return;
  if (event.type === "turn.answered") {
    if (event.data.text.trim()) lines.push(`Said: ${short(event.data.text)}`);
    for (const call of event.data.calls)
      lines.push(`- ${call.id} ${call.tool} ${short(JSON.stringify(call.input) ?? "")}`);
  } else if (event.type === "tool.called") {
    lines.push(`- ${event.data.call} ${event.data.tool} ${short(JSON.stringify(event.data.input) ?? "")}`);
  } else if (event.type === "tool.ended") {
    lines.push(`- ${event.data.call} ${event.data.outcome}: ${short(event.data.result)}`);
  } else if (event.type === "turn.retried") {
    lines.push(`- tried again: ${short(event.data.error)}`);
  } else if (event.type === "turn.failed") {
    lines.push(`- the turn failed: ${short(event.data.reason.message)}`);
  }
}

async function listed(files: Files, folder: string, path = ""): Promise<string[]> {
  const found: string[] = [];
  for (const { name, kind } of await files.list(path ? `${folder}/${path}` : folder, mostFiles + 1)) {
    const inner = path ? `${path}/${name}` : name;
    if (kind === "folder") found.push(...(await listed(files, folder, inner)));
    else if (kind === "file") found.push(inner);
    if (found.length >= mostFiles) return [...found.slice(0, mostFiles), "…"];
  }
  return found;
}

const longest = 400;

function short(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest).toWellFormed()} …`;
}
