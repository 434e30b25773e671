/** What the runtime does with the result of a vote, to choose from: what there is in this run that a vote can bind. */
import { lead } from "../../core/run/lead.ts";
import type { State } from "../../core/state.ts";
import type { Binding } from "../../schema/proposal.ts";
import { Field } from "../parts/controls/field.tsx";

interface Given {
  state: State;
  value: string;
  change(value: string): void;
  /** The new budget, while that is what follows. */
  usd: string;
  changeUsd(usd: string): void;
}

export function Follows({ state, value, change, usd, changeUsd }: Given) {
  return (
    <>
      <Field label="What follows">
        <select className="form-input" value={value} onChange={({ target }) => change(target.value)}>
          <option value="">The team is told the result</option>
          {choicesIn(state).map(({ value, words }) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      {value === "budget" ? (
        <Field label="New budget in dollars">
          <input
            className="form-input"
            inputMode="decimal"
            value={usd}
            onChange={({ target }) => changeUsd(target.value.replace(/[^\d.]/g, ""))}
          />
        </Field>
      ) : null}
    </>
  );
}

function choicesIn(state: State): { value: string; words: string }[] {
  const nodes = [...state.nodes.values()].flatMap(({ id, status }) => [
    ...(status === "pending" ? [{ value: `assign ${id}`, words: `The winner does ${id}` }] : []),
    ...(state.agent?.folder ? [{ value: `merge ${id}`, words: `${id} is merged only with option 1` }] : []),
  ]);
  return [
    ...[...state.documents.keys()].map((name) => ({ value: `own ${name}`, words: `The winner owns ${name}` })),
    ...nodes,
    ...(lead(state) ? [] : [{ value: "lead", words: "The winner leads this run" }]),
    { value: "release", words: "The run is finished only with option 1" },
    { value: "budget", words: "The run has a new budget with option 1" },
  ];
}

/** As the list names it: "own plan.md", "lead". Undefined if nothing follows, or if the budget is not an amount yet. */
export function bindingOf(value: string, usd: string): Binding | undefined {
  const [effect = "", ...rest] = value.split(" ");
  const of = rest.join(" ");
  if (effect === "own") return { effect, document: of };
  if (effect === "assign" || effect === "merge") return { effect, node: of };
  if (effect === "lead" || effect === "release") return { effect };
  return effect === "budget" && Number(usd) > 0 ? { effect, limit: { usd: Number(usd) } } : undefined;
}

/** Whether its options are the people who may win. */
export const isAboutPeople = (binding: Binding | undefined): boolean =>
  binding?.effect === "own" || binding?.effect === "assign" || binding?.effect === "lead";
