/** Cursors that are a seq: of the last event that a page has seen. */
import { Problem } from "../schema/problem.ts";

/** The seq in a cursor; undefined without one. */
export function seqOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^(0|[1-9]\d{0,14})$/.test(cursor)) return Number(cursor);
  throw new Problem("invalid", `the cursor ${JSON.stringify(cursor)} is not one of ours; it is the seq of an event`);
}

/** Nobody can have seen what did not happen: such a cursor is of another agent, or of a home that was set back. */
export function assertPast(agent: string, after: number, last: number): void {
  if (after > last)
    throw new Problem("invalid", `the cursor ${after} is ahead of ${agent}, whose last event is ${last}`, { last });
}
