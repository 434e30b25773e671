/**
 * What a noun of the core consists of: how its commands are decided, and how events change its part of the state.
 *
 * `decide` is pure and throws a Problem; it never changes the state. `reduce` never throws, for any event after any log:
 * an event that does not fit is a bug of `decide`, and a log that holds one still opens. Neither knows the clock or chance.
 */
import type { Command, CommandInput, CommandOf, CommandType } from "../schema/command.ts";
import type { Event, Fact } from "../schema/event.ts";
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

/** Times beyond the year 9999 have no ISO form that sorts as text: the last one that has stands for them. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");
export function iso(ms: number): string {
  // All that is decided in one moment has the same time.
  if (ms !== last.ms) last = { ms, text: new Date(Math.min(ms, latest)).toISOString() };
  return last.text;
}
let last = { ms: 0, text: new Date(0).toISOString() };
