/**
 * The fold: state after event. Never throws, knows no clock and no chance, and runs in the browser as it runs here.
 * An event of an unknown type moves seq and nothing else.
 */
import { type Event, isEventType } from "../schema/event.ts";
import { reduceAgent } from "./agent.ts";
import { reduceBudget } from "./budget.ts";
import { reduceContext } from "./context.ts";
import { reduceCycle } from "./cycle.ts";
import { reduceDeliveries } from "./delivery.ts";
import { reduceDocuments } from "./document.ts";
import { reduceFiles } from "./file.ts";
import { reduceInboxes } from "./inbox.ts";
import { made } from "./made.ts";
import { reduceMessages } from "./message.ts";
import { reduceNodes, reduceNodeTurns, reduceNodeWords } from "./node.ts";
import type { Reduce } from "./noun.ts";
import { reduceProposals } from "./proposal.ts";
import { reduceQuestions } from "./question.ts";
import { reduceQueue } from "./queue.ts";
import { reduceReruns } from "./rerun.ts";
import { reduceResources } from "./resource.ts";
import { reduceRun } from "./run.ts";
import { reduceStages } from "./stage.ts";
import type { State } from "./state.ts";
import { reduceSuggestions } from "./suggestion.ts";
import { reduceTaint } from "./taint.ts";
import { reduceTalk } from "./talk.ts";
import { isHeard, reduceTriggers } from "./trigger.ts";
import { reduceTurns } from "./turn.ts";
import { reduceWorkers } from "./worker.ts";

const all = [
  reduceAgent,
  reduceRun,
  reduceNodes,
  reduceStages,
  reduceWorkers,
  reduceTurns,
  reduceNodeTurns,
  reduceBudget,
  reduceMessages,
  reduceTalk,
  reduceSuggestions,
  reduceQuestions,
  reduceTaint,
  reduceDocuments,
  reduceResources,
  reduceProposals,
  reduceFiles,
  reduceReruns,
  reduceCycle,
  reduceInboxes,
  reduceDeliveries,
];

/** Which reducers look at which nouns; in this order. Triggers are not among them: they look at whatever can fire one. */
const concerned: Record<string, Reduce[]> = {
  agent: [
    reduceNodes,
    reduceAgent,
    reduceRun,
    reduceWorkers,
    reduceBudget,
    reduceQuestions,
    reduceCycle,
    reduceInboxes,
    reduceDeliveries,
  ],
  run: all,
  node: [
    reduceNodes,
    reduceWorkers,
    reduceTalk,
    reduceSuggestions,
    reduceReruns,
    reduceCycle,
    reduceInboxes,
    reduceDeliveries,
  ],
  stage: [reduceStages, reduceCycle, reduceInboxes, reduceDeliveries],
  worker: [reduceWorkers, reduceNodes, reduceNodeTurns, reduceCycle, reduceInboxes, reduceDeliveries],
  turn: [reduceBudget, reduceContext, reduceTurns, reduceQueue, reduceNodeTurns, reduceCycle],
  tool: [reduceTurns, reduceTaint, reduceTalk, reduceCycle],
  context: [reduceContext],
  message: [reduceMessages, reduceTaint, reduceAgent, reduceTalk, reduceCycle, reduceInboxes, reduceDeliveries],
  inbox: [reduceInboxes],
  question: [
    reduceQuestions,
    reduceTaint,
    reduceAgent,
    reduceTurns,
    reduceNodeWords,
    reduceWorkers,
    reduceTalk,
    reduceCycle,
    reduceInboxes,
    reduceDeliveries,
  ],
  delivery: [reduceDeliveries],
  document: [reduceDocuments, reduceFiles, reduceCycle],
  resource: [reduceResources, reduceCycle],
  proposal: [reduceProposals, reduceCycle, reduceInboxes, reduceDeliveries],
  suggestion: [reduceSuggestions, reduceCycle, reduceInboxes],
  trigger: [reduceTriggers, reduceReruns, reduceInboxes, reduceDeliveries],
  cycle: [reduceCycle, reduceInboxes],
  budget: [reduceBudget, reduceCycle],
  file: [reduceFiles, reduceCycle],
  memory: [reduceTaint],
  log: [reduceTurns],
};

interface Kind {
  parts: Reduce[];
  /** A turn or a message: what on_idle counts from, unless it is one of those that a fire brought about for nothing. */
  active: boolean;
}

/** Looked up once for each type: this runs for every event of every opening. */
const kinds = new Map<string, Kind>();

function kindOf(type: string): Kind | undefined {
  if (!isEventType(type)) return undefined;
  const noun = type.slice(0, type.indexOf("."));
  const kind = { parts: withTriggers(noun, concerned[noun] ?? []), active: noun === "turn" || noun === "message" };
  kinds.set(type, kind);
  return kind;
}

/** What follows from a fire, and who is told, comes after it. */
const afterTriggers: ReadonlySet<Reduce> = new Set([reduceReruns, reduceCycle, reduceInboxes, reduceDeliveries]);

function withTriggers(noun: string, parts: readonly Reduce[]): Reduce[] {
  if (!isHeard(noun)) return [...parts];
  const at = parts.findIndex((one) => afterTriggers.has(one));
  return parts.toSpliced(at < 0 ? parts.length : at, 0, reduceTriggers);
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

/** Done or said by someone whom a fire woke and who has done nothing that lasts since: else on_idle would be its own cause, again and again. */
function isQuiet(state: State, { data }: Event): boolean {
  const one = state.participants.get("participant" in data ? data.participant : "from" in data ? data.from : "");
  return one !== undefined && one.kind !== "human" && one.quiet === true;
}

export function fold(state: State, events: Iterable<Event>): State {
  for (const event of events) reduce(state, event);
  return state;
}

const day = 86_400_000;

/** A cause that carries a print is a command's key; all events of the command have it. See decide.ts. */
function remember(state: State, event: Event): void {
  const cause = event.cause!;
  const at = cause.indexOf("#");
  if (at < 0 || at === cause.length - 1) return;
  const key = cause.slice(0, at);
  const seen = state.keys.get(key);
  if (seen) return void state.keys.set(key, { ...seen, made: { ...made(event), ...seen.made } });
  const { seq, ts } = event;
  state.keys.set(key, { seq, print: cause.slice(at + 1), at: ts, made: made(event) });
}

/** By the last digits of the day and the hour: a jump that it overlooks is made good by the next hour. */
const isLaterHour = (a: string, b: string): boolean =>
  a.charCodeAt(12) !== b.charCodeAt(12) || a.charCodeAt(9) !== b.charCodeAt(9);

/** Once an hour and not with every key: taking the oldest entry out of a Map again and again walks over the gaps it left. */
function forget(state: State, ts: string): void {
  const limit = Date.parse(ts) - day;
  for (const [old, { at }] of state.keys) {
    if (Date.parse(at) > limit) break;
    state.keys.delete(old);
  }
}
