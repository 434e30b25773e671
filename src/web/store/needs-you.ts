/** What waits for the human, over all agents whose state is here: longest waiting first. The queue and every count are made from it. */
import { type HumanItem, humanInbox } from "../../core/human-inbox.ts";
import type { State } from "../../core/state.ts";
import { useStates, useSummaries } from "./hooks.ts";

export interface Need extends HumanItem {
  agent: string;
}

export function useNeedsYou(): Need[] {
  return useStates()
    .flatMap(([agent, state]) => needsOf(agent, state))
    .sort((a, b) => (a.waiting_since! < b.waiting_since! ? -1 : 1));
}

/** Once per change of an agent, however many look at it. */
const known = new WeakMap<State, Need[]>();

function needsOf(agent: string, state: State): Need[] {
  const had = known.get(state);
  if (had) return had;
  const found = humanInbox(state, 0)
    .items.filter(({ waiting_since }) => waiting_since !== undefined)
    .map((item) => ({ ...item, agent }));
  known.set(state, found);
  return found;
}

/** Also of agents whose state is still on its way. */
export function useNeedsCount(): number {
  const needs = useNeedsYou();
  const here = new Set(useStates().map(([agent]) => agent));
  const others = useSummaries().filter(({ id }) => !here.has(id));
  return needs.length + others.reduce((sum, { open_questions }) => sum + open_questions, 0);
}
