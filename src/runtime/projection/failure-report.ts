/**
 * What was tried on a node that failed, from the log: its last turns with their calls and errors, why it ended, and which files it left.
 * For whoever tries it again and for people; words of models and tools in it are data.
 */

import { filesIn } from "../../lib/files/tree.ts";
import { shortLine } from "../../lib/text/text.ts";
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
    `Worker: ${worker ?? "nobody"}; ${turns.size} ${turns.size === 1 ? "turn" : "turns"}${turns.size > last ? `, of which the last ${last} are listed` : ""}.`,
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
    if (event.data.text.trim()) lines.push(`Said: ${shortLine(event.data.text, longest)}`);
    for (const call of event.data.calls)
      lines.push(`- ${call.id} ${call.tool} ${shortLine(JSON.stringify(call.input) ?? "", longest)}`);
  } else if (event.type === "program.reported") {
    lines.push(`Said: ${shortLine(event.data.text, longest)}`);
  } else if (event.type === "tool.called") {
    lines.push(`- ${event.data.call} ${event.data.tool} ${shortLine(JSON.stringify(event.data.input) ?? "", longest)}`);
  } else if (event.type === "tool.ended") {
    lines.push(`- ${event.data.call} ${event.data.outcome}: ${shortLine(event.data.result, longest)}`);
  } else if (event.type === "turn.retried") {
    lines.push(`- tried again: ${shortLine(event.data.error, longest)}`);
  } else if (event.type === "turn.failed") {
    lines.push(`- the turn failed: ${shortLine(event.data.reason.message, longest)}`);
  }
}

async function listed(files: Files, folder: string): Promise<string[]> {
  const list = (path: string) => files.list(path ? `${folder}/${path}` : folder, mostFiles + 1);
  const found = await filesIn(list, mostFiles + 1);
  return found.length > mostFiles ? [...found.slice(0, mostFiles), "…"] : found;
}

const longest = 400;
