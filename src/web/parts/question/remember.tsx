/** Whether a word on a call holds for more than this one, and for which: said exactly as far as it goes (wordOn in core/human/question.ts). */
import type { State } from "../../../core/state.ts";
import type { Question } from "../../../schema/question.ts";
import { whoIs } from "../status/avatar.tsx";

interface Props {
  state: State | undefined;
  question: Pick<Question, "by" | "approves">;
  on: boolean;
  change(on: boolean): void;
}

export function Remember({ state, question: { by, approves }, on, change }: Props) {
  return (
    <label className="tick">
      <input type="checkbox" checked={on} onChange={({ target }) => change(target.checked)} />
      <span>
        The same for every call of <span className="mono">{approves?.tool}</span>
        {approves?.target ? (
          <>
            {" "}
            to <span className="mono">{approves.target}</span>
          </>
        ) : null}{" "}
        by {whoIs(state, by).name} in this run
      </span>
    </label>
  );
}
