/**
 * The behaviour of a noun of the core: how its commands are decided, how events change its part of the state, what follows by itself, and what time
 * brings. Its shapes (events, commands, state) are in the schema's file of its name; nouns.ts combines all of them.
 *
 * `decide` is pure and throws a Problem; it never changes the state. `reduce` never throws, for any event after any log: an event that does not fit
 * is a bug of `decide`, and a log that holds one still opens. Neither uses the clock or randomness.
 */
import type { Command, CommandInput, CommandOf, CommandType } from "../schema/command.ts";
import type { Event, EventType, Fact } from "../schema/event.ts";
import type { Limits } from "./limits.ts";
import type { State } from "./state.ts";

export interface Context {
  /** Milliseconds since 1970. */
  now: number;
  /** Who sent the command: a participant, `human` or `system`. */
  actor: string;
  limits: Limits;
}

export type Decide<C extends Command> = (state: State, command: C, context: Context) => Fact[];
export type Deciders<T extends CommandType> = { [K in T]: Decide<CommandOf<K>> };
export type Reduce = (state: State, event: Event) => void;
/** What follows from the state by itself, level-triggered: asked again after every change and after every restart. */
export type Settle = (state: State, context: Context) => Fact[];
/** What changes by time alone: when, and which command is due then. Asked after every change. */
export type Appointments = (state: State) => { at: string; command: CommandInput }[];

/**
 * When a reducer sees an event; within a phase in the order of the nouns (schema/nouns.ts).
 * before: the state as the event found it. own: each changes its own part. after: what those made. fires: triggers. follows: effects of a firing,
 * and rhythms. mail: inboxes within the run. outside: deliveries.
 */
export const phases = ["before", "own", "after", "fires", "follows", "mail", "outside"] as const;

export interface Reducer {
  phase: (typeof phases)[number];
  /** The event types it handles; it is not called for any other. */
  looksAt: readonly EventType[];
  reduce: Reduce;
}

/**
 * The order in which rules are asked what follows; within a phase in the order of the nouns.
 * interrupt: calls for what is over are given up. close: what is over is ended. begin: runs and teams. answer: waits end. limit: stalls. assign:
 * idle workers get nodes.
 */
export const rulePhases = ["interrupt", "close", "begin", "answer", "limit", "assign"] as const;

/** The behaviour in one file of a noun. A noun may have several. */
export interface Behaviour {
  decide?: object;
  reduce?: readonly Reducer[];
  settle?: readonly { phase: (typeof rulePhases)[number]; rule: Settle }[];
  /** While the agent is in one of these states. */
  appointments?: { while: readonly ("active" | "paused")[]; of: Appointments };
  /** Types that no reducer handles: they are in the log for people. */
  silent?: readonly EventType[];
}

export const defineBehaviour = <const B extends Behaviour>(behaviour: B): B => behaviour;

/** Times beyond the year 9999 have no ISO form that sorts as text; they are clamped. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");
export function iso(ms: number): string {
  // Everything decided in one moment has the same time.
  if (ms !== last.ms) last = { ms, text: new Date(Math.min(ms, latest)).toISOString() };
  return last.text;
}
let last = { ms: 0, text: new Date(0).toISOString() };
