/**
 * What a program with its own conversation is told in one turn: what is new since its last answer. A program that has no conversation yet, or lost
 * it, is told everything that a model would be shown.
 */
import type { Request } from "../../backend/backend.ts";
import { escapeWrapper, wrapEntry } from "../../core/message/mail-envelope.ts";
import { shorten } from "../../lib/text/text.ts";
import type { Node } from "../../schema/node.ts";
import type { Entry, Line } from "../../schema/worker.ts";

/** `goesOn`: its conversation exists, and everything up to its last answer is in it. `work`: the nodes that it has ended. */
export function promptOf(
  { lines, data, note }: Pick<Request, "lines" | "data" | "note">,
  goesOn: boolean,
  work: readonly Node[] = [],
): string {
  const from = lines.findLastIndex(({ role }) => role === "assistant") + 1;
  const before = goesOn ? [] : lines.slice(0, from);
  const shown = lines.slice(from);
  const isNewTask = shown.some((line) => line.role === "inbox" && line.entries.some(({ kind }) => kind === "assigned"));
  const history = before.length ? [begun, ...before.map(lineText), ...(goesOn ? [] : work.map(nodeText)), now] : [];
  const parts = [
    goesOn && !isNewTask ? "" : data,
    ...history,
    ...shown.map(lineText),
    note && `<note>\n${note}\n</note>`,
  ];
  return parts.filter(Boolean).join("\n\n");
}

function nodeText(node: Node): string {
  const how = node.status === "completed" ? node.summary : "reason" in node ? node.reason.message : "";
  return `Your work on ${node.id} is ${node.status}: ${escapeWrapper(shorten(how, 1_000))}`;
}

const begun = "What was so far, for you to know; it is handled already:";
const now = "New since then:";

/** After a crash: what it was doing is in its own conversation. */
export const goOn =
  "You were interrupted: the program that runs you was restarted. Look at what you had done so far, and continue from there.";

export const mailText = (entries: readonly Entry[]): string => entries.map(wrapEntry).join("\n");

function lineText(line: Line): string {
  switch (line.role) {
    case "inbox":
      return mailText(line.entries);
    case "assistant":
      return line.text && `Earlier you said:\n${escapeWrapper(line.text)}`;
    case "tool":
      return `Earlier you called ${line.tool} (${line.outcome}):\n${escapeWrapper(line.result)}`;
  }
}
