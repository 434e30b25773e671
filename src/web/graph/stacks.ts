/**
 * What can be folded into one card, in the place of its first node: a stage that is done, if it is narrow; in a graph of many nodes every
 * column of which everything is over. Nothing else moves: a folded column keeps its width and the rest its places.
 */
import type { State } from "../../core/state.ts";
import type { CardView } from "./cards.ts";
import { endOf, type Plan, sectionOf } from "./layout.ts";

export interface Stack {
  id: string;
  /** The name of its stage, if it is a whole stage. */
  name?: string;
  column: number;
  first: string;
  members: readonly CardView[];
}

/** From so many nodes on columns fold by themselves. */
export const foldFrom = 40;
const least = { stage: 3, column: 4 };
/** A wider stage would leave a hole. */
const narrow = 2;

export function stacksOf(state: State, plan: Plan, cards: readonly CardView[]): Stack[] {
  const groups = new Map<string, CardView[]>();
  for (const one of cards) {
    const { column } = plan.at.get(one.id)!;
    const section = sectionOf(plan, column);
    const stage = plan.sections[section]!.stage;
    const whole = stage !== undefined && endOf(plan, section) - plan.sections[section]!.first <= narrow;
    const id = whole ? `stage-${section}` : `stack-${column}`;
    const there = groups.get(id);
    if (there) there.push(one);
    else groups.set(id, [one]);
  }
  return [...groups].flatMap(([id, members]) => {
    const [first] = members;
    const { column } = plan.at.get(first!.id)!;
    const stage = state.stages.get(plan.sections[sectionOf(plan, column)]!.stage ?? "");
    const whole = id.startsWith("stage-");
    const over = members.every(({ ended_at, status }) => ended_at !== undefined && status !== "failed");
    if (!over || members.length < (whole ? least.stage : least.column)) return [];
    if (whole ? stage?.status !== "completed" : cards.length < foldFrom) return [];
    return [{ id, ...(whole ? { name: stage!.name } : {}), column, first: first!.id, members }];
  });
}
