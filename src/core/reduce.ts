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
import { reduceTriggers } from "./trigger.ts";
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
  reduceTriggers,
  reduceReruns,
  reduceCycle,
  reduceInboxes,
  reduceDeliveries,
];

/** Which reducers look at which nouns; in this order. Triggers look at everything. */
const concerned: Record<string, Reduce[]> = {
  agent: [
    reduceNodes,
    reduceAgent,
    reduceRun,
    reduceWorkers,
    reduceBudget,
    reduceQuestions,
    reduceTriggers,
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
    reduceTriggers,
    reduceReruns,
    reduceCycle,
    reduceInboxes,
    reduceDeliveries,
  ],
  stage: [reduceStages, reduceTriggers, reduceCycle, reduceInboxes, reduceDeliveries],
  worker: [reduceWorkers, reduceNodes, reduceTriggers, reduceCycle, reduceInboxes, reduceDeliveries],
  turn: [reduceBudget, reduceContext, reduceTurns, reduceQueue, reduceNodeTurns, reduceCycle],
  tool: [reduceTurns, reduceTaint, reduceTalk, reduceCycle],
  context: [reduceContext],
  message: [
    reduceMessages,
    reduceTaint,
    reduceAgent,
    reduceTalk,
    reduceTriggers,
    reduceCycle,
    reduceInboxes,
    reduceDeliveries,
  ],
  inbox: [reduceInboxes],
  question: [
    reduceQuestions,
    reduceTaint,
    reduceAgent,
    reduceTurns,
    reduceNodeWords,
    reduceWorkers,
    reduceTalk,
    reduceTriggers,
    reduceCycle,
    reduceInboxes,
    reduceDeliveries,
  ],
  delivery: [reduceDeliveries],
  document: [reduceDocuments, reduceFiles, reduceTriggers, reduceCycle],
  resource: [reduceResources, reduceTriggers, reduceCycle],
  proposal: [reduceProposals, reduceTriggers, reduceCycle, reduceInboxes, reduceDeliveries],
  suggestion: [reduceSuggestions, reduceTriggers, reduceCycle, reduceInboxes],
  trigger: [reduceTriggers, reduceReruns, reduceInboxes, reduceDeliveries],
  cycle: [reduceCycle, reduceInboxes],
  budget: [reduceBudget, reduceTriggers, reduceCycle],
  file: [reduceFiles, reduceTriggers, reduceCycle],
  memory: [reduceTaint, reduceTriggers],
  log: [reduceTurns],
};

interface Kind {
  parts: Reduce[];
  /** A turn or a message: what on_idle counts from. */
  active: boolean;
}

/** Looked up once for each type: this runs for every event of every opening. */
const kinds = new Map<string, Kind>();

function kindOf(type: string): Kind | undefined {
  if (!isEventType(type)) return undefined;
  const noun = type.slice(0, type.indexOf("."));
  const kind = { parts: concerned[noun] ?? [], active: noun === "turn" || noun === "message" };
  kinds.set(type, kind);
  return kind;
}

export function reduce(state: State, event: Event): State {
  if (isLaterHour(event.ts, state.at)) forget(state, event.ts);
  state.seq = event.seq;
  state.at = event.ts;
  const kind = kinds.get(event.type) ?? kindOf(event.type);
  if (!kind) return state;
  if (kind.active) state.active_at = event.ts;
  for (let index = 0; index < kind.parts.length; index++) kind.parts[index]!(state, event);
  if (event.cause) remember(state, event);
  return state;
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
