/** The key of a tool call. A file of its own, because many files need it and it needs none of them. */
import type { State } from "../state.ts";

/** Identifies one tool call for ever, across crashes, runs and agents (idempotency key). */
export const callKey = (state: State, turn: string, call: string): string =>
  `${state.agent?.id}/${state.run?.id}/${turn}/${call}`;
