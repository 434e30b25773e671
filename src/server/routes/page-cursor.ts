/** Cursors for pagination: opaque to callers, and each valid for one kind of list only. */
import { Problem } from "../../schema/problem.ts";

/** `at`: the position that the page ended at. */
export const cursorOf = (kind: string, at: string): string => Buffer.from(`${kind}:${at}`).toString("base64url");

/** Throws `invalid` for a cursor of another kind. */
export function readCursor(kind: string, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, "base64url").toString();
  if (!text.startsWith(`${kind}:`) || cursorOf(kind, text.slice(kind.length + 1)) !== cursor)
    throw new Problem("invalid", "invalid cursor for this list; use `next` of a previous page, or omit it");
  return text.slice(kind.length + 1);
}

/** A page of an in-memory list whose items keep their ids. A cursor whose item is gone is `stale`. */
export function pageOf<Item extends { id: string }>(
  kind: string,
  items: readonly Item[],
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): { items: Item[]; next: string | null } {
  const after = readCursor(kind, cursor);
  const begin = after === undefined ? 0 : items.findIndex(({ id }) => id === after) + 1;
  if (after !== undefined && begin === 0)
    throw new Problem("stale", `the cursor ${after} is no longer in this list; omit it to start over`);
  const taken = items.slice(begin, begin + limit);
  const last = taken.at(-1);
  return { items: taken, next: last && begin + limit < items.length ? cursorOf(kind, last.id) : null };
}

/** The seq in a cursor; undefined without one. */
export function seqOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined;
  if (/^(0|[1-9]\d{0,14})$/.test(cursor)) return Number(cursor);
  throw new Problem("invalid", `invalid cursor ${JSON.stringify(cursor)}; expected the seq of an event`);
}

/** A cursor beyond the end is of another agent, or of a home that was restored from a backup. */
export function assertPast(agent: string, after: number, last: number): void {
  if (after > last)
    throw new Problem("invalid", `the cursor ${after} is beyond the last event of ${agent}, ${last}`, { last });
}
