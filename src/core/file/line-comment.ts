/**
 * A comment on a line is a message like any other, in a form that a model reads and every reader of a diff finds again: its first line names node and place, the
 * next quotes the line. An answer that begins with the place (`src/a.ts:23`) belongs to it.
 */
import { shorten } from "../../lib/text/text.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { Diff } from "../../schema/diff.ts";
import type { Message } from "../../schema/message.ts";
import type { State } from "../state.ts";
import { type Line, linesOf } from "./diff-line.ts";

/** A line of a file: of the version before, or after. */
export interface Spot {
  path: string;
  side: "old" | "new";
  line: number;
}

export interface Comment {
  id: string;
  from: string;
  text: string;
  at: string;
  seq: number;
  /** It has not reached the daemon yet: why. */
  unsent?: string;
}

const longestQuote = 200;

export const spotKey = ({ path, side, line }: Spot): string => `${side} ${line} ${path}`;

/** The place of a line, by the newer version where it is in both. */
export const spotOf = (path: string, line: Line): Spot =>
  line.new === undefined ? { path, side: "old", line: line.old ?? 0 } : { path, side: "new", line: line.new };

/** The text of a line that the diff shows; undefined if it does not. */
export function lineAt({ files }: Diff, at: Spot): string | undefined {
  const lines = files.find(({ path }) => path === at.path)?.hunks.flatMap(linesOf) ?? [];
  return lines.find((line) => spotKey(spotOf(at.path, line)) === spotKey(at))?.text;
}

/** Who is told of a comment: the node's worker, while it still reads. Undefined: whoever leads, or everyone. */
export function listenerOf(state: State, node: string | undefined): string | undefined {
  const found = node === undefined ? undefined : state.nodes.get(node);
  const worker = found && "worker" in found ? found.worker : undefined;
  const one = worker === undefined ? undefined : state.participants.get(worker);
  return one && one.kind !== "human" && !one.retired ? one.id : undefined;
}

/** As it is sent. */
export function commentText(node: string, at: Spot, line: string, text: string): string {
  const quoted = visibleLine(line);
  const place = placeOf(at);
  return [
    `On ${place} of ${node}${at.side === "old" ? ", a line that was removed" : ""}:`,
    `> ${shorten(quoted, longestQuote)}`,
    "",
    text.trim(),
    "",
    `(An answer that begins with ${place} is shown beside the line.)`,
  ].join("\n");
}

const opening = /^On (.+):(\d+) of (\S+?)(, a line that was removed)?:\n> [^\n]*\n\n/;
const closing = /\n\n\(An answer that begins with [^\n]+ is shown beside the line\.\)$/;
const before = /^(?:On |Re:? )?`?/;
const after = /^`?[:,.\s-]+/;

/** Comments on the lines of a node's change, and answers to them, by `spotKey`. */
export function commentsOn(messages: readonly Message[], node: string): Map<string, Comment[]> {
  const found = new Map<string, Comment[]>();
  const add = (key: string, { id, from, at, seq }: Message, text: string) => {
    const thread = found.get(key) ?? [];
    thread.push({ id, from, at, seq, text });
    found.set(key, thread);
  };
  const spots: Spot[] = [];
  for (const message of messages) {
    const own = opening.exec(message.text);
    if (own && message.from === "human") {
      const [whole, path = "", line = "", about, removed] = own;
      const spot: Spot = { path, line: Number(line), side: removed ? "old" : "new" };
      if (about !== node) continue;
      spots.push(spot);
      add(spotKey(spot), message, message.text.slice(whole.length).replace(closing, ""));
      continue;
    }
    const said = message.text.replace(before, "");
    const answered = message.from === "human" ? undefined : spots.find((spot) => isOf(said, spot));
    if (answered) add(spotKey(answered), message, said.slice(placeOf(answered).length).replace(after, ""));
  }
  return found;
}

const isOf = (text: string, spot: Spot): boolean =>
  text.startsWith(placeOf(spot)) && !/^\d/.test(text.slice(placeOf(spot).length));

const placeOf = ({ path, line }: Spot): string => `${path}:${line}`;
