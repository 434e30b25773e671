/** The queue of what needs the human: one list for the page and for every count of it, so that they never differ. */
import { useHeld, useNow, useStates, useSummaries } from "../store/hooks.ts";
import { askerOf, type Need, needsOf } from "./queue.ts";
import { useSnoozed } from "./snooze.ts";

export interface Needs {
  /** Everything that was not answered here, what was put off too. */
  all: Need[];
  /** Without what was put off. */
  waiting: Need[];
  /** Put off until then. */
  untilOf(key: string): number | undefined;
}

export function useNeeds(): Needs {
  const summaries = useSummaries();
  const states = useStates();
  const held = useHeld();
  const snoozed = useSnoozed();
  const now = useNow();
  const answered = new Set(held.map(({ agent, question }) => `${agent}/${question}`));
  const all = needsOf(summaries, states).filter((need) => !answered.has(`${need.agent}/${askerOf(need)?.id}`));
  const untilOf = (key: string) => ((snoozed[key] ?? 0) > now ? snoozed[key] : undefined);
  return { all, waiting: all.filter(({ key }) => untilOf(key) === undefined), untilOf };
}

/** Also of agents whose state is still on its way. */
export function useNeedsCount(): number {
  const { waiting } = useNeeds();
  const here = new Set(useStates().map(([agent]) => agent));
  const others = useSummaries().filter(({ id }) => !here.has(id));
  return waiting.length + others.reduce((sum, { open_questions }) => sum + open_questions, 0);
}
