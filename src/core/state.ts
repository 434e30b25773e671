/**
 * The state of one agent: a fold of its log and nothing else.
 *
 * The maps of the state are kept and their values replaced, never edited, so that folding a long log stays fast and a value once handed out
 * stays true. Four lists are edited in place, because copying them with every event made a long conversation quadratic: `past`, `channel`, and
 * of each participant `unread` and `conversation`. Whoever keeps one of these copies it. What lies in them is never edited.
 * It is bounded by what is live: an ended run is kept as one line, the channel as its last messages; the log has the rest.
 * Any prefix of a log folds to a valid state.
 */
import type { Agent } from "../schema/agent.ts";
import type { Account, Used } from "../schema/budget.ts";
import type { Cycle } from "../schema/cycle.ts";
import type { Delivery, KnownChannel } from "../schema/delivery.ts";
import type { Document } from "../schema/document.ts";
import type { NodeId, ParticipantId, StageId } from "../schema/ids.ts";
import type { Message } from "../schema/message.ts";
import type { Node } from "../schema/node.ts";
import type { Proposal } from "../schema/proposal.ts";
import type { Question } from "../schema/question.ts";
import type { Resource } from "../schema/resource.ts";
import type { Run } from "../schema/run.ts";
import type { Stage } from "../schema/stage.ts";
import type { Suggestion } from "../schema/suggestion.ts";
import type { Trigger } from "../schema/trigger.ts";
import type { Participant } from "../schema/worker.ts";
import { type Taint, untainted } from "./taint.ts";

export interface State {
  /** Of the last event. */
  seq: number;
  /** Time of the last event; empty before the first. */
  at: string;
  /** Time of the last turn or message: what on_idle counts from. Whoever a fire woke for nothing is not counted. */
  active_at: string;
  agent: Agent | null;
  /** Ended runs, oldest first. */
  past: Run[];
  run: Run | null;

  /* What belongs to the open run: */
  participants: Map<ParticipantId, Participant>;
  nodes: Map<NodeId, Node>;
  stages: Map<StageId, Stage>;
  channel: Message[];
  questions: Map<string, Question>;
  documents: Map<string, Document>;
  resources: Map<string, Resource>;
  proposals: Map<string, Proposal>;
  /** What workers suggested, decided or not; see suggestion.ts. */
  suggestions: Map<string, Suggestion>;
  /** Messages between two participants (`a b`, sorted) since something came of it, and whether the coordinator was told; see talk.ts. */
  talk: Map<string, { count: number; told: boolean }>;

  /* What outlives a run: */
  triggers: Map<string, Trigger>;
  /** Fires of on_event triggers that are due and not yet recorded: [trigger, fire id]. */
  fires: [trigger: string, fire: string][];
  /** Where the human can be reached outside, as the config said last, and what is still to be told there; see delivery.ts. */
  channels: Map<string, KnownChannel>;
  deliveries: Map<string, Delivery>;
  /** Nodes that a fire is to bring onto the board once more and that are not there yet. */
  reruns: { trigger: string; fire: string; node: NodeId }[];
  /** The rhythm of an agent without end; see cycle.ts. */
  cycle: Cycle | null;
  accounts: Map<string, Account>;
  /** What providers said was used, by model, over the agent's life. */
  usage: Map<string, Used>;
  /** Commands seen, by key: their first seq, the fingerprint of the command, the time, what they made. Forgotten after a day. */
  keys: Map<string, { seq: number; print: string; at: string; made: Record<string, string> }>;
  /** Who was read from outside, and what is not new since; see taint.ts. */
  taint: Taint;
  /** Files that people may edit by hand, with the hash last known to the log. */
  files: Map<string, string>;
  counts: { messages: number; messages_before_run: number; triggers: number };
}

export function emptyState(): State {
  return {
    seq: 0,
    at: "",
    active_at: "",
    agent: null,
    past: [],
    run: null,
    participants: new Map(),
    nodes: new Map(),
    stages: new Map(),
    channel: [],
    questions: new Map(),
    documents: new Map(),
    resources: new Map(),
    proposals: new Map(),
    suggestions: new Map(),
    talk: new Map(),
    triggers: new Map(),
    fires: [],
    channels: new Map(),
    deliveries: new Map(),
    reruns: [],
    cycle: null,
    accounts: new Map(),
    usage: new Map(),
    keys: new Map(),
    taint: untainted(),
    files: new Map(),
    counts: { messages: 0, messages_before_run: 0, triggers: 0 },
  };
}

/** Plain JSON and back. What grows in place is copied, so the result stays as it is now. */
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

/** Equal for equal states, however they came about. */
export const canonical = (state: State): string => JSON.stringify(inOrder(freezeState(state)));

/** With the fields of every object in the order of their names. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const given = value as Record<string, unknown>;
  const names = Object.keys(given).sort();
  return Object.fromEntries(names.map((name) => [name, inOrder(given[name])]));
}

/** As `canonical` would say, without writing either down. */
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
