/**
 * What a noun of the core does: how its commands are decided, how events change its part of the state, what follows by itself, and what time
 * brings. What it is (events, commands, state) is in the schema's file of its name; nouns.ts puts all of them together.
 *
 * `decide` is pure and throws a Problem; it never changes the state. `reduce` never throws, for any event after any log:
 * an event that does not fit is a bug of `decide`, and a log that holds one still opens. Neither knows the clock or chance.
 */
import type { Command, CommandInput, CommandOf, CommandType } from "../schema/command.ts";
import type { Event, EventType, Fact } from "../schema/event.ts";
import type { Limits } from "./limits.ts";
import type { State } from "./state.ts";

export interface Context {
  /** Milliseconds since 1970. */
  now: number;
  /** Who wants it: a participant, `human` or `system`. */
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
 * When a reducer looks at an event; within a phase in the order of the nouns (schema/nouns.ts).
 * before: at the state as the event found it. own: each changes its own part. after: at what those made. fires: triggers. follows: what a fire
 * brings about, and rhythms. mail: who is told within the run. outside: and outside.
 */
export const phases = ["before", "own", "after", "fires", "follows", "mail", "outside"] as const;

export interface Reducer {
  phase: (typeof phases)[number];
  /** The types it looks at; all others leave it as it is, so it is not asked about them. */
  looksAt: readonly EventType[];
  reduce: Reduce;
}

/**
 * In which order rules are asked what follows; within a phase in the order of the nouns.
 * interrupt: calls for what is over are given up. close: what is over is ended. begin: runs and teams. answer: what was waited for. limit: who gets nowhere. assign: who is free gets work.
 */
export const rulePhases = ["interrupt", "close", "begin", "answer", "limit", "assign"] as const;

/** What one file of a noun does. A noun may have several. */
export interface Behaviour {
  decide?: object;
  reduce?: readonly Reducer[];
  settle?: readonly { phase: (typeof rulePhases)[number]; rule: Settle }[];
  /** While the agent is in one of these states. */
  appointments?: { while: readonly ("active" | "paused")[]; of: Appointments };
  /** Types that nobody looks at: the log has them for people. */
  silent?: readonly EventType[];
}

export const behaves = <const B extends Behaviour>(behaviour: B): B => behaviour;

/** Times beyond the year 9999 have no ISO form that sorts as text: the last one that has stands for them. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");
export function iso(ms: number): string {
  // All that is decided in one moment has the same time.
  if (ms !== last.ms) last = { ms, text: new Date(Math.min(ms, latest)).toISOString() };
  return last.text;
}
let last = { ms: 0, text: new Date(0).toISOString() };
