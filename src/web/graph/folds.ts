/**
 * Which stacks are folded. In a big graph all of them; a stage that was done already when one came, while a later one is under way; and what
 * somebody folded. Never in front of somebody who looks, never around the chosen node.
 */
import { useMemo, useRef, useState } from "react";
import type { State } from "../../core/state.ts";
import type { CardView } from "./cards.ts";
import { type Plan, sectionOf } from "./layout.ts";
import { type Stack, stacksOf } from "./stacks.ts";

interface Given {
  state: State;
  plan: Plan;
  cards: readonly CardView[];
  chosen: string | undefined;
  small: boolean | undefined;
}

export function useFolds({ state, plan, cards, chosen, small }: Given) {
  const [turned, setTurned] = useState<ReadonlyMap<string, boolean>>(new Map());
  const stacks = useMemo(() => stacksOf(state, plan, cards), [state, plan, cards]);
  const begun = useRef<ReadonlySet<string>>(undefined);
  begun.current ??= new Set(small ? [] : stacks.filter((stack) => isBehind(state, plan, stack)).map(({ id }) => id));
  const before = begun.current;
  const folded = useMemo(
    () =>
      stacks.filter(({ id, name, members }) => {
        if (members.some((one) => one.id === chosen)) return false;
        return turned.get(id) ?? (name === undefined || before.has(id));
      }),
    [stacks, turned, before, chosen],
  );
  return {
    stacks,
    folded,
    turn: (id: string) => setTurned(new Map([...turned, [id, !folded.some((one) => one.id === id)]])),
  };
}

/** Of a stage that is done, while a later one is under way. */
export const isBehind = (state: State, plan: Plan, { name, column }: Stack): boolean =>
  name !== undefined && state.run?.status === "open" && sectionOf(plan, column) < plan.sections.length - 1;
