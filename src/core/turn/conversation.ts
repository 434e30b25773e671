/**
 * A participant's transcript in the state: how lines are added, and which are removed again. The list is edited in place (state.ts). A result never
 * loses its call: the oldest lines are dropped in whole exchanges.
 *
 * Not here: compaction when the context window is full (context.ts), the form of one line (line.ts).
 */
import type { Turn } from "../../schema/turn.ts";
import type { Line, Thinker } from "../../schema/worker.ts";
import { clipCall } from "./line.ts";

/** How many lines of a transcript stay in the state; the log has all. */
const kept = 400;

export function say(one: Thinker, line: Line): void {
  one.conversation.push(line);
  if (one.conversation.length < kept * 2) return;
  const from = one.conversation.findIndex((old, index) => index >= kept && old.role === "inbox");
  if (from > 0) one.conversation.splice(0, from);
}

/** Lines of a firing that came to nothing are removed from the transcript; the log keeps them. */
export function forgetFire(one: Thinker): void {
  const from = one.conversation.findLastIndex((line) => line.role === "inbox");
  const line = one.conversation[from];
  if (line?.role === "inbox" && line.entries.every(({ kind }) => kind === "fire")) one.conversation.splice(from);
}

/** Characters kept of arguments that were refused or had no effect: nobody needs all of them again, and they may be larger than any context window. */
const mostRefused = 20_000;

export function forgetInput({ conversation }: Thinker, turn: string, id: string): void {
  const at = conversation.findLastIndex((line) => line.role === "assistant" && line.turn === turn);
  const line = conversation[at];
  if (line?.role !== "assistant") return;
  const calls = line.calls.map((call) => (call.id === id ? clipCall(call, mostRefused) : call));
  if (calls.every((call, index) => call === line.calls[index])) return;
  const { kept: _, ...said } = line;
  conversation[at] = { ...said, calls };
}

/** Calls of a failed turn that have no result get one: every call in the conversation has a result. */
export function sayUnfinished(one: Thinker, turn: Turn, why: string): void {
  for (const { id, tool, status } of turn.status === "acting" ? turn.calls : []) {
    if (status === "ended") continue;
    const outcome = status === "started" ? "unknown" : "error";
    say(one, { role: "tool", turn: turn.id, call: id, tool, outcome, result: `Not finished: ${why}` });
  }
}

/**
 * Mail that reaches a program in the middle of its turn belongs to what the turn was shown: if the program dies, or loses its conversation, the turn
 * shows it again.
 */
export function sayDuringTurn(one: Thinker, turn: Turn, upto: number): void {
  const entries = one.unread.filter(({ seq }) => seq > turn.upto && seq <= upto);
  if (!entries.length) return;
  const at = one.conversation.length - 1;
  const shown = one.conversation[at];
  if (shown?.role === "inbox" && shown.entries.some(({ seq }) => seq > one.read))
    one.conversation[at] = { ...shown, entries: [...shown.entries, ...entries] };
  else say(one, { role: "inbox", entries });
}

/** Mail that was shown and not handled is removed from the transcript: it is shown again. */
export function removeUnread(one: Thinker): void {
  const shown = one.conversation.at(-1);
  if (shown?.role === "inbox" && shown.entries.some((entry) => entry.seq > one.read)) one.conversation.pop();
}
