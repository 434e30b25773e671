/** What waits for the human, over all agents whose state is here: longest waiting first. The queue and every count are made from it. */
import { type HumanItem, humanInbox } from "../../core/human-inbox.ts";
import { useStates, useSummaries } from "./hooks.ts";

export interface Need extends HumanItem {
  agent: string;
}

export function useNeedsYou(): Need[] {
  const states = useStates();
  return states
    .flatMap(([agent, state]) =>
      humanInbox(state, 0)
        .items.filter(({ waiting_since }) => waiting_since !== undefined)
        .map((item) => ({ ...item, agent })),
    )
    .sort((a, b) => (a.waiting_since! < b.waiting_since! ? -1 : 1));
}

/** Also of agents whose state is still on its way. */
export function useNeedsCount(): number {
  const needs = useNeedsYou();
  const here = new Set(useStates().map(([agent]) => agent));
  const others = useSummaries().filter(({ id }) => !here.has(id));
  return needs.length + others.reduce((sum, { open_questions }) => sum + open_questions, 0);
}
