/** A question as it stood at a moment of the past: it cannot be answered from there. */
import { needsWord } from "../../../core/human/question.ts";
import type { State } from "../../../core/state.ts";
import { firstLine } from "../../../lib/text/text.ts";
import { visibleLine } from "../../../lib/text/visible.ts";
import type { AskedQuestion } from "../../talk/thread-item.ts";
import { whoIs } from "../status/avatar.tsx";
import { StatusDot } from "../status/status.tsx";
import { Markdown } from "../text/markdown.tsx";
import { clock } from "../text/words.ts";
import { ApprovalMark } from "./approval-mark.tsx";
import { CallShown } from "./call-shown.tsx";
import { Settled } from "./question-rest.tsx";

export function QuestionThen({ state, question }: { state: State | undefined; question: AskedQuestion }) {
  const { name } = whoIs(state, question.by);
  if (question.status !== "open") return <Settled question={question} name={name} />;
  const approves = needsWord(question);
  const { text, options = [], asked_at, deadline, default: otherwise } = question;
  return (
    <section className="ask" aria-label={`${approves ? "Approval for" : "Question from"} ${name}, open then`}>
      {approves ? (
        <ApprovalMark tool={question.approves?.tool} host={question.host?.host}>
          since {clock(asked_at)}
        </ApprovalMark>
      ) : (
        <div className="ask-h">
          <StatusDot look="waiting" />
          <span>Question, waited for you since {clock(asked_at)}</span>
        </div>
      )}
      <div className="ask-b">
        <div className="ask-q">{approves ? <p>{visibleLine(firstLine(text))}</p> : <Markdown text={text} />}</div>
        {approves ? <CallShown state={undefined} question={question} settled /> : null}
        {options.length ? (
          <ul className="opts then" aria-label="Options">
            {options.map((option) => (
              <li key={option} className="opt">
                <span className="t">{visibleLine(option)}</span>
                {option === otherwise ? <span className="k">if you say nothing</span> : null}
              </li>
            ))}
          </ul>
        ) : null}
        {deadline ? (
          <p className="ask-f">
            {otherwise
              ? `Without an answer, ${name} takes “${visibleLine(otherwise)}” at ${clock(deadline)}`
              : `Until ${clock(deadline)}`}
          </p>
        ) : null}
      </div>
    </section>
  );
}
