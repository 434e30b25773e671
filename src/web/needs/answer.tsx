/** A question, answered in place: an option by its key, or free text. A draft is kept while another item is open. */

import { useRef, useState } from "react";
import { visibleLine } from "../../lib/text/visible.ts";
import { Button } from "../parts/controls/button.tsx";
import { Headline } from "../parts/text/headline.tsx";
import { KeyCaps, keyMap } from "../shell/key-map.tsx";
import { useKey } from "../shell/keys.tsx";
import { isOnScreen } from "../shell/on-screen.ts";
import type { ForOne } from "./focus.tsx";
import type { Need } from "./queue.ts";
import { useEnter } from "./use-enter.ts";

interface Draft {
  chosen: number;
  words: string;
}
const drafts = new Map<string, Draft>();

export function Answer({ need, acts, later }: ForOne<Extract<Need, { kind: "question" }>>) {
  const { text, options = [], default: otherwise } = need.question;
  const [draft, setDraft] = useState<Draft>(
    () => drafts.get(need.key) ?? { chosen: otherwise ? options.indexOf(otherwise) : -1, words: "" },
  );
  const field = useRef<HTMLTextAreaElement>(null);
  const change = (next: Partial<Draft>) => {
    const changed = { ...draft, ...next };
    drafts.set(need.key, changed);
    setDraft(changed);
  };
  const said = draft.words.trim() || (options[draft.chosen] ?? "");
  // What was begun stays: it is there again if the answer is taken back.
  const send = () => {
    if (said) acts.answer(need, said);
  };
  const choices = useRef<HTMLFieldSetElement>(null);
  const chosenOne = () => choices.current?.querySelector<HTMLElement>(".opt.on") ?? field.current;
  useEnter(need.key, () => (said ? send() : field.current?.focus()), chosenOne);
  useKey(keyMap.ownWords, () => field.current?.focus());
  const pick = (index: number) => {
    const option = choices.current?.querySelectorAll<HTMLElement>(".opt")[index];
    if (!isOnScreen(option)) return option?.scrollIntoView({ block: "nearest" });
    change({ chosen: index, words: "" });
    option?.focus();
  };
  useKey(keyMap.option, (_, name) => (Number(name) <= options.length ? pick(Number(name) - 1) : false));
  return (
    <>
      <Headline text={text} />
      {options.length ? (
        <fieldset ref={choices} className="opts" aria-label="Options">
          {options.map((option, index) => (
            <button
              key={index}
              type="button"
              aria-pressed={index === draft.chosen && !draft.words.trim()}
              className={`opt ${index === draft.chosen && !draft.words.trim() ? "on" : ""}`}
              onClick={() => change({ chosen: index, words: "" })}
              onKeyDown={(event) => {
                // Not before it is chosen: the first Enter chooses, as on any button.
                if (event.key !== "Enter" || event.repeat || index !== draft.chosen || draft.words.trim()) return;
                event.preventDefault();
                send();
              }}
            >
              <kbd>{index + 1}</kbd>
              <span className="t">{visibleLine(option)}</span>
              {option === otherwise ? <span className="k">if you say nothing</span> : null}
            </button>
          ))}
        </fieldset>
      ) : null}
      <label className="write">
        {options.length ? <KeyCaps of={keyMap.ownWords} /> : null}
        <textarea
          ref={field}
          rows={options.length ? 1 : 3}
          aria-label="Answer in your own words"
          placeholder={options.length ? "Answer in your own words" : "Your answer"}
          value={draft.words}
          onChange={({ target }) => change({ words: target.value })}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
      </label>
      <div className="act">
        <Button
          look="solid"
          large
          onClick={() => send()}
          disabled={!said}
          title={said ? undefined : "Choose or write an answer first"}
        >
          Answer <KeyCaps of={keyMap.answer} />
        </Button>
        {later}
      </div>
    </>
  );
}
