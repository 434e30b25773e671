/**
 * The fold: state after event. Never throws, uses no clock and no randomness, and runs the same in the browser. An event of an unknown type moves
 * seq and nothing else.
 */
import { type Event, isEventType } from "../schema/event.ts";
import { createdIds } from "./created-ids.ts";
import type { Reduce } from "./noun.ts";
import { reducers } from "./nouns.ts";
import type { State } from "./state.ts";
import { callKey } from "./turn/call-key.ts";

interface Kind {
  parts: Reduce[];
  /** A turn or a message: on_idle counts from it, unless a firing brought it about for nothing. */
  active: boolean;
}

/** Cached per type: this runs for every event of every opening. */
const kinds = new Map<string, Kind>();

function kindOf(type: string): Kind | undefined {
  if (!isEventType(type)) return undefined;
  const noun = type.slice(0, type.indexOf("."));
  const parts = reducers.flatMap(({ looksAt, reduce }) => (looksAt.includes(type) ? [reduce] : []));
  const kind = { parts, active: noun === "turn" || noun === "message" };
  kinds.set(type, kind);
  return kind;
}

export function reduce(state: State, event: Event): State {
  if (isLaterHour(event.ts, state.at)) forget(state, event.ts);
  state.seq = event.seq;
  state.at = event.ts;
  const kind = kinds.get(event.type) ?? kindOf(event.type);
  if (!kind) return state;
  const quiet = kind.active && isQuiet(state, event);
  for (let index = 0; index < kind.parts.length; index++) kind.parts[index]!(state, event);
  if (kind.active && !quiet && !isQuiet(state, event)) state.active_at = event.ts;
  if (event.cause) remember(state, event);
  return state;
}

/** By a participant that a firing woke and that made no progress since: else on_idle would trigger itself again and again. */
function isQuiet(state: State, { data }: Event): boolean {
  const one = state.participants.get("participant" in data ? data.participant : "from" in data ? data.from : "");
  return one !== undefined && one.kind !== "human" && one.quiet === true;
}

export function fold(state: State, events: Iterable<Event>): State {
  for (const event of events) reduce(state, event);
  return state;
}

const day = 86_400_000;

/** A cause with a print is a command's idempotency key; all events of the command have it. See decide.ts. */
function remember(state: State, event: Event): void {
  const cause = event.cause!;
  const at = cause.indexOf("#");
  if (at < 0 || at === cause.length - 1) return;
  const key = cause.slice(0, at);
  const seen = state.keys.get(key);
  if (seen) return void state.keys.set(key, { ...seen, made: { ...createdIds(event), ...seen.made } });
  const { seq, ts } = event;
  state.keys.set(key, { seq, print: cause.slice(at + 1), at: ts, made: createdIds(event) });
}

/** Compares the last digits of the day and the hour: a jump that it misses is noticed in the next hour. */
const isLaterHour = (a: string, b: string): boolean =>
  a.charCodeAt(12) !== b.charCodeAt(12) || a.charCodeAt(9) !== b.charCodeAt(9);

/** Once an hour instead of with every key: removing the oldest entry of a Map again and again walks over the gaps it left. */
function forget(state: State, ts: string): void {
  const limit = Date.parse(ts) - day;
  const open = openTurns(state);
  for (const [old, { at }] of state.keys) {
    if (Date.parse(at) > limit) break;
    if (!open.some((turn) => old.startsWith(turn))) state.keys.delete(old);
  }
}

/** What the keys of their calls begin with. A turn that a crash interrupted repeats its calls whenever it resumes, if that is days later. */
function openTurns(state: State): string[] {
  return [...state.participants.values()].flatMap((one) =>
    one.kind !== "human" && one.turn ? callKey(state, one.turn.id, "") : [],
  );
}
