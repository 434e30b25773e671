/**
 * A host that a command wants to reach: which, what for, the command exactly, and the four answers with what each of them means. The same wherever it
 * can be answered. Everything that is said about it comes from the fields of the question, not from text of an agent.
 */
import { type RefObject, useRef, useState } from "react";
import type { State } from "../../../core/state.ts";
import { registries } from "../../../lib/network/registries.ts";
import { visibleLine } from "../../../lib/text/visible.ts";
import type { Question } from "../../../schema/question.ts";
import { keyMap } from "../../shell/key-map.tsx";
import { useKey } from "../../shell/keys.tsx";
import { isOnScreen } from "../../shell/on-screen.ts";
import { Icon } from "../controls/icon.tsx";
import { Exact } from "./exact.tsx";

interface Asked {
  state: State | undefined;
  question: Pick<Question, "host">;
}

export function HostShown({ state, question: { host } }: Asked) {
  if (!host) return null;
  const task = host.node === undefined ? undefined : state?.nodes.get(host.node)?.name;
  return (
    <>
      {task === undefined ? null : (
        <p className="ctx">
          For {host.node}: {visibleLine(task)}
        </p>
      )}
      {host.subject === host.host ? null : (
        <p className="ctx">
          It is a package registry. Your answer counts for the usual ones: {Object.keys(registries).join(", ")}.
        </p>
      )}
      {host.tainted ? (
        <p className="ctx warn">
          <Icon name="alert" size={14} /> This run has read text from strangers: the host may be their idea.
        </p>
      ) : null}
      <div className="field given">
        <Exact text={host.command} />
      </div>
    </>
  );
}

const meanings: [answer: string, word: string, meaning: string][] = [
  ["this time", "This time", "this command only"],
  ["this run", "This run", "every command of this run"],
  ["always", "Always", "every agent, in config.yaml"],
  ["no", "No", "not in this run"],
];

/** `keys`: 1 to 4 are its own while it is on the screen. */
export function HostAnswers({ answer, keys = false }: { answer(response: string): void; keys?: boolean }) {
  const box = useRef<HTMLFieldSetElement>(null);
  const [why, setWhy] = useState("");
  const give = (said: string) => answer(said === "no" && why.trim() ? `no: ${why.trim()}` : said);
  return (
    <fieldset ref={box} className="opts host-answers" aria-label="Answers">
      {keys ? <Keys at={box} answer={give} /> : null}
      {meanings.map(([said, word, meaning], index) => (
        <button key={said} type="button" className="opt" onClick={() => give(said)}>
          <kbd>{index + 1}</kbd>
          <span className="t">{word}</span>
          <span className="k">{meaning}</span>
        </button>
      ))}
      <input
        className="field"
        aria-label="Why not"
        placeholder="Reason, if you say no"
        value={why}
        maxLength={10_000}
        onChange={({ target }) => setWhy(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing || !why.trim()) return;
          event.preventDefault();
          give("no");
        }}
      />
    </fieldset>
  );
}

function Keys({ at, answer }: { at: RefObject<HTMLFieldSetElement | null>; answer(response: string): void }) {
  useKey(keyMap.option, (_, name) => {
    const chosen = meanings[Number(name) - 1];
    if (!chosen) return false;
    // What it is about stands above: who comes to the answers has passed it.
    if (isOnScreen(at.current)) answer(chosen[0]);
    else at.current?.scrollIntoView({ block: "end" });
  });
  return null;
}

/** An answer about a host as people read it afterwards. */
export const hostWords = (answer: string, host: string): string =>
  answer.startsWith("no") ? `Denied: ${host}${answer.slice(2).replace(/^: /, ", ")}` : `Allowed ${answer}: ${host}`;
