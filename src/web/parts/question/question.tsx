/**
 * A question to the human, or a call that waits for a yes: the same card in the thread, the queue and the drawer. It is answered in place.
 * `hot`: the keys 1 to 9 and R are its own while it is on the screen; Enter sends what is chosen only where the focus is on it.
 */

import { type RefObject, useRef, useState } from "react";
import { needsWord } from "../../../core/human/question.ts";
import type { State } from "../../../core/state.ts";
import { firstLine } from "../../../lib/text/text.ts";
import { visibleLine } from "../../../lib/text/visible.ts";
import { callTitle } from "../../needs/call-title.ts";
import { nodesHeldUpBy } from "../../needs/holds.ts";
import { inputOf, questionKey } from "../../needs/queue.ts";
import { useSnoozed } from "../../needs/snooze.ts";
import { KeyCaps, keyMap } from "../../shell/key-map.tsx";
import { useKey } from "../../shell/keys.tsx";
import { isOnScreen } from "../../shell/on-screen.ts";
import { useAnswers, useHeld, useNow } from "../../store/hooks.ts";
import type { AskedQuestion } from "../../talk/thread-item.ts";
import { Button } from "../controls/button.tsx";
import { Icon } from "../controls/icon.tsx";
import { whoIs } from "../status/avatar.tsx";
import { StatusDot } from "../status/status.tsx";
import { Markdown } from "../text/markdown.tsx";
import { Age } from "../text/time.tsx";
import { clock, plural } from "../text/words.ts";
import { ApprovalMark } from "./approval-mark.tsx";
import { CallShown } from "./call-shown.tsx";
import { HostAnswers, HostShown, hostWords } from "./host-asked.tsx";
import { Chosen, Settled, Snoozed } from "./question-rest.tsx";
import { Remember } from "./remember.tsx";

interface Props {
  agent: string;
  state: State | undefined;
  question: AskedQuestion;
  hot?: boolean;
}

export function QuestionCard(given: Props) {
  const { question, state } = given;
  const who = whoIs(state, question.by);
  const held = useHeld().find(
    (one) => one.agent === given.agent && one.question === question.id && one.asked_at === question.asked_at,
  );
  const now = useNow();
  const id = questionKey(given.agent, state?.run?.id, question.id);
  const until = useSnoozed()[id] ?? 0;
  if (question.status !== "open") return <Settled question={question} name={who.name} />;
  if (held) return <Chosen held={held} question={question} hot={given.hot === true} />;
  if (until > now) return <Snoozed id={id} until={until} question={question} name={who.name} />;
  return (
    <section className="ask" aria-label={`${needsWord(question) ? "Approval for" : "Question from"} ${who.name}`}>
      {needsWord(question) ? (
        <ApprovalMark tool={question.approves?.tool} host={question.host?.host}>
          <Age since={question.asked_at} />
          <HeldUp {...given} />
        </ApprovalMark>
      ) : (
        <div className="ask-h">
          <StatusDot look="waiting" />
          <span>
            Question, waiting for you, <Age since={question.asked_at} />
          </span>
          <span className="grow" />
          <HeldUp {...given} />
        </div>
      )}
      <div className="ask-b">
        {question.host ? <Host {...given} /> : question.approves ? <Approve {...given} /> : <Answer {...given} />}
      </div>
    </section>
  );
}

/** How many nodes wait until the asker goes on. */
function HeldUp({ state, question }: Props) {
  const asker = state?.participants.get(question.by);
  const node = asker && asker.kind !== "human" ? asker.node : undefined;
  const held = state ? nodesHeldUpBy(state, question.id, node).length : 0;
  return held ? <span className="num hide-phone">Holds up {plural(held, "node")}</span> : null;
}

