/** The places of every run somebody looked at, kept while the page is open: whichever view shows it, it stands where it stood. */
import type { State } from "../../core/state.ts";
import { itemsOf } from "./cards.ts";
import { emptyPlan, grow, type Plan } from "./layout.ts";

const plans = new Map<string, Plan>();

export function planOf(state: State): Plan {
  const key = `${state.agent?.id} ${state.run?.id} ${state.run?.started_at}`;
  const plan = grow(plans.get(key) ?? emptyPlan, itemsOf(state));
  plans.set(key, plan);
  return plan;
}
