/**
 * What a noun says of itself: its events, its commands, what the state holds of it. What it does is in core, in the file of its name.
 *
 * Everything that is a list of all nouns (nouns.ts) derives from these: the unions of events and commands, the state, the reference.
 */
import type { Upcasters } from "./upcast.ts";

export interface NounShape {
  name: string;
  /** Zod shapes by type. Not said to the compiler: comparing each with all a shape may be costs it more than all the rest of the check. */
  events: object;
  commands: object;
  /** How older shapes of its events are read; see upcast.ts. */
  upcasters?: Upcasters;
  /** What the state holds of it before the first event. Maps are kept and their values replaced; see core/state.ts. */
  state: () => object;
  /** What people read about in the reference, by name. */
  reference?: object;
}

export const defineNoun = <const N extends NounShape>(noun: N): N => noun;

/** The fields of all members of a union, in one object. */
export type Merged<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A) => void
  ? { [K in keyof A]: A[K] }
  : never;
