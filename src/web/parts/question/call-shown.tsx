/**
 * The call that an approval is about, exactly: the same wherever somebody can say yes to it, and wherever that is listed afterwards.
 *
 * As long as it waits, it is taken from the call itself and shown whole. Once it is decided only the question's text has it: then what is long is
 * folded, with its first lines in sight, and unfolds.
 */
import { useState } from "react";
import type { State } from "../../../core/state.ts";
import { restOf } from "../../../lib/text/text.ts";
import type { Question } from "../../../schema/question.ts";
import { inputOf } from "../../needs/queue.ts";
import { CallInput } from "./call-input.tsx";
import { Exact } from "./exact.tsx";

interface Props {
  state: State | undefined;
  question: Pick<Question, "text" | "by" | "approves">;
  /** It was decided, or is shown as it was. */
  settled?: boolean;
}

/** What the question's text holds as JSON, with notes below it (inputText in loop/features/policy.ts); nothing if that is cut. */
function writtenIn(text: string): unknown {
  try {
    return JSON.parse(text.replace(/\n\(".*\)$/, ""));
  } catch {
    return undefined;
  }
}

const mostLines = 12;
const mostSigns = 400;

export function CallShown({ state, question, settled = false }: Props) {
  const [whole, setWhole] = useState(false);
  const text = restOf(question.text);
  const input = settled || !state ? writtenIn(text) : inputOf(state, question);
  const lines = text.split(/\n|\\n/);
  const folded = settled && !whole && (lines.length > mostLines || text.length > mostSigns);
  return (
    <div className={`field given ${settled ? "settled" : ""}`}>
      {input !== undefined && !folded ? (
        <CallInput input={input} />
      ) : (
        <Exact text={folded ? text.slice(0, mostSigns).toWellFormed() : text} />
      )}
      {folded ? (
        <button type="button" className="lnk" aria-expanded="false" onClick={() => setWhole(true)}>
          Show all of it ({lines.length > mostLines ? `${lines.length} lines` : `${text.length} characters`})
        </button>
      ) : null}
    </div>
  );
}
