/**
 * The shape of a noun: its events, its commands, its part of the state. Its behaviour is in core, in the file of its name.
 *
 * The lists over all nouns derive from these (nouns.ts): the unions of events and commands, the state, the reference.
 */
import type { Upcasters } from "./upcast.ts";

export interface NounShape {
  name: string;
  /** Zod schemas by type. Not typed more closely: comparing each with the type of a schema would cost the compiler more than the rest of the check. */
  events: object;
  commands: object;
  /** How older shapes of its events are upcast; see upcast.ts. */
  upcasters?: Upcasters;
  /** Its part of the state before the first event. Maps are kept and their values replaced; see core/state.ts. */
  state: () => object;
  /** Schemas shown in the reference, by name. */
  reference?: object;
}

export const defineNoun = <const N extends NounShape>(noun: N): N => noun;

/** The fields of all members of a union, in one object. */
export type Merged<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer A) => void
  ? { [K in keyof A]: A[K] }
  : never;
