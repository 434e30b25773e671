/** A question that is not to be answered now: it was answered here and can be taken back, it is settled, its time is over, or it was put off. */
import { useEffect, useRef } from "react";
import { needsWord } from "../../../core/human/question.ts";
import { visibleLine } from "../../../lib/text/visible.ts";
import { snooze } from "../../needs/snooze.ts";
import { HeldButtons, HeldStatus, useHolding } from "../../shell/held.tsx";
import type { HeldAnswer } from "../../store/held.ts";
import type { AskedQuestion } from "../../talk/thread-item.ts";
import { Button } from "../controls/button.tsx";
import { Icon } from "../controls/icon.tsx";
import { Markdown } from "../text/markdown.tsx";
import { clock, day } from "../text/words.ts";
import { CallShown } from "./call-shown.tsx";
import { hostWords } from "./host-asked.tsx";

/** What was allowed or denied stays in sight after it was. */
function Text({ question }: { question: AskedQuestion }) {
  const { text } = question;
  const approves = needsWord(question);
  return (
    <>
      <div className="ask-q">{approves ? <p>{visibleLine(text.split("\n")[0]!)}</p> : <Markdown text={text} />}</div>
      {approves ? <CallShown state={undefined} question={question} settled /> : null}
    </>
  );
}

/** Answered here, and not sent yet: it can be taken back. */
export function Chosen({ held, question, hot }: { held: HeldAnswer; question: AskedQuestion; hot: boolean }) {
  const { status } = useHolding(held);
  const card = useRef<HTMLElement>(null);
  // Who answered by a key goes on from here; Enter does nothing more.
  useEffect(() => {
    if (hot && document.activeElement === document.body) card.current?.focus({ preventScroll: true });
  }, [hot]);
  return (
    <section ref={card} tabIndex={-1} className="ask settled" aria-label={`Question from ${held.who}, answered`}>
      <div className="ask-b">
        <Text question={question} />
        <p className="ask-a">
          <Icon name={status === "waiting" ? "clock" : "check"} size={14} />
          <span>
            You: <b>{held.words}</b>
          </span>
          <span className="dim num">
            <HeldStatus held={held} />
          </span>
        </p>
        {status === "sending" ? null : (
          <div className="ask-f">
            <HeldButtons held={held} />
          </div>
        )}
      </div>
    </section>
  );
}

/** Put off in this browser: it stands back until its time, or until it is brought back. */
export function Snoozed({
  id,
  until,
  question,
  name,
}: {
  id: string;
  until: number;
  question: AskedQuestion;
  name: string;
}) {
  const at = new Date(until).toISOString();
  return (
    <section className="ask settled" aria-label={`Question from ${name}, snoozed`}>
      <div className="ask-b">
        <Text question={question} />
        <p className="ask-a put">
          <Icon name="snooze" size={14} />
          <span>Snoozed</span>
          <span className="dim num">
            back {onDay(at, question.asked_at)}at {clock(at)}
          </span>
          <span className="grow" />
          <Button onClick={() => snooze(id, 0)}>Bring back</Button>
        </p>
      </div>
    </section>
  );
}

export function Settled({ question, name }: { question: AskedQuestion; name: string }) {
  const { status, ended_at } = question;
  const [said, note] = status === "answered" ? answered(question) : expired(question, name);
  return (
    <section className="ask settled" aria-label={`Question from ${name}, settled`}>
      <div className="ask-b">
        <Text question={question} />
        <p className={`ask-a ${status === "answered" ? "" : "late"}`}>
          <Icon name={status === "answered" ? "check" : "clock"} size={14} />
          <span>{said}</span>
          <span className="dim num">
            {note}
            {ended_at ? `${note ? ", " : ""}${clock(ended_at)}` : ""}
          </span>
        </p>
      </div>
    </section>
  );
}

function answered({ answer = "", answered_by = "human", approves, host }: AskedQuestion): [React.ReactNode, string] {
  if (host) return [<b key="said">{hostWords(answer, host.host)}</b>, answered_by === "human" ? "" : answered_by];
  const [word, ...why] = answer.split(": ");
  const said = !approves ? answer : word === "allow" ? "Allowed" : word === "deny" ? "Denied" : answer;
  const reason = approves && word === "deny" && why.length ? why.join(": ") : "";
  const who = answered_by === "human" ? "You" : answered_by;
  return [
    <>
      {who}: <b>{said}</b>
      {reason ? `, ${reason}` : ""}
    </>,
    "",
  ];
}

/** Its time was over, with or without an answer to go on with; or nobody waits for it any more. */
function expired({ answer, over, deadline }: AskedQuestion, name: string): [React.ReactNode, string] {
  if (over !== undefined) return [`No longer needed: ${over}`, ""];
  const none = deadline ? `no answer by ${clock(deadline)}` : "no answer in time";
  if (answer === undefined) return ["Too late to answer", none];
  return [
    <>
      {name} took <b>{answer}</b>
    </>,
    none,
  ];
}

const onDay = (at: string, before: string): string => (day(at) === day(before) ? "" : `on ${day(at)} `);
