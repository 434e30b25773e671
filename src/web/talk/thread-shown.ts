/**
 * What is handed out of the items of a thread: copies, so that what was handed out stays as it was; turns without a word put together with the turn
 * before; a line above what is new, and one above each day.
 */
import type { Item, Worked } from "./thread-item.ts";

/** What came after the first and up to the second was not read when the thread was opened. */
export type Unread = readonly [after: number, upto: number];

export function createShown(
  isShown: (item: Item) => boolean,
  unread: Unread | undefined,
): (items: readonly Item[]) => readonly Item[] {
  const copies: { item: Item; shown: boolean }[] = [];
  const together = createTogether();
  let last: readonly Item[] = [];
  return (items) => {
    let changed = false;
    for (const [at, item] of items.entries()) {
      const copy = copies[at];
      if (copy?.item.rev === item.rev) continue;
      const now = item.kind === "asked" ? { ...item, question: { ...item.question } } : { ...item };
      if (item.kind === "turn") (now as Worked).calls = [...item.calls];
      const shown = isShown(now);
      changed ||= shown || (copy?.shown ?? false);
      copies[at] = { item: now, shown };
    }
    if (changed) last = withDays(withNew(together(copies.flatMap(({ item, shown }) => (shown ? [item] : []))), unread));
    return last;
  };
}

/** Calls of one row; more would be too much to draw at once. */
const mostCalls = 24;
const togetherMs = 300_000;

/**
 * Turns without a word go on with the turn before: what they did stands in one list, so the same kinds can be one line. What was put together
 * is the same object until one of the two changes.
 */
function createTogether(): (items: readonly Item[]) => Item[] {
  const known = new WeakMap<Item, { before: Item; made: Item }>();
  return (items) => {
    const found: Item[] = [];
    for (const item of items) {
      const before = found.at(-1);
      if (!before || !goesOn(before, item)) {
        found.push(item);
        continue;
      }
      let one = known.get(item);
      if (one?.before !== before) {
        const calls = [...(before as Worked).calls, ...(item as Worked).calls];
        one = { before, made: { ...(before as Worked), calls, rev: Math.max(before.rev, item.rev) } };
        known.set(item, one);
      }
      found[found.length - 1] = one.made;
    }
    return found;
  };
}

const goesOn = (before: Item, item: Item): boolean =>
  item.kind === "turn" &&
  before.kind === "turn" &&
  before.by === item.by &&
  !item.text.trim() &&
  before.calls.length > 0 &&
  before.calls.length + item.calls.length <= mostCalls &&
  Date.parse(item.at) - Date.parse(before.at) < togetherMs;

/** A line above the first that the human has not read, if anything is above it. Who has read nothing yet needs none. */
function withNew(items: Item[], [after, upto]: Unread = [0, 0]): Item[] {
  if (after === 0) return items;
  const first = items.findIndex((item) => item.seq > after && item.seq <= upto && isForHuman(item));
  const { seq = 0, at = "" } = items[first] ?? {};
  return first < 1 ? items : items.toSpliced(first, 0, { kind: "new", key: `new${after}`, at, rev: seq, seq });
}

/** A question is not counted: it says itself that it waits. */
const isForHuman = (item: Item): boolean =>
  item.kind === "answer" || (item.kind === "said" && item.from !== "human" && item.to.includes("human"));

/** Of each item its day, and the line above it if it is the first of that day: asked for all of them again and again. */
const days = new WeakMap<Item, { day: string; begins: Item }>();

function dayOf(item: Item): { day: string; begins: Item } {
  let known = days.get(item);
  if (!known) {
    const { at, seq } = item;
    known = { day: new Date(at).toDateString(), begins: { kind: "day", key: `d${seq}`, at, rev: seq, seq } };
    days.set(item, known);
  }
  return known;
}

function withDays(items: readonly Item[]): Item[] {
  const found: Item[] = [];
  let today = "";
  for (const item of items) {
    const { day, begins } = dayOf(item);
    if (day !== today) found.push(begins);
    today = day;
    found.push(item);
  }
  return found;
}
