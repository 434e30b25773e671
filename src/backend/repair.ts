/**
 * Repairs a recorded conversation so that every provider accepts it, whatever a crash, an old bug or another backend left in it.
 *
 * Always holds: it begins with the user; answers and user messages alternate, except for an answer that continues a paused one; each call has
 * exactly one result, in the order of the calls; results without a call are left out; no text is empty or has trailing blanks. The record is not
 * changed. Lines that are added at the end change nothing before them, so that caches hit: only a missing result is reported as missing until it is
 * there.
 *
 * Not here: the wrappers' text and the wire format (messages.ts).
 */
import type { Call, Kept } from "../schema/turn.ts";
import type { Entry, Line } from "../schema/worker.ts";

export type Beat = { role: "user"; says: Said[] } | Answer;
export type Said = { entries: readonly Entry[] } | { words: string };

export interface Answer {
  role: "assistant";
  text: string;
  calls: { call: Call; result: string; failed: boolean }[];
  kept: Kept | undefined;
  /** The provider wants it back as the last message, to continue it. */
  paused: boolean;
}

type Spoken = Extract<Line, { role: "assistant" }>;

export const noResult = "No result was recorded for this call. Check before repeating it.";
const begin = "(The beginning of this conversation is not shown.)";
const goOn = "Go on.";

/** `keeps` says whether the kept parts of an answer can be sent back, and whether that answer was only paused. */
export function repair(
  lines: readonly Line[],
  keeps: (line: Spoken) => { paused: boolean } | undefined = () => undefined,
): Beat[] {
  const beats: Beat[] = [];
  const user = (said: Said) => {
    const last = beats.at(-1);
    if (last?.role === "user") last.says.push(said);
    else beats.push({ role: "user", says: [said] });
  };
  for (const [index, line] of lines.entries()) {
    if (line.role === "inbox" && line.entries.length > 0) user({ entries: line.entries });
    if (line.role !== "assistant") continue;
    // A paused answer cannot be continued once something follows it.
    const given = keeps(line);
    const usable = given?.paused && nextWord(lines, index) === "inbox" ? undefined : given;
    const answer = answered(line, resultsOf(lines, index), usable);
    if (!answer.text && answer.calls.length === 0 && !usable) continue;
    const last = beats.at(-1);
    if (!last) user({ words: begin });
    else if (last.role === "assistant" && last.calls.length === 0 && !last.paused) user({ words: goOn });
    beats.push(answer);
  }
  const last = beats.at(-1);
  if (!last) user({ words: begin });
  else if (last.role === "assistant" && last.calls.length === 0 && !last.paused) user({ words: goOn });
  return beats;
}

function answered(line: Spoken, results: Map<string, Result>, usable: { paused: boolean } | undefined): Answer {
  return {
    role: "assistant",
    text: line.text.trimEnd(),
    calls: line.calls.map((call) => {
      const found = results.get(call.id);
      results.delete(call.id);
      if (!found) return { call, result: noResult, failed: true };
      return { call, result: found.result.trim() ? found.result : "(nothing)", failed: found.outcome !== "ok" };
    }),
    kept: usable && line.kept,
    paused: usable?.paused === true && line.calls.length === 0,
  };
}

const nextWord = (lines: readonly Line[], index: number) =>
  lines.slice(index + 1).find((line) => line.role === "assistant" || (line.role === "inbox" && line.entries.length > 0))
    ?.role;

type Result = Extract<Line, { role: "tool" }>;

/** The first result of each call of this turn, up to the next answer. */
function resultsOf(lines: readonly Line[], index: number): Map<string, Result> {
  const { turn } = lines[index] as Spoken;
  const found = new Map<string, Result>();
  for (let at = index + 1; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.role === "assistant") break;
    if (line.role === "tool" && line.turn === turn && !found.has(line.call)) found.set(line.call, line);
  }
  return found;
}
