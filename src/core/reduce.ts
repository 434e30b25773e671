/**
 * The fold: state after event. Never throws, knows no clock and no chance, and runs in the browser as it runs here.
 * An event of an unknown type moves seq and nothing else.
 */
import { type Event, isEventType } from "../schema/event.ts";
import { reduceAgent } from "./agent.ts";
import { reduceBudget } from "./budget.ts";
import { reduceContext } from "./context.ts";
import { reduceDocuments } from "./document.ts";
import { reduceFiles } from "./file.ts";
import { reduceInboxes } from "./inbox.ts";
import { made } from "./made.ts";
import { reduceMessages } from "./message.ts";
import { reduceNodes, reduceNodeTurns } from "./node.ts";
import type { Reduce } from "./noun.ts";
import { reduceProposals } from "./proposal.ts";
import { reduceQuestions } from "./question.ts";
import { reduceResources } from "./resource.ts";
import { reduceRun } from "./run.ts";
import { reduceStages } from "./stage.ts";
import type { State } from "./state.ts";
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
  reduceQuestions,
  reduceDocuments,
  reduceResources,
  reduceProposals,
  reduceFiles,
  reduceTriggers,
  reduceInboxes,
];

/** Which reducers look at which nouns; in this order. Triggers look at everything. */
const concerned: Record<string, Reduce[]> = {
  agent: [reduceNodes, reduceAgent, reduceRun, reduceWorkers, reduceBudget, reduceTriggers],
  run: all,
  node: [reduceNodes, reduceWorkers, reduceTalk, reduceTriggers, reduceInboxes],
  stage: [reduceStages, reduceTriggers, reduceInboxes],
  worker: [reduceWorkers, reduceNodes, reduceTriggers, reduceInboxes],
  turn: [reduceBudget, reduceContext, reduceTurns, reduceNodeTurns],
  tool: [reduceTurns, reduceTalk],
  context: [reduceContext],
  message: [reduceMessages, reduceTalk, reduceTriggers, reduceInboxes],
  inbox: [reduceInboxes],
  question: [reduceQuestions, reduceTurns, reduceWorkers, reduceTalk, reduceTriggers, reduceInboxes],
  document: [reduceDocuments, reduceFiles, reduceTriggers],
  resource: [reduceResources, reduceTriggers],
  proposal: [reduceProposals, reduceTriggers, reduceInboxes],
  trigger: [reduceTriggers, reduceInboxes],
  budget: [reduceBudget, reduceTriggers],
  file: [reduceFiles, reduceTriggers],
  log: [reduceTurns],
};

export function reduce(state: State, event: Event): State {
  if (event.ts.slice(0, 13) !== state.at.slice(0, 13)) forget(state, event.ts);
  state.seq = event.seq;
  state.at = event.ts;
  if (!isEventType(event.type)) return state;
  const noun = event.type.slice(0, event.type.indexOf("."));
  if (noun === "turn" || noun === "message") state.active_at = event.ts;
  for (const part of concerned[noun] ?? []) part(state, event);
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
  const [key, print] = event.cause!.split("#") as [string, string | undefined];
  if (!print) return;
  const seen = state.keys.get(key);
  if (seen) return void state.keys.set(key, { ...seen, made: { ...made(event), ...seen.made } });
  const { seq, ts } = event;
  state.keys.set(key, { seq, print, at: ts, made: made(event) });
}

/** Once an hour and not with every key: taking the oldest entry out of a Map again and again walks over the gaps it left. */
function forget(state: State, ts: string): void {
  const limit = Date.parse(ts) - day;
  for (const [old, { at }] of state.keys) {
    if (Date.parse(at) > limit) break;
    state.keys.delete(old);
  }
}
