/**
 * The state of one agent: a fold of its log and nothing else.
 *
 * The maps of the state are kept and their values replaced, never edited, so that folding a long log stays fast and a value once handed out stays
 * valid. Four lists are edited in place, because copying them with every event made a long conversation quadratic: `past`, `channel`, and of each
 * participant `unread` and `conversation`. A caller that keeps one of these must copy it. Their elements are never edited.
 * It is bounded by what is live: an ended run is kept as one line, the channel as its last messages; the log has the rest.
 * Any prefix of a log folds to a valid state.
 */
import type { Merged } from "../schema/noun.ts";
import { type AnyNoun, nouns } from "../schema/nouns.ts";

/** The fields that belong to no noun. */
interface Common {
  /** Of the last event. */
  seq: number;
  /** Time of the last event; empty before the first. */
  at: string;
  /** Time of the last turn or message: on_idle counts from it. A firing that woke somebody for nothing does not count. */
  active_at: string;
  /** Idempotency: commands seen, by key: their first seq, the fingerprint of the command, the time, what they created. Forgotten after a day. */
  keys: Map<string, { seq: number; print: string; at: string; made: Record<string, string> }>;
  counts: { messages: number; messages_before_run: number; triggers: number };
}

/** Each noun declares its part: `state` in its schema file. */
export interface State extends Common, Merged<ReturnType<AnyNoun["state"]>> {}

export function emptyState(): State {
  const common: Common = {
    seq: 0,
    at: "",
    active_at: "",
    keys: new Map(),
    counts: { messages: 0, messages_before_run: 0, triggers: 0 },
  };
  return Object.assign(common, ...nouns.map((noun) => noun.state())) as State;
}

/** To plain JSON. Lists that grow in place are copied, so the result never changes. */
export function freezeState(state: State): unknown {
  const participants = [...state.participants].map(([id, one]) => [
    id,
    { ...one, unread: [...one.unread], ...("conversation" in one ? { conversation: [...one.conversation] } : {}) },
  ]);
  const frozen = Object.entries(state).map(([name, value]) => [
    name,
    value instanceof Map || Array.isArray(value) ? [...value] : value,
  ]);
  return { ...Object.fromEntries(frozen), participants };
}

/** The same text for equal states, however they came about. */
export const canonical = (state: State): string => JSON.stringify(inOrder(freezeState(state)));

/** With the fields of every object in the order of their names. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const given = value as Record<string, unknown>;
  const names = Object.keys(given).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(given[name])]));
}

/** Compares as `canonical` would, without serialising either. */
export const sameState = (a: State, b: State): boolean => same(a, b);

function same(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (a instanceof Map || b instanceof Map)
    return a instanceof Map && b instanceof Map && a.size === b.size && same([...a], [...b]);
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((one, at) => same(one, b[at]));
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const name in left) if (!same(left[name], right[name])) return false;
  for (const name in right) if (right[name] !== undefined && left[name] === undefined) return false;
  return true;
}

export function thawState(frozen: unknown): State {
  const empty = emptyState();
  const given = frozen as Record<string, unknown>;
  const entries = Object.entries(empty).map(([name, value]) => [
    name,
    value instanceof Map ? new Map(given[name] as [string, unknown][]) : given[name],
  ]);
  return Object.fromEntries(entries) as unknown as State;
}
