/** Decisions of the last 24 hours: by the human, by an expired deadline, and those that can still be undone. */

import { Link } from "@tanstack/react-router";
import { needsWord } from "../../core/human/question.ts";
import { firstLine } from "../../lib/text/text.ts";
import { visibleLine } from "../../lib/text/visible.ts";
import type { Question } from "../../schema/question.ts";
import { Icon } from "../parts/controls/icon.tsx";
import { CallShown } from "../parts/question/call-shown.tsx";
import { hostWords } from "../parts/question/host-asked.tsx";
import { whoIs } from "../parts/status/avatar.tsx";
import { withoutMarks } from "../parts/text/plain-words.ts";
import { Time } from "../parts/text/time.tsx";
import { HeldStatus, useHolding } from "../shell/held.tsx";
import type { HeldAnswer } from "../store/held.ts";
import { useAnswers, useHeld, useNow, useStates } from "../store/hooks.ts";

const dayMs = 86_400_000;
const most = 50;

export function Decided() {
  const held = useHeld();
  const now = useNow();
  const done = useStates()
    .flatMap(([agent, state]) =>
      [...state.questions.values()].flatMap((question) =>
        question.status !== "open" && now - Date.parse(question.ended_at) < dayMs ? [{ agent, state, question }] : [],
      ),
    )
    .sort((a, b) => (a.question.ended_at < b.question.ended_at ? 1 : -1))
    .slice(0, most);
  if (held.length + done.length === 0)
    return (
      <div className="blank">
        <Icon name="history" size={20} />
        <h2>No decisions today</h2>
        <p>Your answers and approvals of today appear here.</p>
      </div>
    );
  return (
    <ul className="decided" aria-label="Decided">
      {held.map((one) => (
        <HeldRow key={one.key} held={one} />
      ))}
      {done.map(({ agent, state, question }) => (
        <li key={`${agent}/${question.id}/${question.asked_at}`}>
          <Icon name={question.status === "answered" ? "check" : "clock"} size={14} />
          <Link
            to="/agents/$agent/talk"
            params={{ agent }}
            search={question.by === "coordinator" ? {} : { with: question.by }}
          >
            <b>{visibleLine(withoutMarks(firstLine(question.text)))}</b>
            <span>
              {question.status === "answered"
                ? `You: ${decided(question)}`
                : question.answer === undefined
                  ? "No answer in time"
                  : `No answer in time; used “${question.answer}”`}
            </span>
            <span className="dim">
              {whoIs(state, question.by).name}, {agent}
            </span>
          </Link>
          <Time at={question.ended_at} />
          {needsWord(question) ? <CallShown state={state} question={question} settled /> : null}
        </li>
      ))}
    </ul>
  );
}

const decided = ({ answer = "", approves, host }: Pick<Question, "approves" | "host"> & { answer?: string }): string =>
  host
    ? hostWords(answer, host.host)
    : approves
      ? answer.replace(/^allow$/, "Allowed").replace(/^deny(: )?/, (_, why) => (why ? "Denied, " : "Denied"))
      : answer;

function HeldRow({ held }: { held: HeldAnswer }) {
  const answers = useAnswers();
  const state = useStates().find(([agent]) => agent === held.agent)?.[1];
  const question = state?.questions.get(held.question);
  const { status } = useHolding(held);
  return (
    <li>
      <Icon name="clock" size={14} />
      <div>
        <b>{held.words}</b>
        <span className="dim">
          {held.who}, {held.agent}, <HeldStatus held={held} />
        </span>
      </div>
      {status === "sending" ? null : (
        <button type="button" className="lnk" onClick={() => answers.undo(held.batch)}>
          Undo
        </button>
      )}
      {question && needsWord(question) ? <CallShown state={state} question={question} settled /> : null}
    </li>
  );
}