function Answer({ agent, state, question, hot = false }: Props) {
  const { id, text, options = [], default: otherwise, deadline, by } = question;
  const answers = useAnswers();
  const before = answers.undone(agent, id);
  const [chosen, setChosen] = useState(options.indexOf(before ?? otherwise ?? ""));
  const [words, setWords] = useState(before !== undefined && !options.includes(before) ? before : "");
  const [writing, setWriting] = useState(options.length === 0 || words !== "");
  const said = writing ? words.trim() : (options[chosen] ?? "");
  const choices = useRef<HTMLFieldSetElement>(null);
  const name = whoIs(state, by).name;
  const send = (response = said) => {
    if (response) answers.hold([{ agent, question, who: name, words: response, said: { response } }]);
  };
  return (
    <>
      {hot && !writing ? (
        <Keys at={choices} count={options.length} choose={setChosen} write={() => setWriting(true)} />
      ) : null}
      <div className="ask-q">
        <Markdown text={text} />
      </div>
      {options.length > 0 && !writing ? (
        <fieldset ref={choices} className="opts" aria-label="Options">
          {options.map((option, index) => (
            <button
              key={option}
              type="button"
              aria-pressed={index === chosen}
              className={`opt ${index === chosen ? "on" : ""}`}
              onClick={() => setChosen(index)}
              onDoubleClick={() => send(option)}
              onKeyDown={(event) => {
                // Not before it is chosen: the first Enter chooses, as on any button.
                if (event.key !== "Enter" || event.repeat || index !== chosen) return;
                event.preventDefault();
                send(option);
              }}
            >
              <kbd>{index + 1}</kbd>
              <span className="t">{visibleLine(option)}</span>
              {option === otherwise ? <span className="k">if you say nothing</span> : null}
            </button>
          ))}
        </fieldset>
      ) : (
        <textarea
          className="field"
          aria-label={`Answer to ${name}`}
          placeholder="Your answer"
          rows={2}
          // biome-ignore lint/a11y/noAutofocus: who asks for the field writes in it; typed elsewhere, letters are keys
          autoFocus={options.length > 0}
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            send();
          }}
        />
      )}
      <div className="ask-f">
        {deadline ? (
          <>
            <Icon name="clock" size={14} />
            <span>
              {otherwise
                ? `If you say nothing, ${name} takes “${visibleLine(otherwise)}” at ${clock(deadline)}`
                : `Until ${clock(deadline)}`}
            </span>
          </>
        ) : null}
        <span className="grow" />
        {options.length ? (
          <Button look="ghost" onClick={() => setWriting(!writing)}>
            {writing ? "Choose instead" : "Write instead"}
          </Button>
        ) : null}
        <Button
          look="solid"
          onClick={() => send()}
          disabled={!said}
          title={said ? undefined : "Choose or write an answer first"}
        >
          Answer <KeyCaps of={keyMap.answer} />
        </Button>
      </div>
    </>
  );
}

interface KeysProps {
  at: RefObject<HTMLFieldSetElement | null>;
  count: number;
  choose(index: number): void;
  write(): void;
}

function Keys({ at, count, choose, write }: KeysProps) {
  useKey(keyMap.ownWords, () => (isOnScreen(at.current) ? write() : false));
  const pick = (index: number) => {
    const option = at.current?.querySelectorAll<HTMLElement>(".opt")[index];
    if (!isOnScreen(option)) return false;
    choose(index);
    option?.focus();
  };
  useKey(keyMap.option, (_, name) => (Number(name) <= count ? pick(Number(name) - 1) : false));
  return null;
}

function Host({ agent, state, question, hot = false }: Props) {
  const answers = useAnswers();
  const answer = (response: string) => {
    const words = hostWords(response, question.host?.host ?? "");
    answers.hold([{ agent, question, who: whoIs(state, question.by).name, words, said: { response } }]);
  };
  return (
    <>
      <p className="ask-q">{visibleLine(firstLine(question.text))}</p>
      <HostShown state={state} question={question} />
      <HostAnswers keys={hot} answer={answer} />
    </>
  );
}

function Approve({ agent, state, question }: Props) {
  const { text, by, approves } = question;
  const answers = useAnswers();
  const [why, setWhy] = useState("");
  const [remember, setRemember] = useState(false);
  const input = state ? inputOf(state, question) : undefined;
  const asked = visibleLine(firstLine(text));
  const decide = (decision: "allow" | "deny") => {
    const reason = decision === "deny" && why.trim() ? { reason: why.trim() } : {};
    const words = `${decision === "allow" ? "Allowed" : "Denied"}: ${input === undefined ? asked : callTitle(approves?.tool ?? "", input)}`;
    const said = { decision, ...(remember ? { remember } : {}), ...reason };
    answers.hold([{ agent, question, who: whoIs(state, by).name, words, said }]);
  };
  return (
    <>
      <p className="ask-q">{asked}</p>
      <CallShown state={state} question={question} />
      <input
        className="field"
        aria-label="Why not"
        placeholder="Reason, if you deny it"
        value={why}
        onChange={(event) => setWhy(event.target.value)}
      />
      <div className="ask-f">
        <Remember state={state} question={question} on={remember} change={setRemember} />
        <span className="grow" />
        <Button onClick={() => decide("deny")}>Deny</Button>
        <Button look="solid" onClick={() => decide("allow")}>
          Allow
        </Button>
      </div>
    </>
  );
}
