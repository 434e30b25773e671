/** A question as it stood at a moment of the past: it cannot be answered from there. */
import type { State } from "../../core/state.ts";
import type { Asked } from "../talk/thread.ts";
import { whoIs } from "./avatar.tsx";
import { Markdown } from "./markdown.tsx";
import { Settled } from "./question-rest.tsx";
import { StatusDot } from "./status.tsx";
import { clock } from "./words.ts";

export function QuestionThen({ state, question }: { state: State | undefined; question: Asked }) {
  const { name } = whoIs(state, question.by);
  if (question.status !== "open") return <Settled question={question} name={name} />;
  const { text, options = [], approves, asked_at, deadline, default: otherwise } = question;
  const [first, ...rest] = text.split("\n");
  return (
    <section className="ask" aria-label={`${approves ? "Approval for" : "Question from"} ${name}, open then`}>
      <div className="ask-h">
        <StatusDot look="waiting" />
        <span>
          {approves ? `Asked to use ${approves.tool}` : "Waited for you"} since {clock(asked_at)}
        </span>
      </div>
      <div className="ask-b">
        <div className="ask-q">
          <Markdown text={approves ? first! : text} />
        </div>
        {approves && rest.length ? <pre className="field given">{rest.join("\n")}</pre> : null}
        {options.length ? (
          <ul className="opts then" aria-label="Options">
            {options.map((option) => (
              <li key={option} className="opt">
                <span className="t">{option}</span>
                {option === otherwise ? <span className="k">if you say nothing</span> : null}
              </li>
            ))}
          </ul>
        ) : null}
        {deadline ? (
          <p className="ask-f">
            {otherwise
              ? `Without an answer, ${name} takes “${otherwise}” at ${clock(deadline)}`
              : `Until ${clock(deadline)}`}
          </p>
        ) : null}
      </div>
    </section>
  );
}
