/**
 * Big groups are folded: in a graph of many nodes a whole column of which everything is over is shown as one stack, in the place of its first
 * node. Nothing else moves: the column keeps its width and the rest its places.
 */
import type { CardView } from "./cards.ts";
import type { Plan } from "./layout.ts";

export interface Stack {
  /** Of its column. */
  id: string;
  column: number;
  first: string;
  members: readonly CardView[];
}

/** From so many nodes on. */
export const many = 40;
const least = 4;

export function stacksOf(plan: Plan, cards: readonly CardView[], opened: ReadonlySet<string> | "all"): Stack[] {
  if (cards.length < many || opened === "all") return [];
  const columns = new Map<number, CardView[]>();
  for (const one of cards) {
    const column = plan.at.get(one.id)!.column;
    const there = columns.get(column);
    if (there) there.push(one);
    else columns.set(column, [one]);
  }
  return [...columns].flatMap(([column, members]) => {
    const id = `stack-${column}`;
    const over = members.every(({ status }) => status === "completed" || status === "cancelled");
    if (!over || members.length < least || opened.has(id)) return [];
    return [{ id, column, first: members[0]!.id, members }];
  });
}
